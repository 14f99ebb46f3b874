package chatsim_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/askbridge/askbridge/chatsim"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func get(ctx context.Context, client *http.Client, url string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return "", err
	}
	resp, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return string(body), err
}

func TestNetInSynctest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		host := chatsim.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Hour)
			_, _ = io.WriteString(w, r.Host+r.URL.Path)
		}))
		before := time.Now()
		body, err := get(t.Context(), host.Client(), "http://anything.example/path")
		if err != nil || body != "anything.example/path" || time.Since(before) != time.Hour {
			t.Errorf("%q, %v, after %v", body, err, time.Since(before))
		}
		if err := host.Close(); err != nil {
			t.Error(err)
		}
		if err := host.Close(); err != nil {
			t.Errorf("closing twice: %v", err)
		}
		if _, err := get(t.Context(), host.Client(), "http://anything.example"); !errors.Is(err, net.ErrClosed) {
			t.Errorf("after the end: %v", err)
		}
	})
}

func TestDialHonorsContext(t *testing.T) {
	t.Parallel()
	n := chatsim.NewNet()
	defer n.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := n.Dial(ctx, "tcp", "unknown:80"); !errors.Is(err, context.Canceled) {
		t.Errorf("the dial ended with %v", err)
	}
}

func TestTimelineString(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var line chatsim.Timeline
		line.Add(chatsim.Event{Kind: chatsim.Posted, Channel: "C1", Message: "1.1", Text: "hello"})
		time.Sleep(time.Second)
		line.Add(chatsim.Event{Kind: chatsim.Pressed, Person: "U1", Where: "b/a"})
		want := "00:00:00.000 posted in C1 on 1.1: hello\n00:00:01.000 pressed by U1 at b/a\n"
		if got := line.String(); got != want {
			t.Errorf("the timeline reads\n%s\nwant\n%s", got, want)
		}
		if got := line.Since(1); len(got) != 1 || got[0].Seq != 2 {
			t.Errorf("after the first: %v", got)
		}
		if got := line.Events(chatsim.Posted); len(got) != 1 {
			t.Errorf("posted: %v", got)
		}
	})
}

func TestFaultsApplyInOrder(t *testing.T) {
	t.Parallel()
	var cues chatsim.Cues
	cues.Add("post", chatsim.Status(500).Times(2))
	cues.Add(chatsim.Any, chatsim.Hang())
	cues.Add("post", chatsim.Delay(time.Second).Always())
	var got []string
	for _, target := range []string{"post", "edit", "post", "post", "edit", "post"} {
		got = append(got, cues.Take(target, chatsim.Any).Name())
	}
	if want := "status,hang,status,delay,,delay"; strings.Join(got, ",") != want {
		t.Errorf("the faults were %v, want %s", got, want)
	}
	cues.Clear()
	if got := cues.Take("post").Name(); got != "" {
		t.Errorf("after clearing: %s", got)
	}
}

// tb records what a double reports to a test.
type tb struct {
	errors  []string
	cleanup []func()
}

func (*tb) Helper()                          {}
func (r *tb) Errorf(format string, a ...any) { r.errors = append(r.errors, fmt.Sprintf(format, a...)) }
func (r *tb) Cleanup(f func())               { r.cleanup = append(r.cleanup, f) }

// sim is a double with only a ledger.
type sim struct {
	chatsim.Sim

	ledger chatsim.Ledger
}

func (*sim) Platform() string          { return "toy" }
func (s *sim) Ledger() *chatsim.Ledger { return &s.ledger }
func (*sim) Close() error              { return errors.New("stuck") }

func TestGuardFailsOnUnexpectedViolation(t *testing.T) {
	t.Parallel()
	var r tb
	var s sim
	chatsim.Guard(&r, &s)
	s.Ledger().Expect("label", "trigger")
	s.Ledger().Record(chatsim.Violation{Rule: "label", Where: "post", Detail: "too long"})
	s.Ledger().Record(chatsim.Violation{Rule: "ack", Where: "press", Detail: "late", Doc: "https://example.com"})
	for _, f := range r.cleanup {
		f()
	}
	want := []string{
		"toy double: close: stuck",
		"toy double: rule broken: ack at press: late (https://example.com)",
		`toy double: expected the rule "trigger" to be broken, and it was not`,
	}
	if strings.Join(r.errors, "\n") != strings.Join(want, "\n") {
		t.Errorf("the test received\n%s", strings.Join(r.errors, "\n"))
	}
	if len(s.ledger.All()) != 2 {
		t.Error("a violation is missing")
	}
}

func TestAwait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var changed chatsim.Signal
		var n atomic.Int32
		go func() {
			for range 3 {
				time.Sleep(time.Second)
				n.Add(1)
				changed.Notify()
			}
		}()
		if err := changed.Await(t.Context(), func() bool { return n.Load() == 3 }); err != nil {
			t.Error(err)
		}
		before := time.Now()
		if err := changed.Await(t.Context(), func() bool { return false }); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the wait ended with %v", err)
		}
		if time.Since(before) != time.Minute {
			t.Errorf("it took %v", time.Since(before))
		}
	})
}

// Curl declares everything it sends to be a form, including the JSON of the README.
func TestTrafficRecordsMislabelledBodies(t *testing.T) {
	t.Parallel()
	var traffic chatsim.Traffic
	traffic.Keep(10)
	host := chatsim.Serve(traffic.Record("agent", "program", http.NotFoundHandler(), func(*http.Request) bool { return false }))
	t.Cleanup(func() { _ = host.Close() })
	for _, tt := range []struct{ sent, kept string }{
		{`{"questions": [{"question": "Now & then?"}]}`, `{"questions": [{"question": "Now & then?"}]}`},
		{`payload=%7B%22a%22%3A1%7D&token=secret&text=Hi`, `{"payload":{"a":1},"text":"Hi"}`},
	} {
		resp, err := host.Client().Post("http://program/", "application/x-www-form-urlencoded", strings.NewReader(tt.sent))
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		all, _ := traffic.Since(0)
		if got := all[len(all)-1].Request; got != tt.kept {
			t.Errorf("of %s is kept %s, want %s", tt.sent, got, tt.kept)
		}
	}
}
