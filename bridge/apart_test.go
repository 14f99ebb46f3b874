package bridge_test

import (
	"context"
	"reflect"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/memory"
)

// apart is a store seen by a process whose clock is fast or slow. All clocks in a bubble agree, so apart shifts what
// comes out of the store and shifts back what goes in: to the process, and to the other processes, this looks like a
// wrong local clock.
type apart struct {
	bridge.Store

	ahead *ahead
}

// ahead is how far a clock is ahead. It can jump.
type ahead struct{ atomic.Int64 }

func aheadBy(d time.Duration) *ahead {
	a := &ahead{}
	a.Store(int64(d))
	return a
}

// jump sets the clock forward or back.
func (a *ahead) jump(d time.Duration) { a.Add(int64(d)) }

func (a *ahead) by() time.Duration { return time.Duration(a.Load()) }

// here converts a value of the store to the clock of the process, there converts it back.
func here[T any](ahead time.Duration, v T) T  { return moved(v, -ahead) }
func there[T any](ahead time.Duration, v T) T { return moved(v, ahead) }

// shifted wraps a transition of the process for the store.
func shifted(ahead time.Duration, f bridge.Transition) bridge.Transition {
	return func(r *bridge.Record, now time.Time) error {
		mine := here(ahead, *r)
		err := f(&mine, here(ahead, now))
		*r = there(ahead, mine)
		return err
	}
}

func (s apart) Create(ctx context.Context, r bridge.Record, f bridge.Transition) (bridge.Record, error) {
	ahead := s.ahead.by()
	r, err := s.Store.Create(ctx, there(ahead, r), shifted(ahead, f))
	return here(ahead, r), err
}

func (s apart) Change(ctx context.Context, id string, f bridge.Transition) (bridge.Record, error) {
	ahead := s.ahead.by()
	r, err := s.Store.Change(ctx, id, shifted(ahead, f))
	return here(ahead, r), err
}

func (s apart) Load(ctx context.Context, id string) (bridge.Record, error) {
	r, err := s.Store.Load(ctx, id)
	return here(s.ahead.by(), r), err
}

func (s apart) Due(ctx context.Context, limit int) (bridge.Batch, error) {
	b, err := s.Store.Due(ctx, limit)
	return here(s.ahead.by(), b), err
}

func (s apart) Claim(ctx context.Context, lease time.Duration, limit int) (bridge.Batch, error) {
	b, err := s.Store.Claim(ctx, lease, limit)
	return here(s.ahead.by(), b), err
}

func (s apart) Scan(ctx context.Context, of bridge.Scan) ([]bridge.Record, error) {
	ahead := s.ahead.by()
	of.From = there(ahead, of.From)
	all, err := s.Store.Scan(ctx, of)
	return here(ahead, all), err
}

func (s apart) Watch(ctx context.Context, changed func(bridge.Notification)) error {
	return s.Store.Watch(ctx, func(n bridge.Notification) { changed(here(s.ahead.by(), n)) })
}

// moved returns a copy in which every time is later by d.
func moved[T any](v T, d time.Duration) T {
	next := reflect.New(reflect.TypeFor[T]()).Elem()
	move(next, reflect.ValueOf(&v).Elem(), d)
	return next.Interface().(T)
}

func move(to, from reflect.Value, d time.Duration) {
	to.Set(from)
	if t, ok := reflect.TypeAssert[time.Time](from); ok {
		if !t.IsZero() {
			to.Set(reflect.ValueOf(t.Add(d)))
		}
		return
	}
	switch from.Kind() {
	case reflect.Struct:
		for n := range from.NumField() {
			if from.Type().Field(n).IsExported() {
				move(to.Field(n), from.Field(n), d)
			}
		}
	case reflect.Pointer:
		if !from.IsNil() {
			to.Set(reflect.New(from.Type().Elem()))
			move(to.Elem(), from.Elem(), d)
		}
	case reflect.Slice:
		if !from.IsNil() {
			to.Set(reflect.MakeSlice(from.Type(), from.Len(), from.Len()))
			for n := range from.Len() {
				move(to.Index(n), from.Index(n), d)
			}
		}
	case reflect.Map:
		if from.IsNil() {
			return
		}
		to.Set(reflect.MakeMapWithSize(from.Type(), from.Len()))
		for all := from.MapRange(); all.Next(); {
			value := reflect.New(from.Type().Elem()).Elem()
			move(value, all.Value(), d)
			to.SetMapIndex(all.Key(), value)
		}
	}
}

func TestWrongLocalClockUsesStoreTime(t *testing.T) {
	for name, ahead := range map[string]time.Duration{"slow": -10 * time.Minute, "fast": 10 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := &fixture{t: t, store: apart{idling{memory.New()}, aheadBy(ahead)}, chat: bridgetest.NewScript("slack", render.Limits{})}
				defer w.begin(nil)()
				r := orphan(t, w.store, "porphan", 30*time.Second)
				for _, tt := range []struct {
					after time.Duration
					want  ask.State
				}{{20 * time.Second, ask.Open}, {11 * time.Second, ask.Expired}} {
					time.Sleep(tt.after)
					if got, err := w.Load(t.Context(), r.ID); err != nil || got.Outcome.State != tt.want {
						t.Errorf("%s later it reads %q, %v, want %q", tt.after, got.Outcome.State, err, tt.want)
					}
				}
			})
		})
	}
}
