package signin

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/store/memory"
)

func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		end  func(d *desk)
		want string
	}{
		"in time": {func(d *desk) { d.waits(8*time.Hour + time.Second) }, "your session is over"},
		"changed roles": {func(d *desk) {
			o := d.options()
			o.Roles.Act = nil
			d.service = d.replica(o)
		}, "your session is over"},
		"another client": {func(d *desk) {
			o := d.options()
			o.ClientID = "another"
			d.service = d.replica(o)
		}, "your session is over"},
		"changed cookie": {func(d *desk) {
			c := d.jar["__Host-askbridge-session"]
			c.Value = strings.ToUpper(c.Value)
		}, "your session is over"},
		"flow as session": {func(d *desk) {
			_, c, err := d.service.Begin(d.t.Context())
			if err != nil {
				d.t.Fatal(err)
			}
			d.jar["__Host-askbridge-session"].Value = c.Value
		}, "your session is over"},
		"signed out": {func(d *desk) {
			who, set, err := d.service.End(d.call(address))
			if err != nil || who == nil || set.MaxAge >= 0 {
				d.t.Errorf("signed out %v with %v: %v", who, set, err)
			}
			d.service = d.replica(d.options()) // A copy of the cookie at another replica.
		}, "you have signed out"},
		"signed in anew": {func(d *desk) {
			before := d.jar["__Host-askbridge-session"]
			d.signIn()
			d.keep(before)
		}, "you have signed out"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, d *desk) {
				d.signIn()
				test.end(d)
				who, err := d.service.Session(d.call(address + "/v1/token"))
				if refused, ok := errors.AsType[*RefusedError](err); !ok || who != nil || !strings.Contains(refused.Reason, test.want) {
					t.Errorf("the session is that of %v, error %v", who, err)
				}
			})
		})
	}
}

func TestTossedCookieIsNoSession(t *testing.T) {
	inBubble(t, func(t *testing.T, d *desk) {
		d.signIn()
		r := d.call(address + "/v1/token")
		r.AddCookie(&http.Cookie{Name: "__Host-askbridge-session", Value: "tossed"})
		if who, err := d.service.Session(r); who != nil || err != nil {
			t.Errorf("two cookies of one name are a session of %v, error %v", who, err)
		}
	})
}

func TestReplicasShareOneKey(t *testing.T) {
	inBubble(t, func(t *testing.T, d *desk) {
		ends := make(chan *http.Cookie)
		for range 8 {
			s := d.replica(d.options())
			go func() {
				key, err := s.key(context.Background())
				if err != nil {
					t.Error(err)
				}
				c, err := s.session.seal(key, session{ID: "x", Subject: "1", Roles: []string{"read"}, Until: time.Now().Add(time.Hour)}, time.Hour)
				if err != nil {
					t.Error(err)
				}
				ends <- c
			}()
		}
		for range 8 {
			d.keep(<-ends)
			if who, err := d.service.Session(d.call(address)); who == nil || err != nil {
				t.Errorf("the session of another replica is %v, error %v", who, err)
			}
		}
	})
}

// FuzzCookie sends cookies that strangers make up.
func FuzzCookie(f *testing.F) {
	st := memory.New()
	f.Cleanup(func() { st.Close() })
	s, err := New(Options{Address: address, Issuer: issuer, ClientID: "askbridge"}, st.KeyValue())
	if err != nil {
		f.Fatal(err)
	}
	f.Add("")
	f.Add("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
	f.Fuzz(func(t *testing.T, value string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		r.Header.Set("Cookie", "__Host-askbridge-session="+value)
		if who, _ := s.Session(r); who != nil {
			t.Errorf("a session from nowhere: %v", who)
		}
	})
}
