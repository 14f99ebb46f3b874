package connect_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/hosts/connect"
)

// codexServed runs a client of the double and a person who answers.
func codexServed(t *testing.T, o connect.CodexOptions, f func(t *testing.T, w *fixture, s *codexServer)) {
	t.Helper()
	bubble(t, func(t *testing.T, w *fixture) {
		s := newCodexServer(t)
		o.Dial = s.host.Dial
		if o.Token == "" {
			o.Token = codexToken
		}
		client, err := connect.NewCodex(w.bridge(0), "ws://127.0.0.1:4500", &o)
		if err != nil {
			t.Fatal(err)
		}
		defer w.runs(client.Run)()
		synctest.Wait()
		f(t, w, s)
	})
}

// gets waits until Codex has received exactly these responses.
func (s *codexServer) gets(want ...string) {
	s.Helper()
	time.Sleep(2 * time.Minute)
	synctest.Wait()
	if got, want := strings.Join(s.got(), "\n"), strings.Join(want, "\n"); got != want {
		s.Errorf("Codex got\n%s\nwant\n%s", got, want)
	}
}

const codexInProcess = `{"id":0,"result":{"answers":{"queue":{"answers":["In-process"]}}}}`

func TestCodexIsAnsweredOverItsSocket(t *testing.T) {
	codexServed(t, connect.CodexOptions{}, func(_ *testing.T, w *fixture, s *codexServer) {
		s.asks("0", "call_0")
		w.presses("In-process")
		s.gets(codexInProcess)
		s.asks("1", "call_1")
		w.types("Other…", "NATS")
		s.gets(codexInProcess, `{"id":1,"result":{"answers":{"queue":{"answers":["None of the above","user_note: NATS"]}}}}`)
		s.asks("2", "call_2")
		w.sees("[Redis]")
		w.dismisses()
		time.Sleep(2 * time.Minute)
		if got := s.got(); len(got) != 3 || !strings.Contains(got[2], `"user_note: Dana cancelled the questions.`) {
			s.Errorf("Codex got %s", got)
		}
	})
}

func TestWhatCodexAskedBeforeIsAskedOnJoining(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		s := newCodexServer(t)
		s.asks("0", "call_0")
		client, err := connect.NewCodex(w.bridge(0), "unix:///run/user/1000/codex.sock", &connect.CodexOptions{Token: codexToken, Dial: s.host.Dial})
		if err != nil {
			t.Fatal(err)
		}
		stop := w.runs(client.Run)
		w.sees("[Redis]")
		// A client that is down during the answer finds it when it starts again.
		stop()
		w.presses("In-process")
		defer w.runs(client.Run)()
		s.gets(codexInProcess)
		if n := len(w.dana.Messages("C0000001")); n != 1 {
			t.Errorf("%d messages", n)
		}
	})
}

func TestOtherCodexClientAnswerClosesCard(t *testing.T) {
	codexServed(t, connect.CodexOptions{}, func(_ *testing.T, w *fixture, s *codexServer) {
		s.asks("0", "call_0")
		w.sees("[Redis]")
		s.answeredThere("0")
		w.closed("it was answered in Codex")
		s.gets()
	})
}

func TestCodexEscapeShowsInChat(t *testing.T) {
	codexServed(t, connect.CodexOptions{}, func(_ *testing.T, w *fixture, s *codexServer) {
		s.asks("0", "call_0")
		w.sees("[Redis]")
		s.sends(codexInterrupted)
		s.answeredThere("0")
		w.closed("the turn was interrupted in Codex")
		s.gets()
	})
}

func TestAnswerReachesRestartedCodex(t *testing.T) {
	codexServed(t, connect.CodexOptions{}, func(_ *testing.T, w *fixture, s *codexServer) {
		s.asks("0", "call_0")
		w.sees("[Redis]")
		s.hangUp(true)
		w.presses("In-process")
		time.Sleep(time.Minute)
		s.mu.Lock()
		s.away = false
		s.mu.Unlock()
		s.gets(codexInProcess)
	})
}

// A restarted server numbers its requests from the beginning, so the number alone does not identify a question.
func TestEndedCodexClosesCard(t *testing.T) {
	codexServed(t, connect.CodexOptions{}, func(t *testing.T, w *fixture, s *codexServer) {
		s.asks("0", "call_0")
		w.sees("[Redis]")
		s.hangUp(true)
		w.presses("In-process")
		s.restarts()
		s.asks("0", "call_9")
		w.sees("[Redis]")
		s.gets()
		w.presses("Redis")
		s.gets(strings.Replace(codexInProcess, "In-process", "Redis", 1))

		s.asks("1", "call_10")
		w.sees("[Redis]")
		s.restarts()
		w.closed("Codex does not wait for it any more")
		if t.Failed() {
			t.Log(w.dana.Sees())
		}
	})
}

func TestCodexThreadIsJoinedWhenReady(t *testing.T) {
	codexServed(t, connect.CodexOptions{}, func(_ *testing.T, w *fixture, s *codexServer) {
		s.mu.Lock()
		s.fresh["thr_1"] = true
		s.mu.Unlock()
		s.hangUp(false)
		time.Sleep(time.Minute)
		s.mu.Lock()
		s.fresh["thr_1"] = false
		s.mu.Unlock()
		s.asks("0", "call_0")
		w.presses("In-process")
		s.gets(codexInProcess)
		// Unloaded and loaded again, it is joined again.
		s.mu.Lock()
		s.threads = []string{"thr_0"}
		s.lines[0].joined = nil
		s.mu.Unlock()
		time.Sleep(time.Minute)
		s.mu.Lock()
		s.threads = []string{"thr_0", "thr_1"}
		s.mu.Unlock()
		s.asks("1", "call_1")
		w.presses("In-process")
		s.gets(codexInProcess, strings.Replace(codexInProcess, "0", "1", 1))
	})
}

func TestNewCodexThreadIsJoined(t *testing.T) {
	codexServed(t, connect.CodexOptions{}, func(_ *testing.T, w *fixture, s *codexServer) {
		s.mu.Lock()
		s.threads = append(s.threads, "thr_2")
		s.mu.Unlock()
		s.sends(`{"method":"thread/started","params":{"thread":{"id":"thr_2"}}}`)
		synctest.Wait()
		s.mu.Lock()
		joined := strings.Join(s.lines[0].joined, " ")
		s.mu.Unlock()
		if joined != "thr_0 thr_1 thr_2" {
			s.Errorf("joined are %s", joined)
		}
		s.asks("0", "call_0")
		w.presses("In-process")
		s.gets(codexInProcess)
	})
}

func TestApprovalsOfCodexAreLeftToOthers(t *testing.T) {
	codexServed(t, connect.CodexOptions{}, func(_ *testing.T, w *fixture, s *codexServer) {
		for _, m := range []string{
			`{"method":"item/commandExecution/requestApproval","id":5,"params":{"threadId":"thr_1","turnId":"t","itemId":"i"}}`,
			`{"method":"item/tool/requestUserInput","id":6,"params":{"questions":[]}}`,
			`{"method":"item/tool/requestUserInput","id":7,"params":{"threadId":"thr_1","turnId":"t","itemId":"i","questions":[]}}`,
			`{"method":"item/tool/requestUserInput","params":{"threadId":"thr_1","turnId":"t","itemId":"j"}}`,
			`{"method":"serverRequest/resolved","params":7}`, `{"method":"thread/started","params":[]}`,
			`{"id":99,"result":{}}`, `{"id":1,"result":{"data":7}}`, `{`, `[]`,
		} {
			s.sends(m)
		}
		s.asks("0", "call_0")
		w.presses("In-process")
		s.gets(codexInProcess)
	})
}

func TestCodexWaitsForABridgeThatIsAway(t *testing.T) {
	codexServed(t, connect.CodexOptions{}, func(_ *testing.T, w *fixture, s *codexServer) {
		w.away.Store(true)
		s.asks("0", "call_0")
		time.Sleep(10 * time.Minute)
		w.away.Store(false)
		w.presses("In-process")
		s.gets(codexInProcess)
	})
}

func TestExpiredQuestionStaysInCodex(t *testing.T) {
	for name, tt := range map[string]struct {
		deny bool
		want []string
	}{
		"left pending": {},
		"rejected": {true, []string{
			`{"id":0,"result":{"answers":{"queue":{"answers":["user_note: Nobody answered in time, and the questions are closed. Do not assume an answer."]}}}}`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			o := connect.CodexOptions{Options: connect.Options{Wait: 10 * time.Minute, Deny: tt.deny}}
			codexServed(t, o, func(_ *testing.T, w *fixture, s *codexServer) {
				s.asks("0", "call_0")
				w.sees("[Redis]")
				time.Sleep(20 * time.Minute)
				s.gets(tt.want...)
			})
		})
	}
}

func TestCodexTokenMismatch(t *testing.T) {
	codexServed(t, connect.CodexOptions{Token: "wrong"}, func(t *testing.T, w *fixture, s *codexServer) {
		s.asks("0", "call_0")
		s.gets()
		if n := len(w.dana.Messages("C0000001")); n != 0 {
			t.Errorf("%d messages", n)
		}
	})
}

func TestInvalidCodexAddress(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "here", "http://127.0.0.1:1", "ws://dana:secret@127.0.0.1:1", "unix://"} {
		if _, err := connect.NewCodex(nil, address, nil); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", address, err)
		}
	}
	for _, address := range []string{"ws://127.0.0.1:4500", "wss://codex.example", "unix:///run/user/1000/codex.sock"} {
		if _, err := connect.NewCodex(nil, address, nil); err != nil {
			t.Errorf("%q: %v", address, err)
		}
	}
}
