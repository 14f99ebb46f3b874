package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/app/audit"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/store/file"
	"github.com/askbridge/askbridge/store/memory"
	"github.com/askbridge/askbridge/store/redis"
	"github.com/askbridge/askbridge/test/redistest"
)

// typedText stores a request with a typed answer.
func typedText(t *testing.T, s bridge.Store, tenant, id, person, text string) {
	t.Helper()
	r := bridge.Record{
		ID: id, Tenant: tenant, Agent: "deploy-bot", Fingerprint: "f1", Policy: ask.PolicyOf(ask.Anyone), Outcome: ask.Outcome{State: ask.Open},
		Questions: []ask.Question{{Text: "Deploy 4.2?", Options: []ask.Option{{Label: "Deploy"}, {Label: "Stop"}}}},
		Copies:    []bridge.Copy{{Target: ask.Place{Platform: "slack", Channel: "C1"}, State: record.Posted, Ref: platform.MessageRef{Platform: "slack", Channel: "C1", Message: "m"}}},
	}
	begin := func(r *bridge.Record, now time.Time) error {
		r.Begin(time.Hour, now)
		return nil
	}
	act := record.Act{
		ID: "act-" + id, Order: 1, Message: platform.MessageRef{Platform: "slack", Channel: "C1", Message: "m"},
		By:     ask.Responder{Person: ask.Person{Platform: "slack", ID: person, Name: "Dana"}, Membership: ask.Member},
		Action: ask.Action{Kind: ask.Type, Question: 0, Option: -1, Texts: map[int]string{0: text}},
	}
	judge := func(r *bridge.Record, now time.Time) error {
		_, err := r.Judge(act, record.DraftMode{}, now)
		return err
	}
	if _, err := s.Create(t.Context(), r, record.Audited(begin, true)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Change(t.Context(), id, record.Audited(judge, true)); err != nil {
		t.Fatal(err)
	}
}

// TestErasePersonFromEveryStore erases each batch with a new eraser, as if the
// previous one had been killed.
func TestErasePersonFromEveryStore(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "askbridge.db")
	for name, open := range map[string]func(t *testing.T) (Store, error){
		"memory": func(*testing.T) (Store, error) { return memory.New(), nil },
		"file":   func(*testing.T) (Store, error) { return file.Open(path, nil) },
		"redis": func(t *testing.T) (Store, error) {
			return redis.Open(t.Context(), redis.Options{Addrs: []string{redistest.Start(t).Addr}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := open(t)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			private, public := audit.NewKey()
			key, err := audit.ParseKey(private)
			if err != nil {
				t.Fatal(err)
			}
			log := audit.NewLog(s.KeyValue(), key, 0)
			const requests = 120                     // More than one batch.
			long := strings.Repeat(" and more", 200) // The erased text is shorter, so some free pages stay free.
			for n := range requests {
				typedText(t, s, []string{"ops", "shop"}[n%2], fmt.Sprintf("p%03d", n), "U1", fmt.Sprintf("a text of Dana %03d", n)+long)
			}
			typedText(t, s, "shop", "q", "U2", "a text of Sam")
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			defer exporting(ctx, log, s)()
			trail := func() string {
				t.Helper()
				var out strings.Builder
				for cursor := ""; ; {
					p, err := log.Page(ctx, nil, cursor, true)
					if err != nil {
						t.Fatal(err)
					}
					out.Write(p.Trail)
					if cursor = p.Next; cursor == "" {
						return out.String()
					}
				}
			}
			until := func(what string, ok func(trail string) bool) {
				t.Helper()
				tick := time.NewTicker(10 * time.Millisecond)
				defer tick.Stop()
				for !ok(trail()) {
					select {
					case <-tick.C:
					case <-ctx.Done():
						t.Fatalf("still waiting: %s", what)
					}
				}
			}
			until("all lines in the trail", func(all string) bool { return strings.Count(all, `"said":["a text of `) == requests+1 })

			shares, sum, e := 0, client.Erased{}, client.Erase{Person: "slack:U1"}
			for more := true; more; more = e.Cursor != "" {
				x := &Eraser{store: s, trail: &Audit{log: log, key: public, close: func() error { return nil }}}
				n, err := x.EraseFor(ctx, e, "operator")
				if err != nil {
					t.Fatal(err)
				}
				if shares > 20 {
					t.Fatalf("erasure did not finish after %d batches", shares)
				}
				if n.Requests > 100 {
					t.Errorf("batch %d has %d requests", shares, n.Requests)
				}
				shares, sum.Requests, sum.Erased, sum.Lines = shares+1, sum.Requests+n.Requests, sum.Erased+n.Erased, sum.Lines+n.Lines
				e.Cursor = n.Next
			}
			if shares < 4 || sum.Requests != requests+1 || sum.Erased != requests || sum.Lines != requests {
				t.Errorf("%d batches: %+v", shares, sum)
			}
			until("the line of the erasure", func(all string) bool {
				erased := map[string]bool{}
				for line := range strings.Lines(all) {
					var l audit.Line
					if json.Unmarshal([]byte(line), &l) == nil && l.Kind == "erased" {
						erased[l.Tenant] = true
					}
				}
				return erased["ops"] && erased["shop"] && strings.Contains(all, `"kind":"request_erase"`) && strings.Contains(all, `"detail":"person=slack:U1"`)
			})
			left := trail()
			if strings.Contains(left, "a text of Dana") || !strings.Contains(left, "a text of Sam") {
				t.Error("trail contains an erased text, or lost another one")
			}
			if r, err := audit.Verify(strings.NewReader(left), public, nil); err != nil || len(r.Problems) > 0 {
				t.Errorf("chain is invalid: %q, %v", r.Problems, err)
			}
			for n := range requests {
				r, err := s.Load(ctx, fmt.Sprintf("p%03d", n))
				if err != nil || strings.Contains(fmt.Sprintf("%+v", r), "a text of Dana") {
					t.Fatalf("%s still has the text, or %v", r.ID, err)
				}
			}
			if name == "file" {
				if data, err := os.ReadFile(path); err != nil || strings.Contains(string(data), "a text of Dana") || !strings.Contains(string(data), "a text of Sam") {
					t.Errorf("store file contains an erased text, or lost another one: %v", err)
				}
			}
		})
	}
}

func TestInvalidErasureChangesNothing(t *testing.T) {
	t.Parallel()
	s := memory.New()
	x := &Eraser{store: s}
	typedText(t, s, "ops", "p1", "U1", "a text of Dana")
	behind := func(step string, e client.Erase) client.Erase {
		t.Helper()
		var err error
		if e.Cursor, err = (erasePlace{Of: wanted(e), Step: step}).cursor(); err != nil {
			t.Fatal(err)
		}
		return e
	}
	for _, c := range []struct {
		path string
		e    client.Erase
	}{
		{"person", client.Erase{}},
		// Without the platform no one was found, and Dana seemed to have written nothing.
		{"person", client.Erase{Person: "U1", DryRun: true}},
		{"person", client.Erase{Person: "slack-group:S1"}},
		{"cursor", behind("x", client.Erase{Person: "slack:U1"})},
		// There is no trail, and a dry run covers only the requests.
		{"cursor", behind(inTrail, client.Erase{Person: "slack:U1"})},
		{"cursor", behind(inFree, client.Erase{Person: "slack:U1", DryRun: true})},
	} {
		_, err := x.EraseFor(t.Context(), c.e, "operator")
		if invalid, is := errors.AsType[*ask.InvalidError](err); !is || len(invalid.Problems) != 1 || invalid.Problems[0].Path != c.path {
			t.Errorf("%+v: %v, want a problem of %s", c.e, err, c.path)
		}
	}
	_, err := new(Audit).Erase(t.Context(), client.AuditErase{Tenant: "ops", Person: "U1"}, "operator")
	if invalid, is := errors.AsType[*ask.InvalidError](err); !is || invalid.Problems[0].Path != "person" {
		t.Errorf("trail: %v", err)
	}
	if n, err := x.EraseFor(t.Context(), client.Erase{Person: "slack:U1", DryRun: true}, "operator"); err != nil || n.Erased != 1 || n.Next != "" {
		t.Errorf("a dry run: %+v, %v", n, err)
	}
	if r, err := s.Load(t.Context(), "p1"); err != nil || !strings.Contains(fmt.Sprintf("%+v", r), "a text of Dana") {
		t.Errorf("the text was erased, or %v", err)
	}
}

// The cursor of another erasure once skipped requests that had to be erased.
func TestForeignEraseCursorIsRefused(t *testing.T) {
	t.Parallel()
	s := memory.New()
	x := &Eraser{store: s}
	for n := range 120 { // More than one batch.
		typedText(t, s, "ops", fmt.Sprintf("p%03d", n), "U1", "a text of Dana")
	}
	dry, err := x.EraseFor(t.Context(), client.Erase{Person: "slack:U1", DryRun: true}, "operator")
	if err != nil || dry.Next == "" {
		t.Fatalf("%+v, %v", dry, err)
	}
	begun, err := x.EraseFor(t.Context(), client.Erase{Person: "slack:U2"}, "operator")
	if err != nil || begun.Next == "" {
		t.Fatalf("%+v, %v", begun, err)
	}
	for what, cursor := range map[string]string{"a dry run": dry.Next, "another person": begun.Next} {
		n, err := x.EraseFor(t.Context(), client.Erase{Person: "slack:U1", Cursor: cursor}, "operator")
		if invalid, is := errors.AsType[*ask.InvalidError](err); !is || invalid.Problems[0].Path != "cursor" {
			t.Errorf("with the cursor of %s: %+v, %v", what, n, err)
		}
	}
	if n, err := x.EraseFor(t.Context(), client.Erase{Person: "slack:U1", DryRun: true, Cursor: dry.Next}, "operator"); err != nil || n.Requests != 20 {
		t.Errorf("with its own cursor: %+v, %v", n, err)
	}
}

// A forged cursor was once accepted, and erased texts without a line in the trail about who
// requested it.
func TestForgedEraseCursorIsRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := memory.New()
		defer func() { _ = s.Close() }()
		private, public := audit.NewKey()
		key, err := audit.ParseKey(private)
		if err != nil {
			t.Fatal(err)
		}
		x := &Eraser{store: s, trail: &Audit{log: audit.NewLog(s.KeyValue(), key, 0), key: public, close: func() error { return nil }}}
		for n := range 120 { // More than one batch.
			typedText(t, s, "ops", fmt.Sprintf("p%03d", n), "U1", "a text of Dana")
		}
		e := client.Erase{Person: "slack:U1"}
		dry, err := x.EraseFor(t.Context(), client.Erase{Person: "slack:U1", DryRun: true}, "mallory")
		if err != nil {
			t.Fatal(err)
		}
		begun, err := x.EraseFor(t.Context(), e, "operator")
		if err != nil || begun.Next == "" {
			t.Fatalf("%+v, %v", begun, err)
		}
		goesOn := func(name, by, cursor string, person string) {
			t.Helper()
			n, err := x.EraseFor(t.Context(), client.Erase{Person: person, Cursor: cursor}, by)
			if invalid, is := errors.AsType[*ask.InvalidError](err); !is || invalid.Problems[0].Path != "cursor" {
				t.Errorf("%s: %+v, %v", name, n, err)
			}
		}
		goesOn("made up", "mallory", "e30", e.Person)
		goesOn("that of a dry run", "mallory", dry.Next, e.Person)
		goesOn("another agent", "mallory", begun.Next, e.Person)
		goesOn("for another person", "operator", begun.Next, "slack:U2")
		for _, cursor := range []string{"audit-text/ops/0", "x/audit-text/ops/0"} {
			_, err := x.trail.Erase(t.Context(), client.AuditErase{Tenant: "ops", Person: e.Person, Cursor: cursor}, "mallory")
			if invalid, is := errors.AsType[*ask.InvalidError](err); !is || invalid.Problems[0].Path != "cursor" {
				t.Errorf("forged cursor in the trail: %v", err)
			}
		}
		time.Sleep(23 * time.Hour)
		if n, err := x.EraseFor(t.Context(), client.Erase{Person: e.Person, Cursor: begun.Next}, "operator"); err != nil || n.Requests != 20 {
			t.Errorf("continued the next day: %+v, %v", n, err)
		}
		time.Sleep(time.Hour)
		goesOn("after more than a day", "operator", begun.Next, e.Person)
	})
}

func TestEraseBeforeKeepsLaterTexts(t *testing.T) {
	t.Parallel()
	s := memory.New()
	private, public := audit.NewKey()
	key, err := audit.ParseKey(private)
	if err != nil {
		t.Fatal(err)
	}
	log := audit.NewLog(s.KeyValue(), key, 0)
	typedText(t, s, "ops", "p1", "U1", "a text of Dana")
	defer exporting(t.Context(), log, s)()
	logged := func() bool {
		t.Helper()
		p, err := log.Page(t.Context(), nil, "", true)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(p.Trail), "a text of Dana")
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !logged() {
		<-tick.C
	}
	x := &Eraser{store: s, trail: &Audit{log: log, key: public, close: func() error { return nil }}}
	for _, e := range []client.Erase{{Person: "slack:U1"}, {Request: "p1"}, {Person: "slack:U1", Request: "p1"}} {
		e.EndedBefore = time.Now().Add(-time.Hour)
		for more := true; more; more = e.Cursor != "" {
			n, err := x.EraseFor(t.Context(), e, "operator")
			if err != nil || n.Erased+n.Lines > 0 {
				t.Fatalf("%+v: %+v, %v", e, n, err)
			}
			e.Cursor = n.Next
		}
	}
	if r, err := s.Load(t.Context(), "p1"); err != nil || !strings.Contains(fmt.Sprintf("%+v", r), "a text of Dana") || !logged() {
		t.Errorf("a later request lost its text, or %v", err)
	}
}

// exporting runs an exporter and returns a function that stops it.
func exporting(ctx context.Context, log *audit.Log, s bridge.Store) (end func()) {
	running, stop := context.WithCancel(ctx)
	exported := make(chan struct{})
	go func() {
		defer close(exported)
		audit.NewExporter(log, s, audit.Options{}).Run(running)
	}()
	return func() {
		stop()
		<-exported
	}
}
