package askbridgetest_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/askbridgetest"
	"github.com/askbridge/askbridge/chatsim"
)

// The reason was in English on cards of every language.
func TestTiedVoteInCardLanguage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := askbridgetest.Start(t, nil)
		r := inGerman()
		r.Voting, r.ExpiresIn = ask.Voting{Mode: ask.Poll}, time.Hour
		if _, err := w.Client.Submit(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		dana, sam := w.Slack.Seat("U0000001"), w.Slack.Seat("U0000002")
		if err := dana.Press(t.Context(), "Deploy"); err != nil {
			t.Fatal(err)
		}
		if err := sam.Press(t.Context(), "Wait"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour + time.Minute)
		synctest.Wait()
		for _, who := range []chatsim.Seat{dana, w.Discord.Seat("300000000000000001")} {
			if sees := who.Sees(); !strings.Contains(sees, "Grund: Gleichstand") || strings.Contains(sees, "tie") {
				t.Errorf("Dana sees\n%s", sees)
			}
		}
	})
}

// The card showed "Reason: replaced by a newer request" above "Replaced by a newer question".
func TestSupersededCardShowsReasonOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := askbridgetest.Start(t, nil)
		first, err := w.Client.Submit(t.Context(), ask.Request{Session: "s", Questions: database})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Client.Submit(t.Context(), ask.Request{Session: "s", Questions: database, Supersedes: first.ID}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		for _, who := range []chatsim.Seat{w.Slack.Seat("U0000001"), w.Discord.Seat("300000000000000001")} {
			if sees := who.Sees(); !strings.Contains(sees, "Replaced by a newer question") || strings.Contains(sees, "Reason") {
				t.Errorf("Dana sees\n%s", sees)
			}
		}
	})
}
