package connect_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/hosts/connect"
)

// crushClient runs a client of the double until the returned function is called.
func (w *fixture) crushClient(c *http.Client, o connect.CrushOptions) (stop func()) {
	w.Helper()
	o.HTTP = c
	client, err := connect.NewCrush(w.bridge(0), "tcp://127.0.0.1:4096", &o)
	if err != nil {
		w.Fatal(err)
	}
	stop = w.runs(client.Run)
	synctest.Wait()
	return stop
}

func crushed(t *testing.T, o connect.CrushOptions, f func(t *testing.T, w *fixture, host *crush)) {
	t.Helper()
	bubble(t, func(t *testing.T, w *fixture) {
		host, c := newCrush(t)
		defer w.crushClient(c, o)()
		f(t, w, host)
	})
}

// gets waits until Crush has received this and nothing else.
func (d *crush) gets(want string) {
	d.Helper()
	time.Sleep(time.Minute)
	if got := d.got("w1"); got != want {
		d.Errorf("Crush got %q, want %q", got, want)
	}
}

func TestCrushIsAnsweredFromChat(t *testing.T) {
	crushed(t, connect.CrushOptions{}, func(t *testing.T, w *fixture, host *crush) {
		host.asks("w1", "b-1")
		w.presses("In-process")
		host.gets(`b-1: q-1 [local] ""`)
		w.closed("In-process")
		host.asks("w1", "b-2")
		w.presses("Redis")
		host.gets("b-1: q-1 [local] \"\"\nb-2: q-1 [redis] \"\"")
	})
}

func TestCrushGetsEveryKindOfAnswer(t *testing.T) {
	crushed(t, connect.CrushOptions{}, func(t *testing.T, w *fixture, host *crush) {
		host.asks("w1", "b-1",
			crushAsking{ID: "q-1", Type: "multi_choice", Question: "Which checks?", Description: "On main.", Choices: []crushChoice{{"unit", "Unit tests"}, {"lint", "Lint"}, {"race", "Race detector"}}},
			crushAsking{ID: "q-2", Type: "yes_no", Question: "Deploy?", Description: "To production."},
			crushAsking{ID: "q-3", Type: "single_choice", Question: "Which queue?", Description: "For jobs.", Choices: []crushChoice{{"redis", "Redis"}, {"local", "In-process"}}},
			crushAsking{ID: "q-4", Type: "free_text", Question: "Anything else?", Description: "For the log."},
		)
		w.sees("Which checks?")
		w.picks("Which checks?", "Unit tests", "Race detector")
		w.picks("Deploy?", "No")
		w.types("Other…", "NATS, if ops agrees", "Which queue?")
		w.types("Answer…", "Mind the gap")
		w.presses("Submit")
		host.gets(`b-1: q-1 [unit race] ""; q-2 yes=false; q-3 [] "NATS, if ops agrees"; q-4 [] "Mind the gap"`)
	})
}

func TestCrushMayOfferFiveChoices(t *testing.T) {
	crushed(t, connect.CrushOptions{}, func(_ *testing.T, w *fixture, host *crush) {
		host.asks("w1", "b-1", crushAsking{ID: "q-1", Type: "single_choice", Question: "Which?", Description: "d", Choices: []crushChoice{
			{"a", "One"}, {"b", "Two"}, {"c", "Three"}, {"d", "Four"}, {"e", "Five"},
		}}, crushAsking{ID: "q-2", Type: "multi_choice", Question: "And?", Description: "d", Choices: []crushChoice{
			{"a", "Alpha"}, {"b", "Beta"}, {"c", "Gamma"}, {"d", "Delta"}, {"e", "Epsilon"},
		}})
		w.sees("Epsilon")
		w.picks("Which?", "Three")
		w.picks("And?", "Alpha", "Epsilon")
		w.presses("Submit")
		host.gets(`b-1: q-1 [c] ""; q-2 [a e] ""`)
	})
}

func TestDismissalCancelsInCrush(t *testing.T) {
	crushed(t, connect.CrushOptions{}, func(_ *testing.T, w *fixture, host *crush) {
		host.asks("w1", "b-1")
		w.sees("[Redis]")
		w.dismisses()
		host.gets("b-1: cancelled")
	})
}

func TestWhatEndsInCrushIsClosedInChat(t *testing.T) {
	for name, tt := range map[string]struct {
		happens func(host *crush)
		because string
	}{
		"answered on its own screen": {
			func(host *crush) { host.here("w1", func(s *crushSpace) { s.settle("there") }) }, "it was answered in Crush",
		},
		"the turn was stopped": {
			func(host *crush) { host.here("w1", func(s *crushSpace) { s.result() }) }, "it was answered in Crush",
		},
		"the turn has ended": {
			func(host *crush) {
				host.here("w1", func(s *crushSpace) {
					s.publish("run_complete", `{"session_id":"ses_2","cancelled":true}`)
					s.publish("run_complete", `{"session_id":"ses_1","cancelled":true}`)
				})
			}, "the agent's turn has ended",
		},
		"ended while the line was down": {
			func(host *crush) {
				host.hangUp(false)
				host.here("w1", func(s *crushSpace) { s.settle("there") })
			}, "it was answered in Crush",
		},
		"the project was closed": {func(host *crush) { host.shut("w1") }, "Crush has closed the project"},
		"something else is asked": {
			func(host *crush) {
				host.asks("w1", "b-2", crushAsking{ID: "q", Type: "free_text", Question: "Why?", Description: "d"})
			},
			"the agent asks something else now",
		},
	} {
		t.Run(name, func(t *testing.T) {
			crushed(t, connect.CrushOptions{}, func(t *testing.T, w *fixture, host *crush) {
				host.asks("w1", "b-1")
				w.sees("[Redis]")
				tt.happens(host)
				w.sees(tt.because)
				if sees := w.dana.Sees(); strings.Contains(sees, "[Redis]") {
					t.Errorf("card: %s", sees)
				}
			})
		})
	}
}

// The server takes an answer for whatever question is pending, so a late answer must not be posted.
func TestLateAnswerIsNotForNextCrushQuestion(t *testing.T) {
	crushed(t, connect.CrushOptions{}, func(_ *testing.T, w *fixture, host *crush) {
		host.asks("w1", "b-1")
		w.sees("[Redis]")
		// The connection is down, so the end of the question is lost.
		host.hangUp(true)
		w.presses("Redis")
		host.here("w1", func(s *crushSpace) { s.result() })
		host.here("w1", func(s *crushSpace) { s.pending = &crushBatch{ID: "b-2", ToolCall: "call_b-2"} })
		host.mu.Lock()
		host.cut = false
		host.mu.Unlock()
		host.gets("")
	})
}

func TestAnswerReachesRestartedCrush(t *testing.T) {
	crushed(t, connect.CrushOptions{}, func(_ *testing.T, w *fixture, host *crush) {
		host.asks("w1", "b-1")
		w.sees("[Redis]")
		host.hangUp(true)
		w.presses("Redis")
		time.Sleep(10 * time.Second)
		host.mu.Lock()
		host.cut = false
		host.mu.Unlock()
		host.gets(`b-1: q-1 [redis] ""`)
	})
}

func TestCrushWaitsForABridgeThatIsAway(t *testing.T) {
	crushed(t, connect.CrushOptions{}, func(_ *testing.T, w *fixture, host *crush) {
		w.away.Store(true)
		host.asks("w1", "b-1")
		time.Sleep(5 * time.Minute)
		w.away.Store(false)
		w.sees("[Redis]")
		w.away.Store(true)
		time.Sleep(5 * time.Minute)
		w.away.Store(false)
		w.presses("Redis")
		host.gets(`b-1: q-1 [redis] ""`)
	})
}

// way is the path between a client and a server.
type way func(r *http.Request) (*http.Response, error)

func (f way) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A wrong token was reported every few seconds as a missing bridge.
func TestUnknownTokenLeavesQuestionToCrush(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		calls := 0
		bridge, err := client.New(w.URL, &client.Options{Token: "your-token", Sealed: true, HTTP: &http.Client{Transport: way(func(r *http.Request) (*http.Response, error) {
			calls++
			return &http.Response{StatusCode: http.StatusUnauthorized, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
		})}})
		if err != nil {
			t.Fatal(err)
		}
		host, c := newCrush(t)
		crush, err := connect.NewCrush(bridge, "tcp://127.0.0.1:4096", &connect.CrushOptions{HTTP: c})
		if err != nil {
			t.Fatal(err)
		}
		defer w.runs(crush.Run)()
		synctest.Wait()
		host.asks("w1", "b-1")
		host.gets("")
		if calls != 1 {
			t.Errorf("the bridge was asked %d times", calls)
		}
	})
}

func TestExpiredQuestionStaysInCrush(t *testing.T) {
	for name, tt := range map[string]struct {
		deny bool
		want string
	}{
		"left pending": {false, ""},
		"cancelled":    {true, "b-1: cancelled"},
	} {
		t.Run(name, func(t *testing.T) {
			o := connect.CrushOptions{Options: connect.Options{Wait: 10 * time.Minute, Deny: tt.deny}}
			crushed(t, o, func(_ *testing.T, w *fixture, host *crush) {
				host.asks("w1", "b-1")
				w.sees("[Redis]")
				time.Sleep(20 * time.Minute)
				host.gets(tt.want)
			})
		})
	}
}

func TestOnlyTheNamedProjectOfCrushIsAnsweredFor(t *testing.T) {
	o := connect.CrushOptions{Directory: "/home/dana/ledger"}
	crushed(t, o, func(t *testing.T, w *fixture, host *crush) {
		host.open("w2", "/home/dana/diary")
		time.Sleep(time.Minute)
		host.asks("w2", "b-2")
		host.asks("w1", "b-1")
		w.presses("Redis")
		host.gets(`b-1: q-1 [redis] ""`)
		if got := host.got("w2"); got != "" || strings.Contains(w.dana.Sees(), "b-2") {
			t.Errorf("the other project got %q", got)
		}
	})
}

func TestLaterProjectIsAnswered(t *testing.T) {
	crushed(t, connect.CrushOptions{}, func(t *testing.T, w *fixture, host *crush) {
		host.open("w2", "/home/dana/diary")
		time.Sleep(time.Minute)
		host.asks("w2", "b-2")
		w.presses("Redis")
		time.Sleep(time.Minute)
		if got := host.got("w2"); got != `b-2: q-1 [redis] ""` {
			t.Errorf("Crush got %q", got)
		}
	})
}

func TestEventsOfCrushThatCannotBeReadDoNoHarm(t *testing.T) {
	crushed(t, connect.CrushOptions{}, func(_ *testing.T, w *fixture, host *crush) {
		host.here("w1", func(s *crushSpace) {
			for _, c := range s.streams {
				c <- "{"
			}
			s.publish("question_batch_request", `{"questions":7}`)
			s.publish("question_batch_request", `{"id":"b-0","session_id":"ses_1","tool_call_id":"call_0","questions":[{"id":"q","type":"guess","question":"?"}]}`)
			s.publish("question_batch_notification", `7`)
			s.publish("message", `{"parts":"none"}`)
			s.publish("run_complete", `[]`)
			s.publish("lsp_event", `{}`)
		})
		host.asks("w1", "b-1")
		w.presses("Redis")
		host.gets(`b-1: q-1 [redis] ""`)
	})
}

func TestInvalidCrushAddress(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "here", "npipe:////./pipe/crush.sock", "http://dana:secret@127.0.0.1:1", "unix://"} {
		if _, err := connect.NewCrush(nil, address, nil); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", address, err)
		}
	}
	for _, address := range []string{"unix:///run/user/1000/crush-1000.sock", "tcp://127.0.0.1:4096", "http://127.0.0.1:4096/"} {
		if _, err := connect.NewCrush(nil, address, nil); err != nil {
			t.Errorf("%q: %v", address, err)
		}
	}
}
