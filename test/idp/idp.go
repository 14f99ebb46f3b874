package idp

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// Provider is the double. Fill in the settings before it is used, and serve it at the address Issuer.
type Provider struct {
	Issuer                           string
	ClientID, ClientSecret, Redirect string

	mu sync.Mutex
	// person are the claims of the person who signs in, and info those that only the UserInfo endpoint has.
	person, info map[string]any
	spoil        func(*Token)
	keys         []*key
	codes        map[string]*grant
	problems     []string
	calls        map[string]int
}

// Token is an ID token before it is signed.
type Token struct {
	Header, Claims map[string]any
	// Unsigned leaves the signature empty, and Foreign makes one with a key that the provider does not publish.
	Unsigned, Foreign bool
	// AccessToken is the one that comes with it.
	AccessToken string
}

// grant is an authorization code that was given out.
type grant struct {
	redirect, nonce, challenge string
	used                       bool
}

// New returns a provider with one client and one key.
func New(issuer, redirect string) *Provider {
	p := &Provider{
		Issuer: issuer, ClientID: "askbridge", ClientSecret: "a secret of the client", Redirect: redirect,
		codes: map[string]*grant{}, calls: map[string]int{},
	}
	p.Rotate("ES256")
	return p
}

// SignsIn sets the claims of the person who signs in next. UserInfo adds claims that are not in the ID token.
func (p *Provider) SignsIn(claims, userInfo map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.person, p.info = claims, userInfo
}

// Spoil changes the ID tokens from now on; nil ends that.
func (p *Provider) Spoil(f func(*Token)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spoil = f
}

// Rotate replaces all keys with a new one for an algorithm: RS256 or ES256.
func (p *Provider) Rotate(alg string) {
	k := newKey(alg)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keys = []*key{k}
}

// Problems are the calls that the provider refused.
func (p *Provider) Problems() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.problems)
}

// Calls returns how often a path was called.
func (p *Provider) Calls(path string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls[path]
}

// ServeHTTP implements [http.Handler].
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls[r.URL.Path]++
	switch r.Method + " " + r.URL.Path {
	case "GET /.well-known/openid-configuration":
		reply(w, http.StatusOK, map[string]any{
			"issuer": p.Issuer, "authorization_endpoint": p.Issuer + "/authorize", "token_endpoint": p.Issuer + "/token",
			"jwks_uri": p.Issuer + "/keys", "userinfo_endpoint": p.Issuer + "/userinfo", "response_types_supported": []string{"code"},
			"subject_types_supported": []string{"public"}, "id_token_signing_alg_values_supported": []string{"RS256", "ES256"},
			"code_challenge_methods_supported": []string{"S256"}, "authorization_response_iss_parameter_supported": true,
		})
	case "GET /favicon.ico":
		w.WriteHeader(http.StatusNoContent)
	case "GET /keys":
		var all []map[string]any
		for _, k := range p.keys {
			all = append(all, k.public())
		}
		reply(w, http.StatusOK, map[string]any{"keys": all})
	case "GET /authorize":
		p.authorize(w, r.URL.Query())
	case "POST /authorize":
		p.approve(w, r)
	case "POST /token":
		p.token(w, r)
	case "GET /userinfo":
		p.userInfo(w, r)
	default:
		p.refuse(w, http.StatusNotFound, "not_found", r.Method+" "+r.URL.Path)
	}
}

func (p *Provider) refuse(w http.ResponseWriter, status int, code, why string) {
	p.problems = append(p.problems, code+": "+why)
	reply(w, status, map[string]any{"error": code, "error_description": why})
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// check returns what is wrong with an authorization request.
func (p *Provider) check(q url.Values) string {
	for name, all := range q {
		if len(all) != 1 {
			return name + " came twice"
		}
	}
	switch {
	case q.Get("client_id") != p.ClientID:
		return "unknown client"
	case q.Get("redirect_uri") != p.Redirect:
		return "redirect_uri is not registered: " + q.Get("redirect_uri")
	case q.Get("response_type") != "code":
		return "response_type must be code"
	case !slices.Contains(strings.Fields(q.Get("scope")), "openid"):
		return "scope lacks openid"
	case len(q.Get("state")) < 20 || len(q.Get("nonce")) < 20:
		return "state or nonce can be guessed"
	case q.Get("code_challenge_method") != "S256" || len(q.Get("code_challenge")) != 43:
		return "no PKCE challenge"
	}
	return ""
}

// authorize shows the page on which a person signs in.
func (p *Provider) authorize(w http.ResponseWriter, q url.Values) {
	if why := p.check(q); why != "" {
		p.refuse(w, http.StatusBadRequest, "invalid_request", why)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, `<!doctype html><title>Sign in</title><form method="post" action="/authorize?%s"><h1>Sign in as %s?</h1><button id="yes">Yes</button></form>`,
		html.EscapeString(q.Encode()), html.EscapeString(fmt.Sprint(p.person["sub"])))
}

// approve is the person's click.
func (p *Provider) approve(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if why := p.check(q); why != "" {
		p.refuse(w, http.StatusBadRequest, "invalid_request", why)
		return
	}
	code := rand.Text()
	p.codes[code] = &grant{redirect: q.Get("redirect_uri"), nonce: q.Get("nonce"), challenge: q.Get("code_challenge")}
	to := q.Get("redirect_uri") + "?" + url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {p.Issuer}}.Encode()
	http.Redirect(w, r, to, http.StatusSeeOther) //nolint:gosec // The address is the registered one.
}

// token redeems a code.
func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		p.refuse(w, http.StatusBadRequest, "invalid_request", err.Error())
		return
	}
	id, secret, basic := r.BasicAuth()
	if basic {
		id, _ = url.QueryUnescape(id)
		secret, _ = url.QueryUnescape(secret)
	} else {
		id, secret = r.PostForm.Get("client_id"), r.PostForm.Get("client_secret")
	}
	if id != p.ClientID || subtle.ConstantTimeCompare([]byte(secret), []byte(p.ClientSecret)) != 1 {
		p.refuse(w, http.StatusUnauthorized, "invalid_client", "wrong credentials")
		return
	}
	g := p.codes[r.PostForm.Get("code")]
	sum := sha256.Sum256([]byte(r.PostForm.Get("code_verifier")))
	switch {
	case r.PostForm.Get("grant_type") != "authorization_code":
		p.refuse(w, http.StatusBadRequest, "unsupported_grant_type", r.PostForm.Get("grant_type"))
	case g == nil || g.used:
		p.refuse(w, http.StatusBadRequest, "invalid_grant", "unknown or used code")
	case g.redirect != r.PostForm.Get("redirect_uri"):
		p.refuse(w, http.StatusBadRequest, "invalid_grant", "another redirect_uri")
	case g.challenge != base64.RawURLEncoding.EncodeToString(sum[:]):
		p.refuse(w, http.StatusBadRequest, "invalid_grant", "wrong code_verifier")
	default:
		g.used = true
		p.give(w, g)
	}
}

func (p *Provider) give(w http.ResponseWriter, g *grant) {
	now := time.Now()
	signs := p.keys[0]
	t := &Token{
		Header: map[string]any{"alg": signs.alg, "kid": signs.id, "typ": "JWT"}, AccessToken: "access-" + rand.Text(),
		Claims: map[string]any{"iss": p.Issuer, "aud": p.ClientID, "iat": now.Unix(), "exp": now.Add(5 * time.Minute).Unix(), "nonce": g.nonce},
	}
	maps.Copy(t.Claims, p.person)
	sum := sha256.Sum256([]byte(t.AccessToken))
	t.Claims["at_hash"] = base64.RawURLEncoding.EncodeToString(sum[:16])
	if p.spoil != nil {
		p.spoil(t)
	}
	if t.Foreign {
		signs = newKey(signs.alg)
	}
	reply(w, http.StatusOK, map[string]any{"access_token": t.AccessToken, "token_type": "Bearer", "expires_in": 300, "id_token": signs.sign(t)})
}

func (p *Provider) userInfo(w http.ResponseWriter, r *http.Request) {
	if !strings.HasPrefix(r.Header.Get("Authorization"), "Bearer access-") {
		p.refuse(w, http.StatusUnauthorized, "invalid_token", "no access token")
		return
	}
	members := maps.Clone(p.person)
	maps.Copy(members, p.info)
	reply(w, http.StatusOK, members)
}
