package page_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim"
)

// Every fault that a button of the page injects happens once, on its platform, and the agent still gets the one
// answer.
func TestPageFaults(t *testing.T) {
	t.Parallel()
	for _, platform := range []string{"slack", "discord"} {
		for _, fault := range faultButtons(t) {
			t.Run(fault+" on "+platform, func(t *testing.T) {
				t.Parallel()
				w := newTownOf(t, 10*time.Second)
				sim, dana := chatsim.Sim(w.Slack), chatsim.Seat(w.Slack.Seat("U0000001"))
				if platform == "discord" {
					sim, dana = w.World.Discord, w.World.Discord.Seat(danaOnDiscord)
				}
				w.posts("/api/faults", `{"platform":"`+platform+`","fault":"`+fault+`"}`)
				made := w.asks(ask.Request{Questions: oneQuestion})
				w.must(dana.Await(t.Context(), func(sees string) bool { return strings.Contains(sees, "[Postgres]") }))
				err := dana.Press(t.Context(), "Postgres")
				if errors.Is(err, chatsim.ErrUnacknowledged) && fault == "drop" {
					err = dana.Press(t.Context(), "Postgres")
				}
				if errors.Is(err, chatsim.ErrUnacknowledged) && fault == "deaf" {
					err = nil // The app received it, but Dana cannot know.
				}
				w.must(err)
				if got := w.got(made); !strings.HasSuffix(got, "\nPostgres") || !strings.HasPrefix(got, platform+":") {
					t.Errorf("the agent got %q", got)
				}
				if faulted := sim.Timeline().Events(chatsim.Faulted); len(faulted) != 1 {
					t.Errorf("what went wrong is %v", faulted)
				}
			})
		}
	}
}

// posts calls the page's own API.
func (w *town) posts(path, body string) {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.url+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		w.t.Fatalf("%s: %s", path, resp.Status)
	}
}

// faultButtons are the faults that the page has a button for.
func faultButtons(t *testing.T) []string {
	t.Helper()
	w := newTown(t)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.url+"/api/faults", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var list struct {
		Faults []struct {
			Name   string
			Button bool
		}
	}
	if err := json.NewDecoder(resp.Body).Decode(&list); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range list.Faults {
		if f.Button {
			names = append(names, f.Name)
		}
	}
	if len(names) < 7 {
		t.Fatalf("the page has the buttons %v", names)
	}
	return names
}
