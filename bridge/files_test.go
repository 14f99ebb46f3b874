package bridge_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/keyvalue"
	"github.com/askbridge/askbridge/store/memory"
)

// A platform that takes no files has a context in full behind a button, and is asked nothing
// whose end stands in a file alone.
func TestWhatIsTooLongIsRefusedWhereNoFilesAreTaken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := memory.New()
		// The interface alone: what the script can do beside it is not there.
		plain := struct{ bridge.Platform }{bridgetest.NewScript("slack", render.Limits{})}
		b, err := bridge.New(st, []bridge.Platform{plain}, &bridge.Options{Files: keyvalue.Files{Store: st.KeyValue()}})
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
