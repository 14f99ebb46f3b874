package askbridgetest_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/askbridgetest"
	"github.com/askbridge/askbridge/chatsim"
)

// Questions to the agent and its replies make an open card longer.
func TestFullCardShowsAgentReply(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := askbridgetest.Start(t, nil)
		req := ask.Request{Questions: database, Responders: []string{"discord:300000000000000001"}, AskBack: ask.AskBackStay}
		for n := range ask.MaxLinks {
			req.Links = append(req.Links, ask.Link{Label: fmt.Sprint("Panel ", n+1), URL: "https://grafana.example.com/d/" + strings.Repeat("x", 470)})
		}
		r, err := w.Client.Submit(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		dana := w.Discord.Seat("300000000000000001")
		for n := range 3 {
			for _, step := range []func() error{
				func() error { return (chatsim.Hand{Seat: dana}).Rare(t.Context(), "Ask the agent…") },
				func() error {
					return dana.Fill(t.Context(), "Your question", fmt.Sprint(n, strings.Repeat(" is this safe", 30)))
				},
				func() error { return dana.Submit(t.Context()) },
			} {
				if err := step(); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
			}
			if _, err := w.Client.Reply(t.Context(), r.ID, n+1, strings.Repeat("yes it is ", 40)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Second) // Discord limits edits.
			if sees := dana.Sees(); !strings.Contains(sees, fmt.Sprint("asked: ", n, " is this")) || strings.Contains(sees, "no reply yet") {
				t.Errorf("after question %d Dana sees\n%s", n+1, sees)
			}
		}
		if err := dana.Press(t.Context(), "Postgres"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		got, err := w.Client.Get(t.Context(), r.ID)
		if sees := dana.Sees(); err != nil || got.State != ask.Answered || !strings.Contains(sees, "Answered by @Dana") {
			t.Errorf("it is %+v, %v, and Dana sees\n%s", got, err, sees)
		}
	})
}
