package bridge_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/memory"
)

// mixed is a store in which one record is from a newer build.
type mixed struct {
	bridge.Store
	newer string
}

func (m *mixed) Scan(ctx context.Context, s bridge.Scan) ([]bridge.Record, error) {
	page, err := m.Store.Scan(ctx, s)
	var read []bridge.Record
	for _, r := range page {
		if bad := fmt.Errorf("%s: %w: it has format 99", r.ID, bridge.ErrTooNew); r.ID != m.newer {
			read = append(read, r)
		} else if !s.Leaves(r.ID, bad) {
			return nil, bad
		}
	}
	return read, err
}

func TestListSkipsNewerRecordAndLogsItOnce(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	kept := &mixed{Store: memory.New()}
	chat := bridgetest.NewScript("slack", render.Limits{})
	b, err := bridge.New(kept, []platform.Platform{chat}, &bridge.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for n := range 2 {
		s, err := b.Submit(t.Context(), database(func(r *ask.Request) { r.ToolCallID = fmt.Sprint(n) }))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s.Record.ID)
	}
	kept.newer = all[0]
	for _, q := range []bridge.Query{{}, {All: true}} {
		found, err := b.List(t.Context(), q)
		if err != nil || len(found) != 1 || found[0].ID != all[1] {
			t.Errorf("%+v lists %d requests, %v; want the one that this build can read", q, len(found), err)
		}
	}
	if n := strings.Count(log.String(), "request left out of lists"); n != 1 || !strings.Contains(log.String(), all[0]) {
		t.Errorf("the log names it %d times: %s", n, log.String())
	}
	if err := b.Ready(t.Context()); !errors.Is(err, bridge.ErrTooNew) {
		t.Errorf("not ready because of the unreadable record: %v", err)
	}
}
