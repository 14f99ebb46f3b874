package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// terminalPair opens a pseudo-terminal and returns both sides.
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

// On a terminal of 80 columns the help was cut in the middle of words.
func TestHelpFitsTerminal(t *testing.T) {
	t.Parallel()
	near, far := terminalPair(t)
	size := [4]uint16{24, 80}
	if _, _, failed := syscall.Syscall(syscall.SYS_IOCTL, near.Fd(), syscall.TIOCSWINSZ, uintptr(unsafe.Pointer(&size))); failed != 0 {
		t.Fatal(failed)
	}
	seen := make(chan string)
	go func() {
		text, _ := io.ReadAll(far) // Reading a closed terminal fails.
		seen <- strings.ReplaceAll(string(text), "\r\n", "\n")
	}()
	code := run(t.Context(), []string{"help", "ask"}, near, io.Discard)
	near.Close()
	out := <-seen
	if code != exitOK || !strings.Contains(out, "--need number         how many people have to choose the same: a number,\n                            all or majority") {
		t.Errorf("help: exit code %d, terminal has:\n%s", code, out)
	}
	flags := out[strings.Index(out, "Flags:"):]
	for line := range strings.Lines(out[:strings.Index(out, "Examples:")] + flags) {
		if len(line) > 81 {
			t.Errorf("too long for the terminal: %q", line)
		}
	}
}

// A person answers with terminal escape sequences, and the bridge does not remove them.
func TestAnswerIsEscapedOnTerminal(t *testing.T) {
	t.Parallel()
	const typed, hostile = "yes \u202e\U000e0041 \x1b]0;owned\x07\x1b[2K", "\x1b\x07\u202e\U000e0041"
	ctx, o := bounded(t), openOffice(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	answers := func(url string, args ...string) *program {
		p := &program{T: t, cmd: exec.CommandContext(ctx, self, append([]string{"ask", "--url", url, "--to", "slack:C0000001", "--key", "k1", "Which?"}, args...)...)}
		p.cmd.Args[0] = "askbridge"
		p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stderr
		return p
	}
	// prints runs a program on a terminal, and returns what that gets.
	prints := func(p *program, meanwhile func()) string {
		near, far := terminalPair(t)
		p.cmd.Stdout, p.cmd.Stderr = near, near
		if err := p.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		meanwhile()
		if err := p.cmd.Wait(); err != nil {
			t.Fatal(err)
		}
		near.Close()
		seen, _ := io.ReadAll(far) // Reading a closed terminal fails.
		printed := string(seen)
		if at := strings.LastIndex(printed, "\x1b[K"); at >= 0 {
			printed = printed[at+len("\x1b[K"):] // The waiting line is ours.
		}
		return printed
	}
	printed := prints(answers(o.address), func() {
		o.presses(ctx, "Answer…")
		open := func(string) bool { return o.dana.Form() != nil }
		if err := errors.Join(o.dana.Await(ctx, open), o.dana.Fill(ctx, "", typed), o.dana.Submit(ctx)); err != nil {
			t.Fatal(err)
		}
	})
	if strings.ContainsAny(printed, hostile) || !strings.HasPrefix(printed, "yes ") {
		t.Errorf("terminal has %q", printed)
	}
	// A pipe gets the original text.
	piped, whole := answers(o.address), answers(o.address, "--json")
	for _, p := range []*program{piped, whole} {
		if err := p.cmd.Run(); err != nil {
			t.Fatalf("%v: %s", err, &p.stderr)
		}
	}
	var r struct {
		Answers []struct{ Other string }
	}
	if err := json.Unmarshal(whole.stdout.Bytes(), &r); err != nil || r.Answers[0].Other+"\n" != piped.stdout.String() {
		t.Fatalf("%v: JSON has %q, the pipe %q", err, whole.stdout.String(), piped.stdout.String())
	}
	if strings.ContainsAny(whole.stdout.String(), hostile) {
		t.Errorf("JSON has %q", whole.stdout.String())
	}
	clean, _ := json.Marshal(r.Answers[0].Other)
	raw, _ := json.Marshal(typed)
	out := bytes.ReplaceAll(whole.stdout.Bytes(), clean, raw)
	careless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(out)
	}))
	t.Cleanup(careless.Close)
	printed = prints(answers(careless.URL), func() {})
	if strings.ContainsAny(printed, hostile) || !strings.Contains(printed, "yes ") {
		t.Errorf("terminal has %q", printed)
	}
}
