package bridgetest

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
)

func manyWriters(t *testing.T, b *Backend) {
	create(t, b.Store, "a1", dueIn(time.Hour))
	race(t, []storage.Store{b.Store})
}

func handlesRace(t *testing.T, b *Backend) {
	if b.Another == nil {
		return
	}
	create(t, b.Store, "a1", dueIn(time.Hour))
	race(t, []storage.Store{b.Store, b.Another(t), b.Another(t)})
}

// race lets writers count on the record a1, and be the one to end it.
func race(t *testing.T, handles []storage.Store) {
	const writers, rounds = 8, 10
	var group sync.WaitGroup
	won := make(chan string, writers)
	for w := range writers {
		s := handles[w%len(handles)]
		group.Go(func() {
			for range rounds {
				if _, err := s.Change(t.Context(), "a1", count); err != nil {
					t.Errorf("count: %v", err)
				}
			}
			me, closed := fmt.Sprint("writer", w), errors.New("closed")
			_, err := s.Change(t.Context(), "a1", func(r *record.Record, _ time.Time) error {
				if r.Winner != "" {
					return closed
				}
				r.Winner = me
				return nil
			})
			switch {
			case err == nil:
				won <- me
			case !errors.Is(err, closed):
				t.Errorf("win: %v", err)
			}
		})
	}
	group.Wait()
	close(won)
	r := load(t, handles[0], "a1")
	if r.Revision != writers*rounds || r.Version != 1+writers*rounds+1 {
		t.Errorf("counted %d at version %d, want %d and %d: an update was lost or done twice", r.Revision, r.Version, writers*rounds, writers*rounds+2)
	}
	var winners []string
	for w := range won {
		winners = append(winners, w)
	}
	if len(winners) != 1 || winners[0] != r.Winner {
		t.Errorf("winners %v, stored %q; want exactly one", winners, r.Winner)
	}
}

func manyCreators(t *testing.T, b *Backend) {
	handles := []storage.Store{b.Store}
	if b.Another != nil {
		handles = append(handles, b.Another(t))
	}
	var group sync.WaitGroup
	made := make(chan int, 16)
	for i := range 16 {
		group.Go(func() {
			mine := sample("a1")
			mine.Agent = fmt.Sprint("agent", i)
			r, err := handles[i%len(handles)].Create(t.Context(), mine, dueIn(time.Hour))
			switch {
			case err == nil && r.Agent == mine.Agent:
				made <- i
			case err == nil:
				t.Errorf("creator %d got the record of %s without ErrExists", i, r.Agent)
			case !errors.Is(err, storage.ErrExists):
				t.Errorf("create: %v", err)
			}
		})
	}
	group.Wait()
	if len(made) != 1 {
		t.Errorf("%d creators succeeded, want one", len(made))
	}
}
