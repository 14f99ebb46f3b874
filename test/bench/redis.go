package bench

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// database is a redis-server without persistence, so that no disk affects the measurement.
type database struct {
	*process

	addr string
	dir  string
}

// ignored lists commands of the benchmark itself, and those that keep a connection alive.
var ignored = []string{"info", "ping", "hello", "client|setname", "client|setinfo", "script|load"}

// startRedis starts a redis-server on a free port.
func startRedis(ctx context.Context) (*database, error) {
	port, err := freePort(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "askbridge-bench")
	if err != nil {
		return nil, err
	}
	d := &database{addr: "127.0.0.1:" + port, dir: dir}
	d.process, err = start(ctx, nil, "redis-server",
		"--port", port, "--bind", "127.0.0.1", "--dir", dir,
		"--save", "", "--appendonly", "no", "--maxmemory-policy", "noeviction",
	)
	if err != nil {
		return nil, err
	}
	if err := until(ctx, 10*time.Second, "redis-server to answer", func() bool { _, err := d.do(ctx, "PING"); return err == nil }); err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

func (d *database) close() {
	d.kill()
	_ = os.RemoveAll(d.dir)
}

// freePort finds a free port. Another process may take it first; then redis-server fails to start.
func freePort(ctx context.Context) (string, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, err
}

// do sends one command whose reply is a line or a single string.
func (d *database) do(ctx context.Context, words ...string) (string, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", d.addr)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, strings.Join(words, " ")+"\r\n"); err != nil {
		return "", err
	}
	r := bufio.NewReader(conn)
	line, err := r.ReadString('\n')
	if err != nil {
		return "", err
	}
	line = strings.TrimSpace(line)
	if n, err := strconv.Atoi(strings.TrimPrefix(line, "$")); err == nil && line[0] == '$' && n >= 0 {
		text := make([]byte, n)
		_, err := io.ReadFull(r, text)
		return string(text), err
	}
	if line != "" && line[0] == '-' {
		return "", fmt.Errorf("redis: %s", line[1:])
	}
	return line, nil
}

// commands returns how often each command has run, including calls from scripts.
func (d *database) commands(ctx context.Context) (map[string]int, error) {
	text, err := d.do(ctx, "INFO commandstats")
	if err != nil {
		return nil, err
	}
	all := map[string]int{}
	for line := range strings.Lines(text) {
		name, rest, _ := strings.Cut(strings.TrimPrefix(line, "cmdstat_"), ":")
		var n int
		if _, err := fmt.Sscanf(rest, "calls=%d", &n); err == nil && !slices.Contains(ignored, name) {
			all[name] = n
		}
	}
	return all, nil
}

// spent returns which commands have run since before.
func (d *database) spent(ctx context.Context, before map[string]int) (total int, each map[string]int, err error) {
	now, err := d.commands(ctx)
	if err != nil {
		return 0, nil, err
	}
	each = map[string]int{}
	for name, n := range now {
		if n -= before[name]; n > 0 {
			each[name] = n
			total += n
		}
	}
	return total, each, nil
}

// memory returns the memory of the data set.
func (d *database) memory(ctx context.Context) (int64, error) {
	n, err := d.number(ctx, "memory", "used_memory_dataset")
	return int64(n), err
}

// number returns one number of INFO.
func (d *database) number(ctx context.Context, section, name string) (float64, error) {
	text, err := d.do(ctx, "INFO "+section)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(text) {
		if value, found := strings.CutPrefix(strings.TrimSpace(line), name+":"); found {
			return strconv.ParseFloat(value, 64)
		}
	}
	return 0, fmt.Errorf("redis: INFO has no %s", name)
}

// until polls until ok returns true.
func until(ctx context.Context, most time.Duration, what string, ok func() bool) error {
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	late := time.After(most)
	for !ok() {
		select {
		case <-tick.C:
		case <-late:
			return fmt.Errorf("bench: timeout after %s waiting for %s", most, what)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// rest waits for d, or until ctx ends.
func rest(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
