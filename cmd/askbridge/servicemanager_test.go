package main

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestReloadRightAfterStart imitates systemd, which reloads as soon as the service reports that it has started. A SIGHUP
// once killed the program at that time, which systemd took for a clean exit without a restart.
func TestReloadRightAfterStart(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "unit") //nolint:usetesting // The path of a socket has to be short.
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket := filepath.Join(dir, "notify")
	manager, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer manager.Close()
	config := "listen: 127.0.0.1:0\nstore: {type: memory}\nlog: {format: json}\nslack: {bot_token: xoxb-sim, app_token: xapp-sim, api_url: \"http://127.0.0.1:1/api/\"}\n"
	if err := os.WriteFile(filepath.Join(dir, "askbridge.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	p, _, err := begin(t, dir, append(os.Environ(), "NOTIFY_SOCKET="+socket), 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := manager.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	reply := make([]byte, 100)
	n, err := manager.Read(reply)
	if err != nil || string(reply[:n]) != "READY=1" {
		t.Fatalf("notification for systemd is %q: %v", reply[:n], err)
	}
	p.hangUp(bounded(t), "configuration reloaded")
	if code := p.kill(syscall.SIGTERM); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
