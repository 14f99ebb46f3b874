package signin

import (
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

const (
	// callTime limits one call to the provider, and maxReply the size of its reply.
	callTime = 10 * time.Second
	maxReply = 1 << 20
	// failurePause is how long a provider that failed is left alone, so that its callers do not queue.
	failurePause = 5 * time.Second
)

// provider is the OpenID provider as its discovery document describes it.
type provider struct {
	*oidc.Provider

	client *http.Client
	oauth  oauth2.Config
	o      *Options
}

// provider returns the provider. It reads the discovery document when it is first needed, and again after a
// failure, so that the bridge starts without it.
func (s *Service) provider(ctx context.Context) (*provider, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.found != nil {
		return s.found, nil
	}
	const silent = "The sign-in service does not answer as it should. Try again later."
	if time.Since(s.failed) < failurePause {
		return nil, &RefusedError{Reason: silent, Err: errors.New("the provider has just failed")}
	}
	// The keys of the provider are read again whenever one is unknown, long after this call.
	found, err := oidc.NewProvider(oidc.ClientContext(context.WithoutCancel(ctx), s.http), s.o.Issuer)
	if err != nil {
		s.failed = time.Now()
		return nil, &RefusedError{Reason: silent, Err: err}
	}
	s.found = &provider{Provider: found, client: s.http, o: &s.o, oauth: oauth2.Config{
		ClientID: s.o.ClientID, ClientSecret: s.o.ClientSecret, Endpoint: found.Endpoint(), RedirectURL: s.o.Address + Callback,
		Scopes: append([]string{oidc.ScopeOpenID, "profile", "email"}, s.o.Scopes...),
	}}
	return s.found, nil
}

// authorize returns the address at which a person signs in.
func (p *provider) authorize(f flow) string {
	return p.oauth.AuthCodeURL(f.State, oidc.Nonce(f.Nonce), oauth2.S256ChallengeOption(f.Verifier))
}

// claims describe a person, as far as the provider knows them.
type claims struct {
	subject, name string
	groups        []string
}

// errorCode matches the error codes of https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1 that are worth logging.
var errorCode = regexp.MustCompile(`^[a-z_]{1,64}$`)

// notIdentified is the reason for everything that is wrong with the provider's answer; the log has the cause.
const notIdentified = "The sign-in service did not identify you. Try again."

// complete redeems the code of an authorization response and returns the verified claims.
func (p *provider) complete(ctx context.Context, f flow, answer url.Values) (*claims, error) {
	// https://www.rfc-editor.org/rfc/rfc9207
	if answer.Has("iss") && answer.Get("iss") != p.o.Issuer {
		return nil, &RefusedError{Reason: notIdentified, Err: errors.New("the answer came from another issuer")}
	}
	if code := answer.Get("error"); code != "" {
		if !errorCode.MatchString(code) {
			code = "unknown"
		}
		return nil, &RefusedError{Reason: "The sign-in service did not let you in.", Err: errors.New("error " + code)}
	}
	ctx = oidc.ClientContext(ctx, p.client)
	token, err := p.oauth.Exchange(ctx, answer.Get("code"), oauth2.VerifierOption(f.Verifier))
	if err != nil {
		var failed *oauth2.RetrieveError
		if errors.As(err, &failed) && errorCode.MatchString(failed.ErrorCode) {
			err = errors.New("the code was not redeemed: " + failed.ErrorCode) // The rest may quote secrets.
		}
		return nil, &RefusedError{Reason: notIdentified, Err: err}
	}
	raw, _ := token.Extra("id_token").(string)
	id, err := p.Verifier(&oidc.Config{ClientID: p.o.ClientID}).Verify(ctx, raw)
	if err != nil {
		return nil, &RefusedError{Reason: notIdentified, Err: err}
	}
	members := map[string]any{}
	if err := errors.Join(id.Claims(&members), checkToken(id, members, f, p.o.ClientID, token.AccessToken)); err != nil {
		return nil, &RefusedError{Reason: notIdentified, Err: err}
	}
	_, whole := find(members, p.o.Roles.Claim)
	if whole = whole && nameOf(members, "") != ""; !whole && p.UserInfoEndpoint() != "" {
		if err := p.addUserInfo(ctx, token, id.Subject, members); err != nil {
			return nil, &RefusedError{Reason: notIdentified, Err: err}
		}
	}
	roles, _ := find(members, p.o.Roles.Claim)
	return &claims{subject: id.Subject, name: nameOf(members, id.Subject), groups: texts(roles)}, nil
}

// checkToken checks what [oidc.IDTokenVerifier] leaves to its caller:
// https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation
func checkToken(id *oidc.IDToken, members map[string]any, f flow, client, accessToken string) error {
	if subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(f.Nonce)) != 1 {
		return errors.New("the nonce is not that of this sign-in")
	}
	if party, ok := members["azp"]; ok && party != client {
		return errors.New("the token was issued to another client")
	}
	if id.Subject == "" || len(id.Subject) > maxSubject || strings.ContainsFunc(id.Subject, unicode.IsControl) {
		return errors.New("the subject is missing, too long or has control characters")
	}
	if id.AccessTokenHash == "" {
		return nil
	}
	return id.VerifyAccessToken(accessToken)
}

// addUserInfo adds the claims that only the provider's UserInfo endpoint has.
func (p *provider) addUserInfo(ctx context.Context, token *oauth2.Token, subject string, members map[string]any) error {
	info, err := p.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return err
	}
	// https://openid.net/specs/openid-connect-core-1_0.html#UserInfoResponse
	if info.Subject != subject {
		return errors.New("the user info is about another subject")
	}
	more := map[string]any{}
	if err := info.Claims(&more); err != nil {
		return fmt.Errorf("user info: %w", err)
	}
	for name, value := range more {
		if _, known := members[name]; !known {
			members[name] = value
		}
	}
	return nil
}

// find returns a claim by its name or, if there is none, by a path of names with dots.
func find(members map[string]any, path string) (any, bool) {
	if v, ok := members[path]; ok {
		return v, true
	}
	first, rest, more := strings.Cut(path, ".")
	inner, ok := members[first].(map[string]any)
	if !more || !ok {
		return nil, false
	}
	return find(inner, rest)
}

// texts returns a text, or the texts of a list.
func texts(v any) (all []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, each := range v {
			if text, ok := each.(string); ok {
				all = append(all, text)
			}
		}
	}
	return all
}

// nameOf returns the name under which a person appears: an address that the provider does not call unverified, else a
// name that it gave, else the subject.
func nameOf(members map[string]any, subject string) string {
	text := func(claim string) string {
		s, _ := members[claim].(string)
		s = strings.TrimSpace(strings.Map(func(r rune) rune {
			if unicode.IsPrint(r) {
				return r
			}
			return -1
		}, s))
		return strings.ToValidUTF8(s[:min(len(s), maxName)], "")
	}
	mail := text("email")
	if members["email_verified"] == false || members["email_verified"] == "false" {
		mail = ""
	}
	return cmp.Or(mail, text("preferred_username"), text("name"), subject)
}

// bounded limits the replies of the provider.
type bounded struct{ next http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := b.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(resp.Body, maxReply), resp.Body}
	return resp, nil
}
