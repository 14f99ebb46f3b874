package install

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/slack"
	"github.com/askbridge/askbridge/store/keyvalue"
)

// A refresh token that Slack refuses is noticed at the first refresh, two hours before the token dies.
func TestRefusedRefreshIsShown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		d.install()
		i, _ := d.Get(t.Context(), "T0000001")
		counted := func(want Counts) {
			t.Helper()
			if err := d.settle(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			if got := d.Counts(); got != want {
				t.Errorf("counts %+v, want %+v", got, want)
			}
		}
		counted(Counts{Working: 1})
		d.cloud.refresh = "another"
		time.Sleep(time.Until(i.Expires) - time.Hour)
		for range 3 {
			if got, err := d.Get(t.Context(), "T0000001"); err != nil || got != i {
				t.Fatalf("a token that works for another hour: %+v, %v", got, err)
			}
		}
		all, _ := List(t.Context(), d.values)
		if all[0].Stuck != "invalid_refresh_token" || all[0].Dead != "" || !all[0].Expires.Equal(i.Expires) {
			t.Errorf("listed %+v", all)
		}
		counted(Counts{Stuck: 1, Failed: 3})
		time.Sleep(2 * time.Hour)
		for range 3 {
			if got, err := d.Get(t.Context(), "T0000001"); err != nil || got != i {
				t.Fatalf("an expired token: %+v, %v", got, err)
			}
			if got, err := d.Refused(t.Context(), "T0000001", i.Token, "token_expired"); err != nil || got != i {
				t.Fatalf("a refused token: %+v, %v", got, err)
			}
		}
		if all, _ = List(t.Context(), d.values); all[0].Dead != "invalid_refresh_token" {
			t.Errorf("listed %+v", all)
		}
		counted(Counts{Dead: 1, Failed: 4})
		if n := strings.Count(d.log.String(), "install the app again"); n != 1 {
			t.Errorf("%d lines about it\n%s", n, d.log)
		}
		d.install()
		counted(Counts{Working: 1, Failed: 4})
	})
}

// Slack is away for an hour. That is no dead token.
func TestFailedRefreshIsRepeated(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		d.install()
		i, _ := d.Get(t.Context(), "T0000001")
		time.Sleep(time.Until(i.Expires) - time.Minute)
		up := d.client.Transport
		d.client.Transport = roundTrip(func(*http.Request) (*http.Response, error) { return nil, errors.New("canary") })
		if got, err := d.Get(t.Context(), "T0000001"); err != nil || got != i {
			t.Errorf("a token that works for another minute: %+v, %v", got, err)
		}
		time.Sleep(time.Hour)
		if _, err := d.Get(t.Context(), "T0000001"); err == nil || errors.Is(err, slack.ErrNotInstalled) || strings.Contains(err.Error(), "canary") {
			t.Errorf("an expired token: %v", err)
		}
		d.client.Transport = up
		time.Sleep(leaseTime)
		if got, err := d.Get(t.Context(), "T0000001"); err != nil || got.Token == i.Token {
			t.Errorf("Slack is back: %+v, %v", got, err)
		}
		if all, _ := List(t.Context(), d.values); all[0].Dead+all[0].Stuck != "" {
			t.Errorf("listed %+v", all)
		}
	})
}

// The store is away while a person installs. Nothing is half done, and the next attempt works.
func TestStoreIsAwayDuringInstallation(t *testing.T) {
	t.Parallel()
	for writes, want := range map[int]int{1: http.StatusServiceUnavailable, 2: http.StatusBadRequest} {
		d := newDesk(t)
		dying := &killed{Store: d.values, left: writes}
		away := d.replica(func() keyvalue.Store { return dying })
		b := d.begin()
		if w := b.back(away, d.approve(b)); w.Code != want || !strings.Contains(w.Body.String(), "in a minute") {
			t.Errorf("at write %d: status %d: %s", writes, w.Code, w.Body)
		}
		if _, err := d.Get(t.Context(), "T0000001"); !errors.Is(err, slack.ErrNotInstalled) {
			t.Errorf("at write %d: %v", writes, err)
		}
		d.install()
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
