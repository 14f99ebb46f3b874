package redistest_test

import (
	"crypto/tls"
	"errors"
	"net"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/askbridge/askbridge/test/redistest"
)

func TestServerKeepsDataAfterKill(t *testing.T) {
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

func TestPortStaysReserved(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	s.Kill()
	_, text, err := net.SplitHostPort(s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Close(fd) }()
	// Not what the system asks itself when somebody wants any port, and answered alike.
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("bind the reserved port: got %v", err)
	}
	s.Again()
	if got := s.Do("PING"); got != "PONG" {
		t.Errorf("the server's reply on its port = %q", got)
	}
}

func TestServersAreIndependent(t *testing.T) {
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

func TestClusterCoversSlots(t *testing.T) {
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
		t.Errorf("sentinel reports %s:%s, the master is at %s", host, port, master.Addr)
	}
}

func TestReplicaFollowsItsMaster(t *testing.T) {
	t.Parallel()
	master := redistest.Start(t)
	replica := redistest.StartReplica(t, master)
	master.Do("SET", "a", "copied")
	if n := master.Do("WAIT", "1", "10000"); n != "1" {
		t.Errorf("%s replicas have the write, want 1", n)
	}
	if got := replica.Do("INFO", "replication"); !strings.Contains(got, "role:slave") {
		t.Errorf("the replica replies %q", got)
	}
}

func TestServerTLS(t *testing.T) {
	t.Parallel()
	one, two := redistest.StartTLS(t), redistest.StartTLS(t)
	one.Do("SET", "a", "sealed")
	if got := one.Do("GET", "a"); got != "sealed" || !strings.HasPrefix(one.URL, "rediss://") {
		t.Errorf("%s: got %q", one.URL, got)
	}
	if conn, err := tls.Dial("tcp", one.Addr, two.TLS); err == nil {
		_ = conn.Close()
		t.Error("the certificate of one server convinced a client of the other one")
	}
}
