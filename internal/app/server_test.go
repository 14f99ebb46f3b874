package app

import (
	"errors"
	"net"
	"testing"
	"time"

	"github.com/askbridge/askbridge/chatsim"
)

func TestAFullHouseLetsTheNextOneInWhenSomebodyLeaves(t *testing.T) {
	t.Parallel()
	inside := chatsim.NewNet()
	ln := limit(inside, 1)
	accepted := make(chan net.Conn)
	ended := make(chan error, 1)
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				ended <- err
				return
			}
			accepted <- conn
		}
	}()
	dial := func() <-chan net.Conn {
		got := make(chan net.Conn, 1)
		go func() {
			conn, err := inside.Dial(t.Context(), "tcp", "app")
			if err == nil {
				got <- conn
			}
			close(got)
		}()
		return got
	}
	first := dial()
	guest := <-accepted
	second := dial()
	select {
	case <-accepted:
		t.Fatal("two were let in")
	case <-time.After(20 * time.Millisecond):
	}
	_ = guest.Close()
	_ = guest.Close() // Leaving twice makes room once.
	next := <-accepted

	// Closing ends a wait for room too, and whoever is still outside goes away.
	third := dial()
	_ = ln.Close()
	if err := <-ended; !errors.Is(err, net.ErrClosed) {
		t.Errorf("Accept = %v", err)
	}
	_ = next.Close()
	for _, outside := range []<-chan net.Conn{first, second, third} {
		if conn := <-outside; conn != nil {
			_ = conn.Close()
		}
	}
}

func TestConnectionsLeaveRoomForTheProgramsOwnFiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what  string
		files uint64
		want  int
	}{
		{"a shell's usual limit", 1024, 512},
		{"hardly any", 256, 128},
		{"a small container", 20_000, 19_488},
		{"no limit", 1 << 63, mostConns},
	} {
		if got := connsWithin(c.files); got != c.want {
			t.Errorf("%s: %d connections, want %d", c.what, got, c.want)
		}
	}
	if n := connsWithin(openFiles()); n < 1 {
		t.Errorf("%d connections here", n)
	}
}
