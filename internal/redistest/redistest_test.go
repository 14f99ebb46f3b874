package redistest_test

import (
	"testing"

	"github.com/askbridge/askbridge/internal/redistest"
)

func TestServerKeepsWhatItHadWhenKilledAndStartedAgain(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	s.Do("SET", "a", "kept")
	s.Kill()
	s.Kill()
	s.Again()
	if got := s.Do("GET", "a"); got != "kept" {
		t.Errorf("got %q, want the value from before the kill", got)
	}
	s.Stop()
	s.Again()
	if got := s.Do("MGET", "a", "none", "a"); got != "kept\n\nkept" {
		t.Errorf("got %q", got)
	}
}

func TestServersStandAlone(t *testing.T) {
	t.Parallel()
	one, two := redistest.Start(t), redistest.Start(t, "--maxmemory", "64mb")
	one.Do("SET", "a", "one")
	if got := two.Do("GET", "a"); got != "" {
		t.Errorf("the second server knows %q", got)
	}
	if got := two.Do("CONFIG", "GET", "maxmemory"); got != "maxmemory\n67108864" {
		t.Errorf("got %q, want the extra setting", got)
	}
}
