package redistest

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// StartCluster runs a Cluster of masters that share all slots evenly, and waits until each reports that the Cluster
// is ok. All get the extra settings.
func StartCluster(tb testing.TB, masters int, settings ...string) []*Server {
	tb.Helper()
	const slots = 16384
	nodes := make([]*Server, masters)
	for i := range nodes {
		bus := Port(tb)
		nodes[i] = Start(tb, append([]string{
			"--cluster-enabled", "yes", "--cluster-node-timeout", "15000", "--cluster-port", bus,
		}, settings...)...)
		first, last := i*slots/masters, (i+1)*slots/masters-1
		nodes[i].Do("CLUSTER", "ADDSLOTSRANGE", fmt.Sprint(first), fmt.Sprint(last))
		if i > 0 {
			host, port, _ := net.SplitHostPort(nodes[i].Addr)
			nodes[0].Do("CLUSTER", "MEET", host, port, bus)
		}
	}
	for _, node := range nodes {
		await(tb, "the Cluster to form", func() bool {
			info := node.Do("CLUSTER", "INFO")
			return strings.Contains(info, "cluster_state:ok") && strings.Contains(info, fmt.Sprintf("cluster_size:%d\r\n", masters))
		})
	}
	return nodes
}

// StartReplica runs a replica of a master and waits until it follows.
func StartReplica(tb testing.TB, master *Server) *Server {
	tb.Helper()
	host, port, _ := net.SplitHostPort(master.Addr)
	s := Start(tb, "--replicaof", host+" "+port)
	await(tb, "the replica to follow", func() bool {
		return strings.Contains(s.Do("INFO", "replication"), "master_link_status:up")
	})
	return s
}

// StartSentinel runs a Sentinel that watches a master under a name.
func StartSentinel(tb testing.TB, name string, master *Server) *Server {
	tb.Helper()
	host, port, _ := net.SplitHostPort(master.Addr)
	config := filepath.Join(tb.TempDir(), "sentinel.conf") // Sentinel rewrites this file.
	text := fmt.Sprintf("sentinel monitor %s %s %s 1\nsentinel down-after-milliseconds %s 3000\n", name, host, port, name)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
	s := &Server{tb: tb, Dir: tb.TempDir()}
	tb.Cleanup(s.Kill)
	s.serve(func(port string) []string {
		return []string{config, "--sentinel", "--port", port, "--bind", "127.0.0.1", "--dir", s.Dir}
	})
	return s
}

func await(tb testing.TB, what string, ok func() bool) {
	tb.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	late := time.After(patience)
	for !ok() {
		select {
		case <-tick.C:
		case <-late:
			tb.Fatalf("redistest: timeout waiting for %s", what)
		}
	}
}
