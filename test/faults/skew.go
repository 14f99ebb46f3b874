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

// aheadBy is the environment variable with the seconds by which a replica's wall clock is ahead.
const aheadBy = "CLOCK_AHEAD"

// clocked is the program with a wrong wall clock. Go asks the kernel for the time without a library that a test
// could replace, so package time is built with another function for the wall clock. The monotonic clock stays as it
// is.
func clocked(tb testing.TB) *Variant {
	tb.Helper()
	cmd := exec.CommandContext(tb.Context(), "go", "env", "GOROOT")
	cmd.Dir = root()
	out, err := cmd.Output()
	if err != nil {
		tb.Fatalf("find Go's sources: %v", err)
	}
	in := filepath.Join(strings.TrimSpace(string(out)), "src", "time")
	return &Variant{Name: "clocked", Edits: []Edit{
		{filepath.Join(in, "time.go"), "	sec, nsec, mono := runtimeNow()\n", "	sec, nsec, mono := runtimeNow()\n	sec += ahead\n"},
		{filepath.Join(in, "zoneinfo_unix.go"), "func initLocal() {", `var ahead = func() int64 {
	text, _ := syscall.Getenv("` + aheadBy + `")
	seconds, _ := atoi(text)
	return int64(seconds)
}()

func initLocal() {`},
	}}
}

// clockSource is a library that shifts the wall clock of the program that loads it.
const clockSource = `
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t id, struct timespec *ts) {
  int failed = syscall(SYS_clock_gettime, id, ts);
  if (!failed && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) ts->tv_sec += SKEW;
  return failed;
}

int gettimeofday(struct timeval *tv, void *zone) {
  struct timespec ts;
  int failed = clock_gettime(CLOCK_REALTIME, &ts);
  tv->tv_sec = ts.tv_sec;
  tv->tv_usec = ts.tv_nsec / 1000;
  return failed;
}

time_t time(time_t *t) {
  struct timespec ts;
  clock_gettime(CLOCK_REALTIME, &ts);
  if (t) *t = ts.tv_sec;
  return ts.tv_sec;
}
`

// startSkewed runs a redis-server with a wrong clock until the test ends, and returns its address.
func startSkewed(tb testing.TB, ahead time.Duration) string {
	tb.Helper()
	dir := tb.TempDir()
	source, library := filepath.Join(dir, "clock.c"), filepath.Join(dir, "clock.so")
	if err := os.WriteFile(source, []byte(clockSource), 0o600); err != nil {
		tb.Fatal(err)
	}
	compile := exec.CommandContext(tb.Context(), need.Binary(tb, "gcc"), "-shared", "-fPIC", "-o", library, source, fmt.Sprintf("-DSKEW=(%d)", int(ahead.Seconds())))
	if out, err := compile.CombinedOutput(); err != nil {
		tb.Fatalf("%v\n%s", err, out)
	}
	port := redistest.Port(tb)
	cmd := exec.Command(need.Binary(tb, "redis-server"), "--port", port, "--bind", "127.0.0.1", "--dir", dir, "--save", "")
	cmd.Env = append(os.Environ(), "LD_PRELOAD="+library)
	run(tb, cmd, func([]byte) {})
	addr := net.JoinHostPort("127.0.0.1", port)
	Await(tb, "redis-server to report the wrong time", func() bool {
		var seconds int64
		_, err := fmt.Sscan(strings.TrimSpace(cli(tb, addr, "TIME")), &seconds)
		off := time.Until(time.Unix(seconds, 0)) - ahead
		return err == nil && off.Abs() < 5*time.Second
	})
	return addr
}
