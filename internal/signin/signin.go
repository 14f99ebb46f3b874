package signin

import (
	"cmp"
	"context"
	"crypto/cipher"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/oauth2"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/store/keyvalue"
)

const (
	// DefaultSession is the default of [Options.Session].
	DefaultSession = 8 * time.Hour
	// DefaultClaim is the default of [Roles.Claim].
	DefaultClaim = "groups"
	// Callback is the path of the address to which the provider returns the browser.
	Callback = "/console/callback"

	// flowTime is the time that a person has to sign in at the provider.
	flowTime = 10 * time.Minute
	// maxSubject is the maximum length of a subject: https://openid.net/specs/openid-connect-core-1_0.html#IDToken
	maxSubject = 255
	// maxName is the maximum length of a name that is shown, in bytes.
	maxName = 128
)

// Options are the settings of a sign-in.
type Options struct {
	// Address is where browsers reach the bridge, such as https://askbridge.example.com.
	Address string
	// Issuer, ClientID and ClientSecret are the provider, and what this bridge is to it. The secret is empty for
	// a public client.
	Issuer, ClientID string
	ClientSecret     string `json:"-"`
	// Scopes are requested in addition to openid, profile and email.
	Scopes []string
	// Tenant is whose requests people see without the role admin.
	Tenant string
	// Roles say who may do what.
	Roles Roles
	// Session is how long a sign-in is valid; zero means [DefaultSession].
	Session time.Duration
	// Client makes the calls to the provider; nil means one with a limit of time.
	Client *http.Client `json:"-"`
}

// Roles map the values of a claim to roles. A person has every role that lists one of their values.
type Roles struct {
	// Claim is the name of a claim whose value is a text or a list of texts, such as groups; dots lead into
	// objects, as in realm_access.roles. Empty means [DefaultClaim].
	Claim string
	// Read lets people see requests, Act also withdraw and answer them, Admin see every tenant and manage tokens.
	Read, Act, Admin []string
}

// RefusedError is the reason why a sign-in failed, in words for the person.
type RefusedError struct {
	Reason string
	// Person is set if the provider has authenticated someone who has no role.
	Person *access.Person
	// Err is the cause for the log; it may be nil.
	Err error
}

func (e *RefusedError) Error() string {
	if e.Err != nil {
		return "signin: " + e.Reason + ": " + e.Err.Error()
	}
	return "signin: " + e.Reason
}

// Refused returns the reason, and the person if the provider has authenticated someone who has no role.
func (e *RefusedError) Refused() (reason string, who *access.Person) { return e.Reason, e.Person }

func (e *RefusedError) Unwrap() error { return e.Err }

// Service signs people in. Create one with [New].
type Service struct {
	o      Options
	values keyvalue.Store
	http   *http.Client

	flow, session cookie
	aead          atomic.Pointer[cipher.AEAD]

	mu     sync.Mutex
	found  *provider
	failed time.Time // When the discovery document could not be read.
}

// New returns a sign-in that keeps its key, used states and ended sessions in a store. It makes no call.
func New(o Options, values keyvalue.Store) (*Service, error) {
	o.Address = strings.TrimSuffix(o.Address, "/")
	o.Session = cmp.Or(o.Session, DefaultSession)
	o.Roles.Claim = cmp.Or(o.Roles.Claim, DefaultClaim)
	at, err := url.Parse(o.Address)
	if err != nil {
		return nil, fmt.Errorf("signin: address: %w", err)
	}
	// A change of the settings ends every session, except for a new secret of the same client.
	settings, err := json.Marshal(o)
	if err != nil {
		return nil, fmt.Errorf("signin: %w", err)
	}
	calls := http.Client{}
	if o.Client != nil {
		calls = *o.Client
	}
	calls.Timeout = callTime
	if calls.Transport == nil {
		calls.Transport = http.DefaultTransport
	}
	calls.Transport = bounded{calls.Transport}
	secure := at.Scheme == "https"
	return &Service{
		o: o, values: values, http: &calls,
		flow:    newCookie("askbridge-sign-in", string(settings), secure),
		session: newCookie("askbridge-session", string(settings), secure),
	}, nil
}

// flow is a sign-in in progress.
type flow struct {
	State    string    `json:"state"`
	Nonce    string    `json:"nonce"`
	Verifier string    `json:"verifier"`
	Until    time.Time `json:"until"`
}

// session is what a session cookie holds.
type session struct {
	ID      string    `json:"id"`
	Subject string    `json:"sub"`
	Name    string    `json:"name"`
	Roles   []string  `json:"roles"`
	Until   time.Time `json:"until"`
}

// Begin starts a sign-in. It returns the address of the provider to which the browser goes, and a cookie for it.
func (s *Service) Begin(ctx context.Context) (to string, set *http.Cookie, err error) {
	key, err := s.key(ctx)
	if err != nil {
		return "", nil, err
	}
	p, err := s.provider(ctx)
	if err != nil {
		return "", nil, err
	}
	f := flow{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(), Until: time.Now().Add(flowTime)}
	if set, err = s.flow.seal(key, f, flowTime); err != nil {
		return "", nil, err
	}
	return p.authorize(f), set, nil
}

// Finish completes a sign-in with the call by which the provider returned the browser, and returns the person and
// the cookies to set. The error is a [*RefusedError] if the person cannot sign in like this; its cookies are
// valid, too.
func (s *Service) Finish(r *http.Request) (who *access.Person, set []*http.Cookie, err error) {
	ctx := r.Context()
	set = []*http.Cookie{s.flow.gone()}
	key, err := s.key(ctx)
	if err != nil {
		return nil, nil, err
	}
	var f flow
	answer := r.URL.Query()
	if !s.flow.open(key, r, &f) || time.Now().After(f.Until) || len(answer["state"]) != 1 ||
		subtle.ConstantTimeCompare([]byte(f.State), []byte(answer.Get("state"))) != 1 {
		return nil, set, &RefusedError{Reason: "This sign-in has expired, or it was started in another tab or browser."}
	}
	first, err := s.use(ctx, "state", f.State, flowTime)
	if err != nil {
		return nil, set, err
	}
	if !first {
		return nil, set, &RefusedError{Reason: "This sign-in was used already."}
	}
	p, err := s.provider(ctx)
	if err != nil {
		return nil, set, err
	}
	c, err := p.complete(ctx, f, answer)
	if err != nil {
		return nil, set, err
	}
	made := session{ID: rand.Text(), Subject: c.subject, Name: c.name, Roles: s.rolesOf(c.groups), Until: time.Now().Add(s.o.Session)}
	who = s.person(&made)
	if len(made.Roles) == 0 {
		return nil, set, &RefusedError{Reason: "You are " + who.Name + ", and have no role here. Ask the operator of askbridge for one.", Person: who}
	}
	var before session
	if s.session.open(key, r, &before) {
		if err := s.end(ctx, &before); err != nil {
			return nil, set, err
		}
	}
	kept, err := s.session.seal(key, made, s.o.Session)
	if err != nil {
		return nil, set, err
	}
	return who, append(set, kept), nil
}

// Session returns the person whose session a call has. It returns nil without a session, and a [*RefusedError] if
// the session is over.
func (s *Service) Session(r *http.Request) (*access.Person, error) {
	if _, ok := s.session.sent(r); !ok {
		return nil, nil //nolint:nilnil // No session is no mistake.
	}
	key, err := s.key(r.Context())
	if err != nil {
		return nil, err
	}
	var kept session
	if !s.session.open(key, r, &kept) || time.Now().After(kept.Until) {
		return nil, &RefusedError{Reason: "your session is over; sign in again"}
	}
	ended, err := s.used(r.Context(), "ended", kept.ID)
	if err != nil {
		return nil, err
	}
	if ended {
		return nil, &RefusedError{Reason: "you have signed out; sign in again"}
	}
	return s.person(&kept), nil
}

// End ends the session of a call on every replica, and returns whose it was, nil for none, and the cookie to set.
func (s *Service) End(r *http.Request) (*access.Person, *http.Cookie, error) {
	key, err := s.key(r.Context())
	if err != nil {
		return nil, nil, err
	}
	var kept session
	if !s.session.open(key, r, &kept) {
		return nil, s.session.gone(), nil
	}
	return s.person(&kept), s.session.gone(), s.end(r.Context(), &kept)
}

func (s *Service) end(ctx context.Context, kept *session) error {
	_, err := s.use(ctx, "ended", kept.ID, time.Until(kept.Until))
	return err
}

// rolesOf returns the roles of a person with the values of the claim.
func (s *Service) rolesOf(groups []string) (roles []string) {
	for _, role := range []struct {
		name string
		of   []string
	}{{"read", s.o.Roles.Read}, {"act", s.o.Roles.Act}, {"admin", s.o.Roles.Admin}} {
		if slices.ContainsFunc(groups, func(g string) bool { return slices.Contains(role.of, g) }) {
			roles = append(roles, role.name)
		}
	}
	return roles
}

// scopes are what each role allows.
var scopes = map[string][]access.Scope{
	"read":  {access.Read},
	"act":   {access.Read, access.Cancel, access.Answer},
	"admin": {access.Admin, access.ManageTokens},
}

// person returns the person of a session.
func (s *Service) person(kept *session) *access.Person {
	p := &access.Person{ID: s.o.Issuer + "#" + kept.Subject, Name: kept.Name, Tenant: s.o.Tenant, Until: kept.Until}
	for _, role := range kept.Roles {
		for _, scope := range scopes[role] {
			if !slices.Contains(p.Scopes, scope) {
				p.Scopes = append(p.Scopes, scope)
			}
		}
	}
	return p
}
