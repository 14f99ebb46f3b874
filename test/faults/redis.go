package faults

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/test/need"
	"github.com/askbridge/askbridge/test/redistest"
)

// Trio is a Redis master with two replicas and three Sentinels.
type Trio struct {
	// Sentinels lists the addresses of the Sentinels, Servers the servers with data.
	Sentinels []string
	Servers   []*redistest.Server

	tb testing.TB
}

// masterName is the name of the master in the Sentinels' configuration.
const masterName = "main"

// StartTrio starts a Trio that runs until the test ends.
func StartTrio(tb testing.TB) *Trio {
	tb.Helper()
	t := &Trio{tb: tb}
	master := redistest.Start(tb)
	host, port, _ := net.SplitHostPort(master.Addr)
	t.Servers = []*redistest.Server{master}
	for range 2 {
		t.Servers = append(t.Servers, redistest.Start(tb, "--replicaof", host+" "+port))
	}
	for range 3 {
		t.Sentinels = append(t.Sentinels, startSentinel(tb, master.Addr))
	}
	Await(tb, "the Sentinels to know each other and the replicas", func() bool {
		for _, addr := range t.Sentinels {
			state := cli(tb, addr, "SENTINEL", "MASTER", masterName)
			if !strings.Contains(state, "num-slaves\n2\n") || !strings.Contains(state, "num-other-sentinels\n2\n") {
				return false
			}
		}
		return true
	})
	return t
}

func startSentinel(tb testing.TB, master string) string {
	tb.Helper()
	host, port, _ := net.SplitHostPort(master)
	own := redistest.Port(tb)
	addr := net.JoinHostPort("127.0.0.1", own)
	dir := tb.TempDir()
	file := filepath.Join(dir, "sentinel.conf") // Sentinel rewrites this file.
	text := fmt.Sprintf("port %[5]s\nbind 127.0.0.1\ndir %[4]s\nsentinel monitor %[1]s %[2]s %[3]s 2\nsentinel down-after-milliseconds %[1]s 2500\n"+
		"sentinel failover-timeout %[1]s 3000\nsentinel parallel-syncs %[1]s 2\n", masterName, host, port, dir, own)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
	run(tb, exec.Command(need.Binary(tb, "redis-server"), file, "--sentinel"), func([]byte) {})
	Await(tb, "the Sentinel to answer", func() bool { return strings.Contains(cli(tb, addr, "PING"), "PONG") })
	return addr
}

// cli runs a command and returns its output, or an empty string on errors.
func cli(tb testing.TB, addr string, command ...string) string {
	tb.Helper()
	host, port, _ := net.SplitHostPort(addr)
	out, err := exec.CommandContext(tb.Context(), need.Binary(tb, "redis-cli"), append([]string{"-h", host, "-p", port}, command...)...).Output()
	if err != nil {
		return ""
	}
	return string(out)
}

// Store returns the setting for this Redis; replicas is how many replicas must have a write.
func (t *Trio) Store(replicas int) string {
	return fmt.Sprintf("{type: redis, redis: {addrs: [%q, %q, %q], master: %s, replicas: %d}}",
		t.Sentinels[0], t.Sentinels[1], t.Sentinels[2], masterName, replicas)
}

// Master returns the server that the Sentinels report as master.
func (t *Trio) Master() *redistest.Server { return t.namedBy(0) }

func (t *Trio) namedBy(sentinel int) *redistest.Server {
	fields := strings.Fields(cli(t.tb, t.Sentinels[sentinel], "SENTINEL", "GET-MASTER-ADDR-BY-NAME", masterName))
	for _, s := range t.Servers {
		if len(fields) == 2 && s.Addr == net.JoinHostPort(fields[0], fields[1]) {
			return s
		}
	}
	return nil
}

// elects is how long Sentinels may take to elect a new master; on a busy machine an election can fail.
const elects = 30 * time.Second

// FailOver kills the master and waits until Sentinels have promoted another server, or until they fail to.
func (t *Trio) FailOver() (dead *redistest.Server) {
	t.tb.Helper()
	Await(t.tb, "a master", func() bool { dead = t.Master(); return dead != nil })
	dead.Kill()
	// The old master may return only when all Sentinels know the new one: before that they would send bridges to
	// stale data.
	late := time.Now().Add(elects)
	Await(t.tb, "another master", func() bool {
		for n := range t.Sentinels {
			now := t.namedBy(n)
			if now == nil || now == dead || !strings.Contains(cli(t.tb, now.Addr, "INFO", "replication"), "role:master") {
				return time.Now().After(late)
			}
		}
		return true
	})
	return dead
}

// CutSubscriptions breaks the connections that notify replicas of changes.
func (t *Trio) CutSubscriptions() {
	for _, s := range t.Servers {
		_ = cli(t.tb, s.Addr, "CLIENT", "KILL", "TYPE", "pubsub") // The server may be down.
	}
}

// Rejoin restarts a server and waits until it follows the new master or is the master again.
func (t *Trio) Rejoin(dead *redistest.Server) {
	t.tb.Helper()
	dead.Again()
	Await(t.tb, "the old master to find its place", func() bool {
		state := cli(t.tb, dead.Addr, "INFO", "replication")
		follows := strings.Contains(state, "role:slave") && strings.Contains(state, "master_link_status:up")
		return follows || strings.Contains(state, "connected_slaves:2")
	})
}

// StartSix starts a Cluster of three masters with one replica each, and returns masters and replicas.
func StartSix(tb testing.TB) (masters, replicas []*redistest.Server) {
	tb.Helper()
	const slots = 16384
	var all []*redistest.Server
	for n := range 6 {
		bus := redistest.Port(tb)
		node := redistest.Start(tb, "--cluster-enabled", "yes", "--cluster-node-timeout", "2000", "--cluster-port", bus)
		if all = append(all, node); n < 3 {
			node.Do("CLUSTER", "ADDSLOTSRANGE", fmt.Sprint(n*slots/3), fmt.Sprint((n+1)*slots/3-1))
		}
		if n > 0 {
			host, port, _ := net.SplitHostPort(node.Addr)
			all[0].Do("CLUSTER", "MEET", host, port, bus)
		}
	}
	masters, replicas = all[:3], all[3:]
	for n, node := range replicas {
		id := masters[n].Do("CLUSTER", "MYID")
		Await(tb, "the node to know its master", func() bool { return strings.Contains(node.Do("CLUSTER", "NODES"), id) })
		node.Do("CLUSTER", "REPLICATE", id)
	}
	for _, node := range all {
		Await(tb, "six nodes to agree", func() bool {
			return strings.Contains(node.Do("CLUSTER", "INFO"), "cluster_state:ok") && strings.Contains(node.Do("CLUSTER", "INFO"), "cluster_known_nodes:6")
		})
	}
	for _, node := range replicas {
		Await(tb, "the replica to follow", func() bool { return strings.Contains(node.Do("INFO", "replication"), "master_link_status:up") })
	}
	return masters, replicas
}

// ClusterStore returns the setting for a Cluster.
func ClusterStore(nodes []*redistest.Server, replicas int) string {
	var addrs []string
	for _, node := range nodes {
		addrs = append(addrs, node.Addr)
	}
	return fmt.Sprintf("{type: redis, redis: {cluster: true, addrs: [%s], replicas: %d}}", `"`+strings.Join(addrs, `", "`)+`"`, replicas)
}

// Owner returns the node of a Cluster that holds a request.
func Owner(tb testing.TB, nodes []*redistest.Server, id string) *redistest.Server {
	tb.Helper()
	for _, node := range nodes {
		if strings.Contains(node.Do("KEYS", "*"+id), id) && strings.Contains(node.Do("INFO", "replication"), "role:master") {
			return node
		}
	}
	tb.Fatalf("no master has %s", id)
	return nil
}
