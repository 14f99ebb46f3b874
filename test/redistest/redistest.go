// Package redistest runs a real redis-server for a test: on a port of loopback
// that is its own until the test ends, in a directory of its own, with the
// append-only file on. Redis writes there before it replies and leaves it to the
// system when that reaches the disk: what was acknowledged outlives the process,
// and a slow disk stops nobody.
//
// A test that needs Redis fails when redis-server is not installed; it is never
// skipped.
package redistest

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/askbridge/askbridge/test/need"
)

// Server is a running redis-server.
type Server struct {
	// Addr is its host:port, URL the same as redis://host:port/0, or rediss: for
	// one that speaks TLS.
	Addr, URL string
	// TLS is what a client needs for one that speaks TLS; nil for others.
	TLS *tls.Config
	// Dir is where it keeps its files.
	Dir string

	tb   testing.TB
	args []string
	run  *running
}

// running is one life of the process.
type running struct {
	cmd    *exec.Cmd
	output bytes.Buffer
	exited chan struct{}
}

const patience = time.Minute

// Start runs a server until the test and its subtests have ended. Extra
// settings are given as on the command line: "--maxmemory", "2mb".
func Start(tb testing.TB, settings ...string) *Server {
	tb.Helper()
	s := &Server{tb: tb, Dir: tb.TempDir()}
	tb.Cleanup(s.Kill)
	s.serve(func(port string) []string {
		return append([]string{
			"--port", port, "--bind", "127.0.0.1", "--dir", s.Dir,
			"--appendonly", "yes", "--appendfsync", "no", "--save", "", "--repl-diskless-sync-delay", "0",
		}, settings...)
	})
	return s
}

// serve starts the process on a port of its own. Where [Port] cannot hold it,
// somebody may take it between our look and our use, so it tries again.
func (s *Server) serve(args func(port string) []string) {
	s.tb.Helper()
	for range 10 {
		port := Port(s.tb)
		s.Addr = net.JoinHostPort("127.0.0.1", port)
		if s.URL = "redis://" + s.Addr + "/0"; s.TLS != nil {
			s.URL = "rediss://" + s.Addr + "/0"
		}
		s.args = args(port)
		err := s.start()
		if err == nil {
			return
		}
		if !strings.Contains(err.Error(), "Address already in use") {
			s.tb.Fatal(err)
		}
	}
	s.tb.Fatal("redistest: no free port for redis-server")
}

// Port returns a port of loopback for a redis-server. Nobody else gets it until
// the test ends, also while the server is down: it is bound, without anybody
// listening, by a socket that lets another one bind it that reuses addresses and
// names it. Systems other than Linux do not allow both, so there it is only free.
func Port(tb testing.TB) string {
	tb.Helper()
	syscall.ForkLock.RLock()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		tb.Fatal(err)
	}
	free := func() { _ = syscall.Close(fd) }
	if runtime.GOOS == "linux" {
		tb.Cleanup(free)
	} else {
		defer free()
	}
	if err := syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1); err != nil {
		tb.Fatal(err)
	}
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		tb.Fatal(err)
	}
	bound, err := syscall.Getsockname(fd)
	if err != nil {
		tb.Fatal(err)
	}
	return strconv.Itoa(bound.(*syscall.SockaddrInet4).Port)
}

// start runs the process and waits until it serves.
func (s *Server) start() error {
	r := &running{exited: make(chan struct{})}
	r.cmd = exec.Command(need.Binary(s.tb, "redis-server"), s.args...)
	r.cmd.Stdout, r.cmd.Stderr = &r.output, &r.output
	if err := r.cmd.Start(); err != nil {
		return fmt.Errorf("redistest: %w", err)
	}
	s.run = r
	go func() {
		defer close(r.exited)
		_ = r.cmd.Wait()
	}()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	late := time.After(patience)
	for {
		// One that wants a password serves too.
		if _, err := s.try("PING"); err == nil || strings.Contains(err.Error(), "NOAUTH") {
			return nil
		}
		select {
		case <-tick.C:
		case <-r.exited:
			return fmt.Errorf("redistest: redis-server ended at once:\n%s", &r.output)
		case <-late:
			s.Kill()
			return fmt.Errorf("redistest: redis-server does not answer:\n%s", &r.output)
		}
	}
}

// Kill ends the process as kill -9 does, and waits until it is gone. Killing
// twice is fine.
func (s *Server) Kill() { s.end(syscall.SIGKILL) }

// Stop lets the process end in good order, and waits for it.
func (s *Server) Stop() { s.end(syscall.SIGTERM) }

func (s *Server) end(signal syscall.Signal) {
	if s.run == nil {
		return
	}
	_ = s.run.cmd.Process.Signal(signal)
	<-s.run.exited
	s.run = nil
}

// Again starts the process once more after Kill or Stop, on the same port and
// with what the directory holds.
func (s *Server) Again() {
	s.tb.Helper()
	if err := s.start(); err != nil {
		s.tb.Fatal(err)
	}
}

// Pause freezes the process, Resume lets it go on.
func (s *Server) Pause() { _ = s.run.cmd.Process.Signal(syscall.SIGSTOP) }

// Resume lets a paused process go on.
func (s *Server) Resume() { _ = s.run.cmd.Process.Signal(syscall.SIGCONT) }

// Do sends one command and returns its reply as text, the elements of an array
// on a line each.
func (s *Server) Do(command ...string) string {
	s.tb.Helper()
	reply, err := s.try(command...)
	if err != nil {
		s.tb.Fatalf("redistest: %s: %v", strings.Join(command, " "), err)
	}
	return reply
}

func (s *Server) try(command ...string) (string, error) {
	conn, err := s.dial()
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(patience))
	var request bytes.Buffer
	fmt.Fprintf(&request, "*%d\r\n", len(command))
	for _, word := range command {
		fmt.Fprintf(&request, "$%d\r\n%s\r\n", len(word), word)
	}
	if _, err := request.WriteTo(conn); err != nil {
		return "", err
	}
	return readReply(bufio.NewReader(conn))
}

func (s *Server) dial() (net.Conn, error) {
	d := net.Dialer{Timeout: patience}
	if s.TLS != nil {
		return tls.DialWithDialer(&d, "tcp", s.Addr, s.TLS)
	}
	return d.Dial("tcp", s.Addr)
}

func readReply(r *bufio.Reader) (string, error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return "", err
	}
	line = strings.TrimRight(line, "\r\n")
	kind, rest := line[0], line[1:]
	switch kind {
	case '+', ':':
		return rest, nil
	case '-':
		return "", fmt.Errorf("redis says: %s", rest)
	}
	n, err := strconv.Atoi(rest)
	if err != nil || n < 0 {
		return "", err
	}
	if kind == '$' {
		text := make([]byte, n+2)
		_, err := io.ReadFull(r, text)
		return string(text[:n]), err
	}
	elements := make([]string, n)
	for i := range elements {
		if elements[i], err = readReply(r); err != nil {
			return "", err
		}
	}
	return strings.Join(elements, "\n"), nil
}
