package connector_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/internal/words"
	"github.com/askbridge/askbridge/platform"
)

// person is a person who waits for a reply and records the reply.
type person struct {
	platform.Responder // No cards or forms here.

	mu    sync.Mutex
	notes []string
	at    time.Time
}

func (p *person) answered(how string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.at.IsZero() {
		return false
	}
	p.notes, p.at = append(p.notes, how), time.Now()
	return true
}

func (p *person) Finish(context.Context) error {
	p.answered("finished")
	return nil
}

func (p *person) Late(context.Context) bool { return p.answered("late") }

func (p *person) ReplyEphemeral(_ context.Context, n platform.Note) error {
	p.answered(n.Text)
	return nil
}

func TestEverybodyIsAnsweredInTime(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		h     platform.Handler
		want  string
		after time.Duration
	}{
		"a handler that says nothing": {
			func(context.Context, platform.Interaction, platform.Responder) error { return nil }, "finished", 0,
		},
		"a handler that fails": {
			func(context.Context, platform.Interaction, platform.Responder) error { return errors.New("no") }, "finished", 0,
		},
		"a handler that panics": {
			func(context.Context, platform.Interaction, platform.Responder) error { panic("no") }, words.In(words.Default).Reply.Broken, 0,
		},
		"a handler that waits for its context": {
			func(ctx context.Context, _ platform.Interaction, _ platform.Responder) error {
				<-ctx.Done()
				if !errors.Is(context.Cause(ctx), connector.ErrHandlerTime) {
					return context.Cause(ctx)
				}
				return nil
			}, "late", connector.HandlerTime,
		},
		"a handler that waits for nothing": {
			func(context.Context, platform.Interaction, platform.Responder) error {
				connector.Wait(context.Background(), nil, time.Hour)
				return nil
			}, "late", connector.HandlerTime,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				started, dana := time.Now(), &person{}
				acts := connector.NewActs(slog.New(slog.DiscardHandler), "")
				listening, stop := context.WithCancel(t.Context())
				acts.Open(listening, tc.h)
				stop() // An act that has begun is dealt with.
				if !acts.Begin(started, connector.HandlerTime, platform.Interaction{}, dana) {
					t.Fatal("it was not begun")
				}
				<-acts.Quiet()
				acts.Close()
				if got := strings.Join(dana.notes, ", "); got != tc.want || dana.at.Sub(started) != tc.after {
					t.Errorf("answered %q after %v, want %q after %v", got, dana.at.Sub(started), tc.want, tc.after)
				}
			})
		})
	}
}

func TestActsBeginBetweenOpenAndClose(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		acts := connector.NewActs(slog.New(slog.NewTextHandler(&log, nil)), "")
		gate := make(chan struct{})
		wait := func(context.Context, platform.Interaction, platform.Responder) error {
			<-gate
			return nil
		}
		begin := func() bool { return acts.Begin(time.Now(), connector.HandlerTime, platform.Interaction{}, &person{}) }
		closed := func(c <-chan struct{}) bool {
			select {
			case <-c:
				return true
			default:
				return false
			}
		}
		if begin() || acts.Listening() || closed(acts.Opened()) || !closed(acts.Quiet()) {
			t.Error("it is open before Open")
		}
		if !acts.Open(t.Context(), wait) || acts.Open(t.Context(), wait) {
			t.Error("it was not opened once")
		}
		if !acts.Listening() || !closed(acts.Opened()) {
			t.Error("it is not open after Open")
		}
		for range connector.MaxActs {
			if !begin() {
				t.Fatal("an act was not begun")
			}
		}
		if begin() || !strings.Contains(log.String(), "interaction not taken") {
			t.Errorf("one act too many was begun, or not in the log:\n%s", &log)
		}
		acts.Close()
		quiet := acts.Quiet()
		if acts.Listening() || closed(quiet) {
			t.Error("it is open after Close, or quiet while acts are under way")
		}
		close(gate)
		<-quiet
		if begin() {
			t.Error("an act began after Close")
		}
		if !acts.Open(t.Context(), wait) || !begin() {
			t.Error("it cannot be opened again")
		}
		<-acts.Quiet()
		acts.Close()
	})
}

func TestWhatComesAtOnceIsDealtWithInTheRoomOfOne(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		after time.Duration // Close
		want  string
	}{
		"one after another":                       {time.Hour, "1 2 3"},
		"up to the one under way, when it closes": {3 * time.Second, "1 2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				acts := connector.NewActs(slog.New(slog.DiscardHandler), "")
				var heard []string
				acts.Open(t.Context(), func(ctx context.Context, i platform.Interaction, _ platform.Responder) error {
					if i.ID == "" {
						return nil
					}
					if end, _ := ctx.Deadline(); time.Until(end) != connector.HandlerTime {
						t.Errorf("%s has %v, want %v", i.ID, time.Until(end), connector.HandlerTime)
					}
					connector.Wait(ctx, nil, 2*time.Second)
					heard = append(heard, i.ID)
					return nil
				})
				three := []platform.Interaction{{ID: "1"}, {ID: "2"}, {ID: "3"}}
				if !acts.BeginEach(connector.HandlerTime, nil, &person{}) || !acts.BeginEach(connector.HandlerTime, three, &person{}) {
					t.Fatal("they were not begun")
				}
				for range connector.MaxActs - 1 {
					if !acts.Begin(time.Now(), connector.HandlerTime, platform.Interaction{}, &person{}) {
						t.Fatal("they take more room")
					}
				}
				connector.Wait(t.Context(), acts.Quiet(), tc.after)
				acts.Close()
				<-acts.Quiet()
				if got := strings.Join(heard, " "); got != tc.want {
					t.Errorf("heard %q, want %q", got, tc.want)
				}
			})
		})
	}
}
