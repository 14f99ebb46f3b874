package claude_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/hosts/claude"
	"github.com/askbridge/askbridge/test/claudehost"
	"github.com/askbridge/askbridge/test/golden"
)

const (
	question    = `{"questions":[{"question":"Which queue?","header":"Queue","multiSelect":false,"options":[{"label":"Redis Streams","description":"Already deployed"},{"label":"In-process","description":"No new parts"}]}]}`
	command     = `{"command":"npm test -- --watch","description":"Run the tests"}`
	suggestions = `[{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"npm test:*"}],"behavior":"allow","destination":"session"}]`
)

// terminal is a session of the host with the hooks that install writes.
type terminal struct {
	*fixture
	*claudehost.Host

	opts claude.Options
	// slow is how long the program of an asking hook takes to start.
	slow time.Duration
	// held delays the output of the answering hook until it is closed; nil delays nothing.
	held chan struct{}
}

// open opens a session in a permission mode.
func (w *fixture) open(mode string, change ...func(*claude.Options, *claude.Install)) *terminal {
	w.Helper()
	t := &terminal{fixture: w, opts: byDana()}
	t.opts.Beside = w.TempDir()
	install := claude.Install{Command: "askbridge hook claude", Wait: claude.DefaultWait, Permissions: true, Plans: true, Beside: true}
	for _, f := range change {
		f(&t.opts, &install)
	}
	if t.opts.Wait > 0 {
		install.Wait = t.opts.Wait
	}
	settings, err := install.Apply(nil)
	if err != nil {
		w.Fatal(err)
	}
	t.Host = &claudehost.Host{Settings: settings.Text, Mode: mode, Session: "6b0f7c3e", Folder: "/home/dana/ledger", Run: t.runs}
	return t
}

// runs is the program that the settings name.
func (s *terminal) runs(ctx context.Context, _ string, stdin []byte) ([]byte, int) {
	opts := s.opts
	if opts.Began = time.Now(); strings.Contains(string(stdin), `"PermissionRequest"`) {
		time.Sleep(s.slow)
	}
	out, err := s.hook(opts).Run(ctx, stdin)
	if s.held != nil && len(out) > 0 {
		<-s.held
	}
	if err != nil && !errors.Is(err, claude.ErrTime) && ctx.Err() == nil {
		s.Errorf("the hook fails: %v", err)
		return out, 1
	}
	return out, 0
}

// ends closes the session, in which the hooks have done nothing that the host refuses.
func (s *terminal) ends() (transcript string) {
	s.Helper()
	transcript, faults := s.Close()
	for _, f := range faults {
		s.Errorf("the host refuses: %s\n%s", f, transcript)
	}
	return transcript
}

// endedHere is the card's text after its hook was ended.
const endedHere = "denied or interrupted in the terminal, or the terminal was closed"

// card returns the state of the card once everything is delivered.
func (s *terminal) card() string {
	time.Sleep(time.Minute)
	synctest.Wait()
	sees := s.dana.Sees()
	for _, standing := range []string{"[In-process]", "[Allow]"} {
		if strings.Contains(sees, standing) {
			return "still asks"
		}
	}
	for _, text := range []string{
		"answered in the terminal", "the terminal has moved on", "nobody answered in time, and the agent's own screen asks now", "the agent has stopped waiting", endedHere, "Answered by",
	} {
		if strings.Contains(sees, text) {
			return text
		}
	}
	return sees
}

// posted waits until the card can be pressed, if one is posted.
func (s *terminal) posted(label string) {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), time.Minute)
	defer cancel()
	if err := s.dana.AwaitText(ctx, "["+label+"]"); err != nil {
		s.Fatalf("no card: %v", err)
	}
}

// later lets time pass in the bubble.
func later(d time.Duration) { time.Sleep(d) }

// Each permission mode, with the terminal first, chat first, both within a millisecond, and no answer. The
// transcripts come from the host's double.
func TestFirstDecisionCountsInEveryMode(t *testing.T) {
	t.Parallel()
	const which, pick = "Which queue?", "In-process"
	const before, after = -time.Millisecond, time.Millisecond
	for _, mode := range []string{"default", "acceptEdits", "plan", "auto", "bypassPermissions", "dontAsk"} {
		for _, first := range []struct {
			name string
			// at is when the terminal answers, where chat answers after an hour; zero never.
			terminal, chat time.Duration
		}{
			{name: "terminal-first", terminal: time.Hour},
			{name: "chat-first", chat: time.Hour},
			{name: "terminal-a-millisecond-before-chat", terminal: time.Hour + before, chat: time.Hour},
			{name: "chat-a-millisecond-before-the-terminal", terminal: time.Hour + after, chat: time.Hour},
			{name: "neither"},
		} {
			t.Run(mode+"/"+first.name, func(t *testing.T) {
				bubble(t, func(t *testing.T, w *fixture) {
					s := w.open(mode, func(o *claude.Options, _ *claude.Install) { o.Wait = 2 * time.Hour })
					use := s.Use(t.Context(), claudehost.Call{Tool: "AskUserQuestion", Input: question})
					s.posted(pick)
					var people sync.WaitGroup
					if first.terminal > 0 {
						people.Go(func() {
							time.Sleep(first.terminal)
							select {
							case <-use.Dialog():
								use.Answer(which, "Redis Streams")
							default: // In the other modes the terminal waits for PreToolUse.
							}
						})
					}
					if first.chat > 0 {
						people.Go(func() {
							time.Sleep(first.chat)
							_ = w.dana.Press(t.Context(), pick) // The card may be closed.
						})
					}
					people.Wait()
					if first.chat == 0 {
						// A person finally answers at the terminal.
						time.Sleep(3 * time.Hour)
						select {
						case <-use.Dialog():
							use.Answer(which, "Redis Streams")
						default:
						}
					}
					v := use.Wait()
					_, answers, _ := strings.Cut(v.Input, `"answers":`)
					answers, _, _ = strings.Cut(answers, "}")
					text := fmt.Sprintf("%sdecided by the %s: %s}\nthe card: %s\n", s.ends(), v.By, answers, s.card())
					golden.Check(t, "testdata/flows/"+mode+"-"+first.name+".txt", []byte(text))
				})
			})
		}
	}
}

func TestPermissionIsDecidedOnce(t *testing.T) {
	for name, c := range map[string]struct {
		mode, tool, input string
		decide            func(s *terminal, use *claudehost.Use)
		fails             bool
		card              string
	}{
		"the terminal allows": {mode: "default", tool: "Bash", input: command, card: "answered in the terminal", decide: func(_ *terminal, use *claudehost.Use) {
			use.Allow()
		}},
		"the terminal allows what then fails": {mode: "default", tool: "Bash", input: command, fails: true, card: "answered in the terminal", decide: func(_ *terminal, use *claudehost.Use) {
			use.Allow()
		}},
		"the terminal refuses": {mode: "default", tool: "Bash", input: command, card: endedHere, decide: func(_ *terminal, use *claudehost.Use) {
			use.Deny()
		}},
		"the terminal refuses in another mode": {mode: "acceptEdits", tool: "Bash", input: command, card: endedHere, decide: func(_ *terminal, use *claudehost.Use) {
			use.Deny()
		}},
		"chat allows": {mode: "default", tool: "Bash", input: command, card: "Answered by", decide: func(s *terminal, _ *claudehost.Use) {
			s.presses(0, "Allow")
		}},
		"chat refuses": {mode: "default", tool: "Bash", input: command, card: "Answered by", decide: func(s *terminal, _ *claudehost.Use) {
			s.presses(0, "Deny")
		}},
		"chat approves a plan": {mode: "plan", tool: "ExitPlanMode", input: `{"plan":"1. Move it."}`, card: "Answered by", decide: func(s *terminal, _ *claudehost.Use) {
			s.presses(0, "Allow")
		}},
		"the terminal approves a plan": {mode: "plan", tool: "ExitPlanMode", input: `{"plan":"1. Move it."}`, card: "answered in the terminal", decide: func(_ *terminal, use *claudehost.Use) {
			use.Allow()
		}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				s := w.open(c.mode)
				use := s.Use(t.Context(), claudehost.Call{Tool: c.tool, Input: c.input, Fails: c.fails})
				s.posted("Allow")
				time.Sleep(time.Hour)
				c.decide(s, use)
				verdict := use.Wait()
				if by := map[bool]string{true: "terminal", false: "hook"}[strings.HasPrefix(name, "the terminal")]; verdict.By != by {
					t.Errorf("the %s decided: %+v", verdict.By, verdict)
				}
				if runs := !strings.Contains(name, "refuses"); verdict.Ran != runs || runs && verdict.Input != c.input {
					t.Errorf("it ran %t with %s", verdict.Ran, verdict.Input)
				}
				if text := s.card(); text != c.card {
					t.Errorf("card: %s", text)
				}
				s.ends()
			})
		})
	}
}

// The host accepts only its own suggestion, for the session at most.
func TestWhatIsAllowedForTheSessionIsWhatTheHostSuggested(t *testing.T) {
	local := strings.Replace(suggestions, `"session"`, `"localSettings"`, 1)
	for name, suggested := range map[string]string{"for the session": suggestions, "for the repository": local} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				s := w.open("default")
				use := s.Use(t.Context(), claudehost.Call{Tool: "Bash", Input: command, Suggestions: suggested})
				s.posted("2")
				if sees := w.dana.Sees(); !strings.Contains(sees, "Every command that begins with “npm test” runs without asking, until this session ends.") {
					t.Errorf("the card: %s", sees)
				}
				w.presses(time.Minute, "2")
				if v := use.Wait(); v.By != "hook" || v.Input != command || len(v.Kept) != 1 || !strings.Contains(v.Kept[0], `"destination":"session"`) {
					t.Errorf("decided: %+v", v)
				}
				s.ends()
			})
		})
	}
}

// The host's own dialog does not allow such a call with one key, so chat does not with one tap.
func TestCallWhoseDialogDefaultsToNoIsConfirmed(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		sent := strings.Replace(string(recorded(t, "permission")), `"tool_name":"Bash"`, `"tool_name":"Bash","defaultToNo":true`, 1)
		done := w.run(t.Context(), byDana(), []byte(sent))
		w.presses(time.Minute, "Allow")
		if err := w.dana.AwaitText(t.Context(), "Confirm your answer"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		select {
		case r := <-done:
			t.Fatalf("one tap was enough: %s, %v", r.out, r.err)
		default:
		}
		if err := w.dana.Submit(t.Context()); err != nil {
			t.Fatal(err)
		}
		if r := <-done; !strings.Contains(r.out, `"behavior":"allow"`) || r.err != nil {
			t.Errorf("got %s, %v", r.out, r.err)
		}
	})
}

// The dialog is answered before the card is posted: the hook may take seconds.
func TestTerminalDecisionClosesCard(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		s := w.open("default")
		use := s.Use(t.Context(), claudehost.Call{Tool: "Bash", Input: command})
		<-use.Dialog()
		// A person is slower than a program that starts, and quicker than a card that is posted.
		for waits, _ := filepath.Glob(filepath.Join(s.opts.Beside, "*", "*")); len(waits) == 0; waits, _ = filepath.Glob(filepath.Join(s.opts.Beside, "*", "*")) {
			runtime.Gosched()
		}
		use.Allow()
		use.Wait()
		if text := s.card(); text == "still asks" {
			t.Errorf("card: %s", text)
		}
		s.ends()
	})
}

// The hook's program takes a second to start, and the terminal has answered by then, in every mode in which the
// terminal asks as well.
func TestTerminalDecisionBeforeHookPostsNoCard(t *testing.T) {
	for name, c := range map[string]struct {
		mode, tool, input string
		answer            func(use *claudehost.Use)
		fails             bool
	}{
		"default-question":           {mode: "default", tool: "AskUserQuestion", input: question, answer: func(use *claudehost.Use) { use.Answer("Which queue?", "Redis Streams") }},
		"default-command":            {mode: "default", tool: "Bash", input: command, answer: func(use *claudehost.Use) { use.Allow() }},
		"default-command-that-fails": {mode: "default", tool: "Bash", input: command, fails: true, answer: func(use *claudehost.Use) { use.Allow() }},
		"acceptEdits-command":        {mode: "acceptEdits", tool: "Bash", input: command, answer: func(use *claudehost.Use) { use.Allow() }},
		"plan-plan":                  {mode: "plan", tool: "ExitPlanMode", input: `{"plan":"1. Move it."}`, answer: func(use *claudehost.Use) { use.Allow() }},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				s := w.open(c.mode)
				s.slow = time.Second
				use := s.Use(t.Context(), claudehost.Call{Tool: c.tool, Input: c.input, Fails: c.fails})
				<-use.Dialog()
				time.Sleep(10 * time.Millisecond)
				c.answer(use)
				v := use.Wait()
				time.Sleep(time.Minute)
				synctest.Wait()
				if n := len(w.dana.Messages("C0000001")); n != 0 {
					t.Errorf("%d cards", n)
				}
				// A later call of the same is asked again.
				next := s.Use(t.Context(), claudehost.Call{Tool: "Bash", Input: command})
				s.posted("Allow")
				w.presses(0, "Deny")
				next.Wait()
				golden.Check(t, "testdata/flows/quicker-"+name+".txt", fmt.Sprintf("%sthe first was decided by the %s\n", s.ends(), v.By))
			})
		})
	}
}

// Two equal calls share a card. After one is answered at the terminal, the other can still be answered in chat.
func TestEqualPromptsShareACardThatStaysForTheOther(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		s := w.open("default")
		one := s.Use(t.Context(), claudehost.Call{Tool: "Bash", Input: command})
		two := s.Use(t.Context(), claudehost.Call{Tool: "Bash", Input: command})
		s.posted("Allow")
		time.Sleep(time.Minute)
		if n := len(w.dana.Messages("C0000001")); n != 1 {
			t.Fatalf("%d cards", n)
		}
		one.Allow()
		one.Wait()
		if text := s.card(); text != "still asks" {
			t.Errorf("the card, with one of them decided: %s", text)
		}
		w.presses(time.Minute, "Allow")
		if v := two.Wait(); v.By != "hook" || v.Input != command {
			t.Errorf("the other was decided: %+v", v)
		}
		// A later call is asked again.
		three := s.Use(t.Context(), claudehost.Call{Tool: "Bash", Input: command})
		s.posted("Allow")
		time.Sleep(time.Minute)
		three.Allow()
		if v := three.Wait(); v.By != "terminal" {
			t.Errorf("a third was decided: %+v", v)
		}
		if text := s.card(); text == "still asks" {
			t.Errorf("card: %s", text)
		}
		s.ends()
	})
}

func TestAnotherSessionsCardStays(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		s := w.open("default")
		other := *s
		other.Host = &claudehost.Host{Settings: s.Settings, Mode: "default", Session: "77777777", Folder: s.Folder, Run: other.runs}
		use := s.Use(t.Context(), claudehost.Call{Tool: "Bash", Input: command})
		s.posted("Allow")
		time.Sleep(time.Minute)
		other.Stop(t.Context())
		if text := s.card(); text != "still asks" {
			t.Errorf("card: %s", text)
		}
		w.presses(0, "Allow")
		if v := use.Wait(); v.By != "hook" || v.Input != command {
			t.Errorf("decided: %+v", v)
		}
		other.ends()
		s.ends()
	})
}

// The late output of an overruled hook is ignored and harms nothing.
func TestChatAnswerAfterTerminalIsIgnored(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		s := w.open("default")
		s.held = make(chan struct{})
		use := s.Use(t.Context(), claudehost.Call{Tool: "Bash", Input: command})
		s.posted("Deny")
		w.presses(time.Minute, "Deny")
		time.Sleep(time.Second)
		if !use.Allow() {
			t.Error("the dialog was closed")
		}
		if v := use.Wait(); v.By != "terminal" || !v.Ran {
			t.Errorf("decided: %+v", v)
		}
		close(s.held)
		if transcript := s.ends(); !strings.Contains(transcript, "afterwards: PermissionRequest decides too late") {
			t.Errorf("seen: %s", transcript)
		}
	})
}

// With --own, the host's screen waits, as before.
func TestChatOnlyMode(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		s := w.open("default", func(o *claude.Options, i *claude.Install) { o.Beside, i.Beside = "", false })
		use := s.Use(t.Context(), claudehost.Call{Tool: "AskUserQuestion", Input: question})
		s.posted("In-process")
		select {
		case <-use.Dialog():
			t.Error("the terminal asks")
		default:
		}
		w.presses(time.Hour, "In-process")
		if v := use.Wait(); v.By != "hook" || !strings.Contains(v.Input, `"answers":{"Which queue?":"In-process"}`) {
			t.Errorf("decided: %+v", v)
		}
		s.ends()
	})
}

// Nothing is asked if the hooks of a session cannot find each other.
func TestUnwritableFolderFallsBackToTerminal(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		o := byDana()
		o.Beside = "/dev/null/claude"
		if r := <-w.run(t.Context(), o, recorded(t, "permission")); r.out != "" || r.err == nil || !strings.Contains(r.err.Error(), "find each other") {
			t.Errorf("got %s, %v", r.out, r.err)
		}
		if n := len(w.dana.Messages("C0000001")); n != 0 {
			t.Errorf("%d messages", n)
		}
	})
}
