package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// terminalPair opens a terminal, and the side that sees what is printed.
func terminalPair(t *testing.T) (near, far *os.File) {
	t.Helper()
	far, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	var number, unlocked int32
	for request, value := range map[uintptr]*int32{syscall.TIOCSPTLCK: &unlocked, syscall.TIOCGPTN: &number} {
		if _, _, failed := syscall.Syscall(syscall.SYS_IOCTL, far.Fd(), request, uintptr(unsafe.Pointer(value))); failed != 0 {
			t.Fatal(failed)
		}
	}
	near, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { near.Close(); far.Close() })
	return near, far
}

// Somebody answers with what a terminal would obey.
func TestAnAnswerDoesNothingToATerminal(t *testing.T) {
	t.Parallel()
	const typed = "yes \u202e\U000e0041 \x1b]0;owned\x07\x1b[2K"
	ctx, o := bounded(t), openOffice(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	answers := func(args ...string) *program {
		p := &program{T: t, cmd: exec.CommandContext(ctx, self, append([]string{"ask", "--url", o.address, "--to", "slack:C0000001", "--key", "k1", "Which?"}, args...)...)}
		p.cmd.Args[0] = "askbridge"
		p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stderr
		return p
	}
	near, far := terminalPair(t)
	first := answers()
	first.cmd.Stdout, first.cmd.Stderr = near, near
	if err := first.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	o.presses(ctx, "Answer…")
	open := func(string) bool { return o.dana.Form() != nil }
	if err := errors.Join(o.dana.Await(ctx, open), o.dana.Fill(ctx, "", typed), o.dana.Submit(ctx)); err != nil {
		t.Fatal(err)
	}
	if err := first.cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	near.Close()
	seen, _ := io.ReadAll(far) // A terminal that is hung up ends in an error.
	printed := string(seen)
	if at := strings.LastIndex(printed, "\x1b[K"); at >= 0 {
		printed = printed[at+len("\x1b[K"):] // The waiting line is ours.
	}
	if strings.ContainsAny(printed, "\x1b\x07\u202e\U000e0041") || !strings.HasPrefix(printed, "yes ") {
		t.Errorf("the terminal gets %q", printed)
	}
	// The bytes are there for whoever wants them.
	piped, whole := answers(), answers("--json")
	for _, p := range []*program{piped, whole} {
		if err := p.cmd.Run(); err != nil {
			t.Fatalf("%v: %s", err, &p.stderr)
		}
	}
	var r struct {
		Answers []struct{ Other string }
	}
	if err := json.Unmarshal(whole.stdout.Bytes(), &r); err != nil || r.Answers[0].Other+"\n" != piped.stdout.String() {
		t.Errorf("%v: JSON has %q, the pipe %q", err, whole.stdout.String(), piped.stdout.String())
	}
	if strings.ContainsAny(whole.stdout.String(), "\x1b\x07\u202e\U000e0041") {
		t.Errorf("JSON has %q", whole.stdout.String())
	}
}
