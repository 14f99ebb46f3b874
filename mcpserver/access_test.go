package mcpserver

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

func TestMCPOpenRequestQuota(t *testing.T) {
	t.Parallel()
	own := []any{meta{"platform": "slack", "channel": "C0000001"}}
	foreign := []any{meta{"platform": "slack", "channel": "C0000009"}}
	for name, test := range map[string]struct {
		who     access.Agent
		to      []any
		allowed int
		state   state
		want    string
	}{
		"requests per minute": {access.Agent{Rate: 2}, own, 2, unavailable, "this token may hand in 2 requests per minute"},
		"open requests":       {access.Agent{MaxOpen: 3}, own, 3, unavailable, "3 requests of this token are open, which is all it may have"},
		"other places":        {access.Agent{Targets: []string{"slack:C0000001"}}, foreign, 0, refused, "\n- to[0]: slack:C0000009 is not one of this token's places"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, &Options{ModelMaySet: []string{"to", "route"}, Budget: time.Second}, func(t *testing.T, w *fixture) {
				test.who.Name = "bot"
				a := w.webAs(w.caller(test.who))
				args := database()
				args["to"] = test.to
				for range test.allowed {
					if got := a.call(askName, nil, args); got.State != pending {
						t.Fatalf("before the limit: %+v", got)
					}
				}
				got := a.call(askName, nil, args)
				if got.State != test.state || !got.isError || !strings.Contains(got.text, test.want) {
					t.Errorf("behind the limit: %+v", got)
				}
				if n := len(w.slack.Standing()); n != test.allowed {
					t.Errorf("%d cards stand, want %d", n, test.allowed)
				}
			})
		})
	}
}

func TestMCPWaitLimit(t *testing.T) {
	bubble(t, nil, func(t *testing.T, w *fixture) {
		a := w.webAs(w.caller(access.Agent{Name: "bot", MaxWaits: 2}))
		var waiting []<-chan toolReply
		for n := range 2 {
			waiting = append(waiting, a.start(t.Context(), askName, patient(under(fmt.Sprint("toolu_", n))), database()))
		}
		later(time.Second)
		began := time.Now()
		third := a.call(askName, patient(under("toolu_2")), database())
		if third.State != pending || time.Since(began) != 0 || !strings.Contains(third.text, "this token may have 2 calls wait at a time, and they do: leave it 5 seconds") {
			t.Errorf("after %s: %+v", time.Since(began), third)
		}
		if got := a.call(waitName, nil, meta{"id": third.ID}); got.State != pending || time.Since(began) != 0 {
			t.Errorf("after %s: %+v", time.Since(began), got)
		}
		w.press(third.ID, 0, 1)
		if got := a.call(waitName, nil, meta{"id": third.ID}); got.State != answered {
			t.Errorf("an answer that is there: %+v", got)
		}
		left, err := w.bridge.List(t.Context(), bridge.Query{All: true})
		if err != nil || len(left) != 2 {
			t.Fatalf("%d requests are open, %v", len(left), err)
		}
		for _, r := range left {
			w.press(r.ID, 0, 0)
		}
		for _, one := range waiting {
			if got := <-one; got.State != answered {
				t.Errorf("%+v", got)
			}
		}
	})
}

func TestMCPRateLimit(t *testing.T) {
	bubble(t, &Options{Budget: time.Millisecond}, func(t *testing.T, w *fixture) {
		a := w.webAs(w.caller(access.Agent{Name: "bot", Calls: 30}))
		id := a.call(askName, nil, database()).ID
		var refused int
		for range 60 {
			resp, err := a.post(t.Context(), fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait_for_answer","arguments":{"id":%q}}}`, id))
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			if resp.StatusCode == http.StatusTooManyRequests {
				refused++
			}
		}
		if refused < 30 {
			t.Errorf("%d of 60 calls were refused", refused)
		}
	})
}

func TestBatchCountsEachCall(t *testing.T) {
	bubble(t, &Options{Budget: time.Second}, func(t *testing.T, w *fixture) {
		a := w.webAs(w.caller(access.Agent{Name: "bot", Calls: 30}))
		later(time.Minute)
		all := make([]string, maxBatch)
		for n := range all {
			all[n] = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"ask_user","arguments":{"question":"Go?"}}}`, n+1)
		}
		batch := "[" + strings.Join(all, ",") + "]"
		var statuses []int
		for range 2 {
			resp, err := a.post(t.Context(), batch)
			if err != nil {
				t.Fatal(err)
			}
			text, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			if statuses = append(statuses, resp.StatusCode); resp.StatusCode == http.StatusTooManyRequests {
				if resp.Header.Get("Retry-After") == "" || !strings.Contains(string(text), "this token may make 30 calls per minute") {
					t.Errorf("refused with %v %s", resp.Header, text)
				}
			}
		}
		if fmt.Sprint(statuses) != "[200 429]" {
			t.Errorf("two batches of %d calls: %v", maxBatch, statuses)
		}
	})
}

func TestAskOnlyTokenCannotList(t *testing.T) {
	bubble(t, nil, func(t *testing.T, w *fixture) {
		a := w.webAs(w.caller(access.Agent{Name: "bot", Scopes: []access.Scope{access.Ask}}))
		result := a.start(t.Context(), askName, patient(nil), database())
		id := w.open().ID
		if got := a.call(waitName, nil, meta{"id": id}); got.State != refused || !strings.Contains(got.text, `this token lacks the scope "read"`) {
			t.Errorf("a look: %+v", got)
		}
		w.press(id, 0, 0)
		if got := <-result; got.State != answered || got.Answers[0].Selected[0] != "Postgres" {
			t.Errorf("%+v", got)
		}
	})
}

func TestNoLimitsWithoutToken(t *testing.T) {
	bubble(t, &Options{Budget: time.Millisecond}, func(t *testing.T, w *fixture) {
		gate, err := access.New(w.bridge, &access.Options{AllowAnonymous: true})
		if err != nil {
			t.Fatal(err)
		}
		a := w.webAs(gate.Anonymous())
		for range 100 {
			if got := a.call(askName, nil, database()); got.State != pending {
				t.Fatalf("%+v", got)
			}
		}
		r, err := w.bridge.Load(t.Context(), a.call(askName, nil, database()).ID)
		if err != nil || r.Tenant != "" || r.Outcome.State != ask.Open {
			t.Errorf("%+v, %v", r, err)
		}
	})
}

// An agent whose token was revoked during its wait was advised to repeat the call. If only the token's permissions
// have changed, the question stays open, and a repeated call could ask a second time.
func TestTokenChangeDuringMCPWait(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		next  access.Agent
		state state
		want  string
	}{
		"it has ended":        {access.Agent{Name: "bot", Token: "t2"}, refused, "The bridge refuses this: this token was removed from the configuration"},
		"it has lost a scope": {access.Agent{Name: "bot", Token: "t1", Scopes: []access.Scope{access.Ask, access.Read}}, pending, "do not ask the same again"},
	} {
		t.Run(name, func(t *testing.T) { changing(t, tt.next, tt.state, tt.want) })
	}
}

// changing has an agent wait while a reload changes its token and a person answers.
func changing(t *testing.T, next access.Agent, want state, text string) {
	t.Helper()
	bubble(t, nil, func(t *testing.T, w *fixture) {
		first := access.Agent{Name: "bot", Token: "t1"}
		gate := func(agents ...access.Agent) *access.Gate {
			g, err := access.New(w.bridge, &access.Options{Agents: agents, DefaultRoute: "deploys"})
			if err != nil {
				t.Fatal(err)
			}
			return g
		}
		old := gate(first)
		who, err := old.Identify(t.Context(), "t1", "")
		if err != nil {
			t.Fatal(err)
		}
		a := w.webAs(who)
		waiting := a.start(t.Context(), askName, patient(under("toolu_1")), database())
		synctest.Wait()
		gate(next).Inherit(old)
		w.press(w.open().ID, 0, 0)
		got := <-waiting
		if got.State != want || got.isError != (want == refused) || strings.Contains(got.text, "Postgres") || strings.Contains(got.text, "Nobody was asked") ||
			!strings.Contains(got.text, text) {
			t.Errorf("%+v", got)
		}
	})
}

// unheard is a store whose notifications are lost.
type unheard struct{ bridge.Store }

func (unheard) Watch(ctx context.Context, _ func(bridge.Notification)) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestRevokedTokenGetsNoAnswer(t *testing.T) {
	bubble(t, &Options{Budget: 10 * time.Millisecond}, func(t *testing.T, w *fixture) {
		deaf, err := bridge.New(unheard{w.store}, []platform.Platform{bridgetest.NewScript("slack", render.Limits{})}, &bridge.Options{
			Routes: map[string]bridge.Route{"deploys": {To: []ask.Place{{Platform: "slack", Channel: "C0000002"}}}}, DefaultRoute: "deploys",
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, end := context.WithCancel(t.Context())
		w.stopping = append(w.stopping, end)
		w.all.Go(func() {
			if err := deaf.Run(ctx); err != nil {
				t.Error(err)
			}
		})
		gate, err := access.New(deaf, &access.Options{Store: w.store.KeyValue(), DefaultRoute: "deploys"})
		if err != nil {
			t.Fatal(err)
		}
		secret, _, err := gate.Tokens().Create(t.Context(), access.Agent{Name: "bot"}, access.TokenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		who, err := gate.Identify(t.Context(), secret, "")
		if err != nil {
			t.Fatal(err)
		}
		waiting := w.webAs(who).start(t.Context(), askName, nil, database())
		synctest.Wait()
		if _, err := gate.Tokens().Revoke(t.Context(), "bot"); err != nil {
			t.Fatal(err)
		}
		open, err := w.bridge.List(t.Context(), bridge.Query{All: true})
		if err != nil || len(open) != 1 {
			t.Fatalf("%d requests are open, %v", len(open), err)
		}
		choice := ask.Action{Kind: ask.SubmitAll, Question: -1, Option: -1, Picks: map[int][]int{0: {1}}}
		if _, err := w.bridge.Answer(t.Context(), open[0].ID, bridge.Operator{Name: "dana"}, "key", choice); err != nil {
			t.Fatal(err)
		}
		if got := <-waiting; got.State != refused || !strings.Contains(got.text, "revoked") {
			t.Errorf("with a revoked token: %s: %s", got.State, got.text)
		}
	})
}
