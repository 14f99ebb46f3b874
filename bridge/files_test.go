package bridge_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/keyvalue"
	"github.com/askbridge/askbridge/store/memory"
)

// A platform without files has the long context behind a button. A context whose end is only in a file is rejected.
func TestLongContextRejectedWithoutFiles(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := memory.New()
		// Only the interface, without the optional abilities of the script.
		plain := struct{ platform.Platform }{bridgetest.NewScript("slack", render.Limits{})}
		b, err := bridge.New(st, []platform.Platform{plain}, &bridge.Options{Files: keyvalue.Files{Store: st.KeyValue()}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer synctest.Wait()
		defer cancel()
		go func() { _ = b.Run(ctx) }()
		long := strings.Repeat("x", ask.MaxShown+1)
		req := ask.Request{To: []ask.Place{{Platform: "slack", Channel: "C1"}}, Questions: []ask.Question{ask.YesNo("Go?")}}
		req.Context = long
		if s, err := b.Submit(t.Context(), req); err != nil || s.Record.Context != long || s.Record.Files != nil {
			t.Errorf("a long context: %v", err)
		}
		req.Context = ""
		req.Enclose("input.json", long)
		if _, err := b.Submit(t.Context(), req); err == nil || !strings.Contains(err.Error(), "files: slack takes no files") {
			t.Errorf("it was asked: %v", err)
		}
	})
}

// unfiling is a platform that takes cards everywhere, but no files while err is set.
type unfiling struct {
	*bridgetest.Script

	mu    sync.Mutex
	err   error
	asked int
}

func (p *unfiling) Attach(ctx context.Context, to ask.Place, ref platform.MessageRef, up platform.Upload) error {
	p.mu.Lock()
	p.asked++
	err := p.err
	p.mu.Unlock()
	if err != nil {
		return err
	}
	return p.Script.Attach(ctx, to, ref, up)
}

// meets makes the next uploads fail with err and returns how many were tried so far.
func (p *unfiling) meets(err error) (asked int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err = err
	return p.asked
}

// inUnfiling runs f with a bridge that stores files, on a platform that refuses them.
func inUnfiling(t *testing.T, err error, f func(t *testing.T, w *fixture, p *unfiling)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := memory.New()
		w := &fixture{t: t, store: st, chat: bridgetest.NewScript("slack", render.Limits{})}
		p := &unfiling{Script: w.chat, err: err}
		stop := w.begin(&bridge.Options{Files: keyvalue.Files{Store: st.KeyValue()}}, p)
		f(t, w, p)
		stop()
	})
}

// interrupted is a store of texts that calls back after each text, so that the caller can leave.
type interrupted struct {
	bridge.Files

	kept, leave func()
	times       int
}

func (i *interrupted) Keep(ctx context.Context, tenant, request, digest, text string, life time.Duration) error {
	i.times++
	err := i.Files.Keep(ctx, tenant, request, digest, text, life)
	if then := i.kept; then != nil {
		i.kept = nil
		then()
	}
	return err
}

func TestRejectedRevisionRemovesFile(t *testing.T) {
	t.Parallel()
	text := func(n int) *string { return new(fmt.Sprint(n) + strings.Repeat("x", 20_000)) }
	for name, tt := range map[string]struct {
		// do revises r with one of the inputs.
		do   func(w *fixture, r bridge.Record, files *interrupted, revise func(of, n int) error) error
		want error
		// kept counts the texts kept for each retention.
		kept, times int
	}{
		"of what is not asked any more": {func(_ *fixture, _ bridge.Record, _ *interrupted, revise func(of, n int) error) error {
			_ = revise(7, 1)
			return revise(7, 2)
		}, record.ErrRevised, 0, 0},
		"of what was revised as its text was kept": {func(_ *fixture, _ bridge.Record, files *interrupted, revise func(of, n int) error) error {
			files.kept = func() { _ = revise(0, 1) }
			return revise(0, 2)
		}, record.ErrRevised, 1, 2},
		"of what ended as its text was kept": {func(w *fixture, r bridge.Record, files *interrupted, revise func(of, n int) error) error {
			files.kept = func() {
				w.act(choose(r, "U1", 0))
				synctest.Wait()
			}
			return revise(0, 1)
		}, nil, 0, 1},
		"that is refused with the text of another": {func(_ *fixture, _ bridge.Record, files *interrupted, revise func(of, n int) error) error {
			files.kept = func() { _, _ = revise(0, 1), revise(1, 2) }
			return revise(0, 2)
		}, record.ErrRevised, 2, 3},
		"whose caller left as its text was kept": {func(_ *fixture, _ bridge.Record, files *interrupted, revise func(of, n int) error) error {
			files.kept = files.leave
			return revise(0, 1)
		}, context.Canceled, 0, 1},
		"whose caller left and tried again, which was taken": {func(w *fixture, r bridge.Record, files *interrupted, revise func(of, n int) error) error {
			files.kept = func() {
				files.leave()
				of := 0
				if _, err := w.Talk().Revise(w.t.Context(), r.ID, ask.Revision{Of: &of, Context: text(1)}, ask.Voting{}); err != nil {
					w.t.Error(err)
				}
			}
			return revise(0, 1)
		}, context.Canceled, 1, 3},
		"that was taken": {func(_ *fixture, _ bridge.Record, _ *interrupted, revise func(of, n int) error) error {
			_ = revise(0, 1)
			return revise(0, 1)
		}, nil, 1, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				st := memory.New()
				w := &fixture{t: t, store: st, chat: bridgetest.NewScript("slack", render.Limits{})}
				ctx, leave := context.WithCancel(t.Context())
				defer leave()
				files := &interrupted{Files: keyvalue.Files{Store: st.KeyValue()}, leave: leave}
				defer w.begin(&bridge.Options{Files: files})()
				r := w.submit(database())
				err := tt.do(w, r, files, func(of, n int) error {
					_, err := w.Talk().Revise(ctx, r.ID, ask.Revision{Of: &of, Context: text(n)}, ask.Voting{})
					return err
				})
				if !errors.Is(err, tt.want) {
					t.Errorf("revised with %v, want %v", err, tt.want)
				}
				synctest.Wait()
				if kept, err := st.KeyValue().List(t.Context(), keyvalue.Range{Kind: "file", Limit: 10}); err != nil || len(kept) != tt.kept || files.times != tt.times {
					t.Errorf("%d texts are left of %d, want %d of %d, %v", len(kept), files.times, tt.kept, tt.times, err)
				}
			})
		})
	}
}

// filed is a request with a file.
func filed(n int) ask.Request {
	r := from("dana", "C1", n)
	r.Files = []ask.File{{Name: "plan.diff", Text: "+ a line"}}
	return r
}

func TestUploadWithRefusedTokenMakesBridgeUnready(t *testing.T) {
	inUnfiling(t, refusal(platform.Misconfigured, "token_revoked"), func(t *testing.T, w *fixture, _ *unfiling) {
		w.submit(filed(1))
		synctest.Wait()
		if err := w.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), "token_revoked") {
			t.Errorf("after an upload that was refused the bridge is ready: %v", err)
		}
	})
}

func TestRefusedUploadsDoNotStopCards(t *testing.T) {
	inUnfiling(t, refusal(platform.Unreachable, "50013"), func(t *testing.T, w *fixture, p *unfiling) {
		const seconds = 50
		for n := range seconds {
			r := w.submit(filed(n))
			if r = w.load(r.ID); r.Outcome.State != ask.Failed || !strings.Contains(r.Outcome.Reason, "50013") {
				t.Fatalf("second %d: %s because of %q", n, r.Outcome.State, r.Outcome.Reason)
			}
			if r := w.submit(from("dana", "C1", seconds+n)); r.Copies[0].State != record.Posted {
				t.Fatalf("second %d: a card without files is %+v", n, r.Copies[0])
			}
			time.Sleep(time.Second)
		}
		if asked := p.meets(nil); asked > 5 {
			t.Errorf("the channel was asked %d times in %d seconds to take a file", asked, seconds)
		}
		time.Sleep(time.Minute)
		if r := w.load(w.submit(filed(2 * seconds)).ID); r.Outcome.State != ask.Open || len(w.chat.Files(r.Copies[0].Ref)) != 1 {
			t.Errorf("now that it takes files: %s because of %q", r.Outcome.State, r.Outcome.Reason)
		}
	})
}
