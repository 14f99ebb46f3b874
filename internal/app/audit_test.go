package app

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/internal/app/audit"
	"github.com/askbridge/askbridge/store/memory"
)

func TestMaxLagRefusesNewRequests(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "no", "such", "folder", "audit.jsonl")
	synctest.Test(t, func(t *testing.T) {
		st := memory.New()
		private, _ := audit.NewKey()
		key, err := audit.ParseKey(private)
		if err != nil {
			t.Fatal(err)
		}
		log := audit.NewLog(st.KeyValue(), key, time.Hour)
		exporter := audit.NewExporter(log, st, audit.Options{Devices: []audit.Device{audit.File{Path: nowhere}}, MaxLag: time.Minute})
		guarded := exporter.Store()
		create := func(id string) error {
			_, err := guarded.Create(t.Context(), bridge.Record{ID: id}, func(r *bridge.Record, _ time.Time) error {
				r.Outcome.State = ask.Open
				return nil
			})
			return err
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			exporter.Run(ctx)
		}()
		defer func() {
			cancel()
			<-done
		}()
		// A failing copy keeps the trail behind.
		if err := log.Note(ctx, audit.Line{Kind: "started"}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(30 * time.Second)
		if err := create("early"); err != nil {
			t.Errorf("within max_lag: %v", err)
		}
		time.Sleep(time.Minute)
		if err := create("late"); !errors.Is(err, bridge.ErrUnavailable) {
			t.Errorf("past max_lag: %v, want %v", err, bridge.ErrUnavailable)
		}
		if err := create("early"); !errors.Is(err, bridge.ErrExists) {
			t.Errorf("an existing request, past max_lag: %v, want %v", err, bridge.ErrExists)
		}
	})
}
