package redistest_test

import (
	"strings"
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

func TestClusterKnowsAllItsSlots(t *testing.T) {
	t.Parallel()
	nodes := redistest.StartCluster(t, 2)
	know, blind := 0, 0
	for _, node := range nodes {
		if strings.Contains(node.Do("CLUSTER", "KEYSLOT", "a"), "15495") {
			know++
		}
		if !strings.Contains(node.Do("CLUSTER", "SLOTS"), "16383") {
			blind++
		}
	}
	if know != 2 || blind != 0 {
		t.Errorf("%d nodes know the slot of a key, %d do not know all slots", know, blind)
	}
}

func TestSentinelNamesItsMaster(t *testing.T) {
	t.Parallel()
	master := redistest.Start(t)
	sentinel := redistest.StartSentinel(t, "main", master)
	host, port, _ := strings.Cut(sentinel.Do("SENTINEL", "GET-MASTER-ADDR-BY-NAME", "main"), "\n")
	if host+":"+port != master.Addr {
		t.Errorf("sentinel says %s:%s, the master is at %s", host, port, master.Addr)
	}
}
