package signin

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/store/keyvalue"
	"github.com/askbridge/askbridge/store/memory"
	"github.com/askbridge/askbridge/test/idp"
)

const (
	issuer  = "https://login.example.com"
	address = "https://ask.example.com"
)

// direct makes calls to the provider without a network.
type direct struct{ to http.Handler }

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	d.to.ServeHTTP(w, r)
	return w.Result(), nil
}

// desk is a sign-in with its provider and one browser.
type desk struct {
	t       *testing.T
	idp     *idp.Provider
	service *Service
	values  keyvalue.Store
	jar     map[string]*http.Cookie
}

func (d *desk) options() Options {
	return Options{
		Address: address, Issuer: d.idp.Issuer, ClientID: d.idp.ClientID, ClientSecret: d.idp.ClientSecret, Tenant: "team",
		Roles:  Roles{Read: []string{"staff"}, Act: []string{"release"}, Admin: []string{"platform"}},
		Client: &http.Client{Transport: direct{d.idp}},
	}
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	st := memory.New()
	t.Cleanup(func() { st.Close() })
	d := &desk{t: t, idp: idp.New(issuer, address+Callback), values: st.KeyValue(), jar: map[string]*http.Cookie{}}
	d.idp.SignsIn(map[string]any{"sub": "248289761001", "email": "ada@example.com", "groups": []string{"staff", "release"}}, nil)
	d.service = d.replica(d.options())
	return d
}

func (d *desk) replica(o Options) *Service {
	d.t.Helper()
	s, err := New(o, d.values)
	if err != nil {
		d.t.Fatal(err)
	}
	return s
}

func (d *desk) keep(set ...*http.Cookie) {
	for _, c := range set {
		if c == nil {
			continue
		}
		if c.MaxAge < 0 {
			delete(d.jar, c.Name)
			continue
		}
		d.jar[c.Name] = c
	}
}

// call returns a call of the browser, with its cookies.
func (d *desk) call(to string) *http.Request {
	r := httptest.NewRequestWithContext(d.t.Context(), http.MethodGet, to, nil)
	for _, c := range d.jar {
		r.AddCookie(&http.Cookie{Name: c.Name, Value: c.Value})
	}
	return r
}

// begin goes to the provider and returns the address with which it sends the browser back.
func (d *desk) begin() string {
	d.t.Helper()
	to, set, err := d.service.Begin(d.t.Context())
	if err != nil {
		d.t.Fatal(err)
	}
	d.keep(set)
	return d.approve(to)
}

func (d *desk) approve(to string) string {
	d.t.Helper()
	w := httptest.NewRecorder()
	d.idp.ServeHTTP(w, httptest.NewRequestWithContext(d.t.Context(), http.MethodPost, to, nil))
	back := w.Header().Get("Location")
	if back == "" {
		d.t.Fatalf("the provider refuses %s: %s", to, w.Body)
	}
	return back
}

func (d *desk) finish(back string) (*access.Person, error) {
	who, set, err := d.service.Finish(d.call(back))
	d.keep(set...)
	return who, err
}

func (d *desk) signIn() *access.Person {
	d.t.Helper()
	who, err := d.finish(d.begin())
	if err != nil {
		d.t.Fatal(err)
	}
	return who
}

// wantRefused checks for an error that is shown to the person, and that no session began.
func (d *desk) wantRefused(err error, cause string) {
	d.t.Helper()
	var refused *RefusedError
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), cause) {
		d.t.Errorf("the error is %v, want a refusal because of %q", err, cause)
	}
	if who, err := d.service.Session(d.call(address + "/v1/token")); who != nil || err != nil {
		d.t.Errorf("there is a session of %v, error %v", who, err)
	}
}

// inBubble runs a test at a desk in fake time.
func inBubble(t *testing.T, f func(t *testing.T, d *desk)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { f(t, newDesk(t)) })
}

// waits lets fake time pass.
func (d *desk) waits(long time.Duration) { time.Sleep(long) }

func TestSignInEndsWithASession(t *testing.T) {
	inBubble(t, func(t *testing.T, d *desk) {
		want := &access.Person{
			ID: issuer + "#248289761001", Name: "ada@example.com", Tenant: "team",
			Scopes: []access.Scope{access.Read, access.Cancel, access.Answer}, Until: time.Now().Add(8 * time.Hour),
		}
		if diff := cmp.Diff(want, d.signIn()); diff != "" {
			t.Error(diff)
		}
		who, err := d.replica(d.options()).Session(d.call(address + "/v1/token"))
		if diff := cmp.Diff(want, who); err != nil || diff != "" {
			t.Errorf("another replica: %v %s", err, diff)
		}
		if problems := d.idp.Problems(); len(problems) > 0 {
			t.Errorf("the provider refused: %q", problems)
		}
		if len(d.jar) != 1 {
			t.Errorf("the browser keeps %v", d.jar)
		}
	})
}

func TestCookiesAreBoundToTheHost(t *testing.T) {
	inBubble(t, func(t *testing.T, d *desk) {
		_, begun, err := d.service.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		d.signIn()
		for _, c := range []*http.Cookie{begun, d.jar["__Host-askbridge-session"]} {
			if c == nil || !strings.HasPrefix(c.Name, "__Host-") || !c.HttpOnly || !c.Secure || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" || c.MaxAge <= 0 {
				t.Errorf("the cookie is %v", c)
			}
			if c != nil && (len(c.String()) > 4096 || strings.Contains(c.Value, "ada")) {
				t.Errorf("the cookie has %d bytes: %v", len(c.String()), c)
			}
		}
		local := d.options()
		local.Address = "http://127.0.0.1:8080"
		_, c, err := d.replica(local).Begin(t.Context())
		if err != nil || c.Secure || c.Name != "askbridge-sign-in" || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode {
			t.Errorf("on this machine the cookie is %v, error %v", c, err)
		}
	})
}

func TestHostileTokens(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		spoil func(*idp.Token)
		cause string
	}{
		"wrong nonce":      {func(k *idp.Token) { k.Claims["nonce"] = "another" }, "nonce"},
		"no nonce":         {func(k *idp.Token) { delete(k.Claims, "nonce") }, "nonce"},
		"wrong audience":   {func(k *idp.Token) { k.Claims["aud"] = "another client" }, "audience"},
		"other party":      {func(k *idp.Token) { k.Claims["aud"] = []string{"askbridge", "b"}; k.Claims["azp"] = "b" }, "another client"},
		"wrong issuer":     {func(k *idp.Token) { k.Claims["iss"] = "https://evil.example.com" }, "issued by a different provider"},
		"expired":          {func(k *idp.Token) { k.Claims["exp"] = time.Now().Add(-time.Second).Unix() }, "expired"},
		"not yet valid":    {func(k *idp.Token) { k.Claims["nbf"] = time.Now().Add(time.Hour).Unix() }, "not before"},
		"alg none":         {func(k *idp.Token) { k.Header["alg"] = "none"; k.Unsigned = true }, "malformed"},
		"alg HS256":        {func(k *idp.Token) { k.Header["alg"] = "HS256" }, "signature algorithm"},
		"no signature":     {func(k *idp.Token) { k.Unsigned = true }, "verify"},
		"foreign key":      {func(k *idp.Token) { k.Foreign = true }, "verify"},
		"unknown key":      {func(k *idp.Token) { k.Foreign = true; k.Header["kid"] = "unknown" }, "verify"},
		"other token":      {func(k *idp.Token) { k.AccessToken = "access-of-someone-else" }, "hash"},
		"no subject":       {func(k *idp.Token) { delete(k.Claims, "sub") }, "subject"},
		"long subject":     {func(k *idp.Token) { k.Claims["sub"] = strings.Repeat("s", 256) }, "subject"},
		"subject on lines": {func(k *idp.Token) { k.Claims["sub"] = "a\nb" }, "subject"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, d *desk) {
				d.idp.Spoil(test.spoil)
				_, err := d.finish(d.begin())
				d.wantRefused(err, test.cause)
				d.idp.Spoil(nil)
				d.signIn()
			})
		})
	}
}

func TestKeyRotation(t *testing.T) {
	inBubble(t, func(t *testing.T, d *desk) {
		d.signIn()
		for _, alg := range []string{"RS256", "ES256"} {
			d.idp.Rotate(alg)
			d.signIn()
		}
		if n := d.idp.Calls("/.well-known/openid-configuration"); n != 1 {
			t.Errorf("the discovery document was read %d times", n)
		}
	})
}

func TestHostileReturns(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(d *desk, q url.Values)
		cause  string
	}{
		"no cookie":         {func(d *desk, _ url.Values) { clear(d.jar) }, "another tab"},
		"wrong state":       {func(_ *desk, q url.Values) { q.Set("state", "another") }, "another tab"},
		"no state":          {func(_ *desk, q url.Values) { q.Del("state") }, "another tab"},
		"two states":        {func(_ *desk, q url.Values) { q.Add("state", "another") }, "another tab"},
		"another sign-in's": {func(d *desk, _ url.Values) { _, c, _ := d.service.Begin(d.t.Context()); d.keep(c) }, "another tab"},
		"too late":          {func(d *desk, _ url.Values) { d.waits(flowTime + time.Second) }, "expired"},
		"changed cookie": {func(d *desk, _ url.Values) {
			c := d.jar["__Host-askbridge-sign-in"]
			c.Value = c.Value[:len(c.Value)-2] + "AA"
		}, "another tab"},
		"session as flow": {func(d *desk, _ url.Values) {
			d.signIn()
			d.jar["__Host-askbridge-sign-in"] = &http.Cookie{Name: "__Host-askbridge-sign-in", Value: d.jar["__Host-askbridge-session"].Value}
			delete(d.jar, "__Host-askbridge-session")
		}, "another tab"},
		"another issuer":  {func(_ *desk, q url.Values) { q.Set("iss", "https://evil.example.com") }, "another issuer"},
		"denied":          {func(_ *desk, q url.Values) { q.Set("error", "access_denied"); q.Del("code") }, "access_denied"},
		"forged log line": {func(_ *desk, q url.Values) { q.Set("error", "x\nlevel=error") }, "error unknown"},
		"another code":    {func(_ *desk, q url.Values) { q.Set("code", "guessed") }, "invalid_grant"},
		"somebody's code": {func(d *desk, q url.Values) {
			other := newDesk(d.t)
			other.idp, other.service = d.idp, d.replica(d.options())
			back, err := url.Parse(other.begin())
			if err != nil {
				d.t.Fatal(err)
			}
			q.Set("code", back.Query().Get("code")) // The victim's browser has another verifier.
		}, "invalid_grant"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, d *desk) {
				back, err := url.Parse(d.begin())
				if err != nil {
					t.Fatal(err)
				}
				q := back.Query()
				test.change(d, q)
				back.RawQuery = q.Encode()
				_, err = d.finish(back.String())
				d.wantRefused(err, test.cause)
			})
		})
	}
}

func TestCallbackCountsOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, d *desk) {
		back := d.begin()
		stolen := d.jar["__Host-askbridge-sign-in"]
		if _, err := d.finish(back); err != nil {
			t.Fatal(err)
		}
		clear(d.jar)
		d.keep(stolen)
		d.service = d.replica(d.options())
		_, err := d.finish(back)
		d.wantRefused(err, "used already")
		if n := d.idp.Calls("/token"); n != 1 {
			t.Errorf("the provider was asked %d times", n)
		}
	})
}

func TestSignInNeedsARole(t *testing.T) {
	t.Parallel()
	for name, groups := range map[string]any{"none": nil, "others": []string{"sales"}, "number": 7, "object": map[string]any{"staff": true}, "part": "staff2", "case": "Staff"} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, d *desk) {
				d.idp.SignsIn(map[string]any{"sub": "7", "email": "eve@example.com", "groups": groups}, nil)
				_, err := d.finish(d.begin())
				d.wantRefused(err, "You are eve@example.com")
				if refused, ok := errors.AsType[*RefusedError](err); !ok || refused.Person == nil || refused.Person.ID != issuer+"#7" {
					t.Errorf("the error does not name the person: %v", err)
				}
			})
		})
	}
}

func TestRolesFromClaims(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		claim        string
		claims, info map[string]any
		want         []access.Scope
	}{
		"text":       {"groups", map[string]any{"groups": "staff"}, nil, []access.Scope{access.Read}},
		"admin":      {"groups", map[string]any{"groups": []any{"platform", 7}}, nil, []access.Scope{access.Admin, access.ManageTokens}},
		"all":        {"groups", map[string]any{"groups": []string{"platform", "release", "staff"}}, nil, []access.Scope{access.Read, access.Cancel, access.Answer, access.Admin, access.ManageTokens}},
		"path":       {"realm_access.roles", map[string]any{"realm_access": map[string]any{"roles": []string{"staff"}}}, nil, []access.Scope{access.Read}},
		"dotted":     {"https://example.com/groups", map[string]any{"https://example.com/groups": []string{"staff"}}, nil, []access.Scope{access.Read}},
		"user info":  {"groups", map[string]any{}, map[string]any{"groups": []string{"staff"}}, []access.Scope{access.Read}},
		"token wins": {"groups", map[string]any{"groups": []string{"staff"}}, map[string]any{"groups": []string{"platform"}}, []access.Scope{access.Read}},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, d *desk) {
				o := d.options()
				o.Roles.Claim = test.claim
				d.service = d.replica(o)
				test.claims["sub"] = "1"
				d.idp.SignsIn(test.claims, test.info)
				if got := d.signIn().Scopes; !slices.Equal(got, test.want) {
					t.Errorf("the scopes are %v, want %v", got, test.want)
				}
			})
		})
	}
}

func TestUserInfoOfAnotherPersonIsRefused(t *testing.T) {
	inBubble(t, func(t *testing.T, d *desk) {
		d.idp.SignsIn(map[string]any{"sub": "1"}, map[string]any{"sub": "2", "groups": []string{"platform"}})
		_, err := d.finish(d.begin())
		d.wantRefused(err, "another subject")
	})
}

// Some providers put the address of a person into the user info alone, and the console showed "248289761001".
func TestNameFromUserInfo(t *testing.T) {
	inBubble(t, func(t *testing.T, d *desk) {
		d.idp.SignsIn(map[string]any{"sub": "248289761001", "groups": "staff"}, map[string]any{"email": "ada@example.com"})
		if got := d.signIn().Name; got != "ada@example.com" {
			t.Errorf("the name is %q", got)
		}
	})
}

func TestNamesOfPeople(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		members map[string]any
		want    string
	}{
		"address":            {map[string]any{"email": "ada@example.com", "name": "Ada"}, "ada@example.com"},
		"unverified address": {map[string]any{"email": "root@example.com", "email_verified": false, "name": "Ada"}, "Ada"},
		"user name":          {map[string]any{"preferred_username": "ada", "name": "Ada"}, "ada"},
		"control characters": {map[string]any{"name": "A\u202ed\na\x00"}, "Ada"},
		"long":               {map[string]any{"name": strings.Repeat("é", 100)}, strings.Repeat("é", 64)},
		"nothing":            {map[string]any{"name": " "}, "the subject"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := nameOf(test.members, "the subject"); got != test.want {
				t.Errorf("the name is %q, want %q", got, test.want)
			}
		})
	}
}

func TestFailedProviderIsAskedAgain(t *testing.T) {
	inBubble(t, func(t *testing.T, d *desk) {
		o, broken := d.options(), http.NewServeMux()
		o.Client = &http.Client{Transport: direct{broken}}
		d.service = d.replica(o)
		for range 3 {
			if _, _, err := d.service.Begin(t.Context()); err == nil {
				t.Error("a sign-in began without the provider")
			}
		}
		broken.Handle("/", d.idp)
		if _, _, err := d.service.Begin(t.Context()); err == nil {
			t.Error("the provider was asked again at once")
		}
		d.waits(failurePause + time.Second)
		d.signIn()
	})
}
