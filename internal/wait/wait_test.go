package wait_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/internal/wait"
)

func TestPauseEndsWithTimeOrContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		if err := wait.For(t.Context(), time.Hour); err != nil || time.Since(began) != time.Hour {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
		why := errors.New("no more")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, why)
		defer cancel()
		began = time.Now()
		if err := wait.For(ctx, time.Hour); !errors.Is(err, why) || time.Since(began) != time.Minute {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
	})
}

func TestBackoffDoublesToMaximum(t *testing.T) {
	t.Parallel()
	for failures, want := range map[int]time.Duration{-1: time.Second, 0: time.Second, 1: 2 * time.Second, 5: 32 * time.Second, 6: time.Minute, 1 << 40: time.Minute} {
		if got := wait.Backoff(time.Second, time.Minute, failures); got != want {
			t.Errorf("after %d failures it is %s, want %s", failures, got, want)
		}
	}
	if got := wait.Backoff(10*time.Minute, 6*time.Hour, 1000); got != 6*time.Hour {
		t.Errorf("a long one is %s", got)
	}
}

func TestGraceOutlivesItsContextByAMoment(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		longer, done := wait.Grace(ctx, time.Second)
		defer done()
		cancel()
		began := time.Now()
		<-longer.Done()
		if took := time.Since(began); took != time.Second {
			t.Errorf("it lives for %s", took)
		}
		ctx, cancel = context.WithCancel(t.Context())
		defer cancel()
		longer, done = wait.Grace(ctx, time.Second)
		done()
		if longer.Err() == nil || ctx.Err() != nil {
			t.Error("it goes on when its user has done, or ends what it was made of")
		}
	})
}
