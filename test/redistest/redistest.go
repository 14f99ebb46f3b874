// Package redistest runs a real redis-server for a test: on its own loopback port, in its own directory, and with
// the append-only file on. Redis writes to the file before it replies and leaves syncing to the system, so
// acknowledged writes survive the process, and a slow disk blocks no one.
//
// A test that needs Redis fails if redis-server is not installed. It is never skipped.
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
	// Addr is host:port; URL is redis://host:port/0, or rediss: with TLS.
	Addr, URL string
	// TLS is the client configuration for a server with TLS, otherwise nil.
	TLS *tls.Config
	// Dir is the directory of its files.
	Dir string

	tb   testing.TB
	args []string
	run  *running
}

// running is one run of the process.
type running struct {
	cmd    *exec.Cmd
	output bytes.Buffer
	exited chan struct{}
}

const patience = time.Minute

// Start runs a server until the test and its subtests have ended. Pass settings as on the command line:
// "--maxmemory", "2mb".
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

// serve starts the process on a free port. If [Port] cannot reserve the port, another process may take it first, so
// serve tries again.
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

// Port returns a loopback port for a redis-server and reserves it until the test ends, even while the server is
// down. On Linux it binds the port without listening, and SO_REUSEADDR lets redis-server bind it too. Other systems
// do not allow both, so there the port is only free.
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

// start runs the process and waits until it accepts commands.
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
		// A server that requires a password is ready too.
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

// Kill sends SIGKILL and waits until the process has ended. Calling it twice is fine.
func (s *Server) Kill() { s.end(syscall.SIGKILL) }

// Stop shuts the process down and waits for it.
func (s *Server) Stop() { s.end(syscall.SIGTERM) }

func (s *Server) end(signal syscall.Signal) {
	if s.run == nil {
		return
	}
	_ = s.run.cmd.Process.Signal(signal)
	<-s.run.exited
	s.run = nil
}

// Again restarts the process after Kill or Stop, on the same port and with the same files.
func (s *Server) Again() {
	s.tb.Helper()
	if err := s.start(); err != nil {
		s.tb.Fatal(err)
	}
}

// Pause freezes the process.
func (s *Server) Pause() { _ = s.run.cmd.Process.Signal(syscall.SIGSTOP) }

// Resume continues a paused process.
func (s *Server) Resume() { _ = s.run.cmd.Process.Signal(syscall.SIGCONT) }

// Do runs one command and returns its reply as text, one line per element of an array.
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
		return "", fmt.Errorf("redis: %s", rest)
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
