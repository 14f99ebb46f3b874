package connector_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/platform"
)

func TestBackoffGrowsUpToItsMost(t *testing.T) {
	t.Parallel()
	const most = 30 * time.Second
	for tries, want := range map[int]time.Duration{-1: time.Second, 0: time.Second, 3: 8 * time.Second, 5: most, 1000: most} {
		for range 100 {
			if got := connector.Backoff(tries, most); got < want/2 || got >= want {
				t.Fatalf("after %d tries it is %v, want %v to %v", tries, got, want/2, want)
			}
		}
	}
}

func TestHandshakeRetries(t *testing.T) {
	t.Parallel()
	failed := func(kind platform.Kind, after time.Duration) error {
		return &platform.Error{Platform: "chat", Kind: kind, RetryAfter: after}
	}
	for name, tc := range map[string]struct {
		err         error
		least, most time.Duration
	}{
		"refused":         {failed(platform.Misconfigured, 0), connector.PauseRefused, connector.PauseRefused},
		"asked to wait":   {failed(platform.RateLimited, time.Minute), time.Minute, time.Minute},
		"asked for less":  {failed(platform.RateLimited, time.Millisecond), time.Second / 2, time.Second / 2},
		"not understood":  {failed(platform.Ambiguous, 0), time.Second / 2, time.Second},
		"anything at all": {errors.New("no"), time.Second / 2, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				started, calls := time.Now(), 0
				connector.Introduce(t.Context(), slog.New(slog.DiscardHandler), func(context.Context) error {
					if calls++; calls == 1 {
						return tc.err
					}
					return nil
				}, time.Minute)
				if took := time.Since(started); calls != 2 || took < tc.least || took > tc.most {
					t.Errorf("it took %d calls and %v, want 2 and %v to %v", calls, took, tc.least, tc.most)
				}
			})
		})
	}
}

func TestHandshakeEndsWithContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		started := time.Now()
		connector.Introduce(ctx, slog.New(slog.DiscardHandler), func(context.Context) error { return errors.New("no") }, time.Second)
		if took := time.Since(started); took != time.Minute {
			t.Errorf("it ended after %v", took)
		}
	})
}

func TestWrongTokenAtStartPointsToDoctor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		tries := 0
		connector.Introduce(t.Context(), slog.New(slog.NewTextHandler(&log, nil)).With("platform", "slack"), func(context.Context) error {
			if tries++; tries < 4 {
				return &platform.Error{Platform: "slack", Kind: platform.Misconfigured, Code: "invalid_auth", Err: errors.New("invalid_auth")}
			}
			return nil
		}, time.Minute)
		if logged := log.String(); strings.Count(logged, "askbridge doctor") != 1 || !strings.Contains(logged, "invalid_auth") || strings.Count(logged, "platform=") != 1 {
			t.Errorf("after %d tries the log has %s", tries, logged)
		}
	})
}
