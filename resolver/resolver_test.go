package resolver_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/askbridgetest"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/dialect"
	"github.com/askbridge/askbridge/resolver"
)

var _ resolver.Asker = (*bridge.Bridge)(nil)

const input = `{"questions":[{"question":"Which <queue>?","header":"Queue","options":[{"label":"Redis & co","description":"There"},{"label":"In-process","description":"New"}],"multiSelect":false},` +
	`{"question":"Which checks?","header":"Gates","options":[{"label":"Unit","description":""},{"label":"Lint","description":""}],"multiSelect":true}]}`

// The library's own types, as its documentation shows them.
type (
	theirOption struct {
		Label       string `json:"label" description:"The display text for this option"`
		Description string `json:"description" description:"Explanation of what this option means"`
	}
	theirQuestion struct {
		Question    string        `json:"question"`
		Header      string        `json:"header"`
		Options     []theirOption `json:"options"`
		MultiSelect bool          `json:"multiSelect"`
	}
	theirRequest struct {
		ToolCallID string
		Questions  []theirQuestion
	}
	theirAnswer struct {
		Question string
		Selected []string
		Other    string
	}
	theirFunc func(ctx context.Context, req theirRequest) ([]theirAnswer, error)
)

var errTheirs = errors.New("askuserquestion: resolver cancelled by user")

var set = theirRequest{ToolCallID: "call_1", Questions: []theirQuestion{
	{"Which <queue>?", "Queue", []theirOption{{"Redis & co", "There"}, {"In-process", "New"}}, false},
	{"Which checks?", "Gates", []theirOption{{"Unit", ""}, {"Lint", ""}}, true},
}}

func bubble(t *testing.T, f func(t *testing.T, w *askbridgetest.World)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f(t, askbridgetest.Start(t, &askbridgetest.Options{Platforms: []string{askbridgetest.Slack}}))
	})
}

func TestCustomTypesAnsweredFromChat(t *testing.T) {
	bubble(t, func(t *testing.T, w *askbridgetest.World) {
		var f theirFunc = resolver.For[theirRequest, theirAnswer](resolver.New(w.Bridge, &ask.Request{Session: "s1"}), errTheirs)
		answered := make(chan error, 1)
		go func() {
			dana := w.Slack.Seat("U0000001")
			time.Sleep(time.Hour)
			answered <- errors.Join(dana.Pick(t.Context(), "Which <queue>?", "In-process"), dana.Pick(t.Context(), "Which checks?", "Lint"),
				dana.Press(t.Context(), "Submit"))
		}()
		got, err := f(t.Context(), set)
		if failed := <-answered; err != nil || failed != nil {
			t.Fatal(err, failed)
		}
		want := []theirAnswer{{"Which <queue>?", []string{"In-process"}, ""}, {"Which checks?", []string{"Lint"}, ""}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		// The same tool call is the same question.
		if again, err := f(t.Context(), set); err != nil || !cmp.Equal(again, want) {
			t.Errorf("again %+v, %v", again, err)
		}
		if n := len(w.Slack.Timeline().Events(chatsim.Posted)); n != 1 {
			t.Errorf("%d messages", n)
		}
		result, err := dialect.RunTool(t.Context(), []byte(input), "call_1", resolver.New(w.Bridge, &ask.Request{Session: "s1"}))
		if err != nil || string(result.Body) != "Which <queue>?\nIn-process\n\nWhich checks?\n- Lint" {
			t.Errorf("the tool says %s, %v", result.Body, err)
		}
	})
}

func TestWhatPeopleAskTheAgentEndsTheCall(t *testing.T) {
	for name, asker := range map[string]func(*askbridgetest.World) resolver.Asker{
		"here": func(w *askbridgetest.World) resolver.Asker { return w.Bridge },
		"of a bridge elsewhere": func(w *askbridgetest.World) resolver.Asker {
			return resolver.AskFunc(func(ctx context.Context, r ask.Request) (ask.Outcome, error) {
				ended, err := w.Client.Ask(ctx, r)
				if err != nil {
					return ask.Outcome{}, err
				}
				return ended.Outcome(), nil
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *askbridgetest.World) {
				asked := make(chan error, 1)
				go func() {
					dana := w.Slack.Seat("U0000001")
					time.Sleep(time.Hour)
					asked <- errors.Join((chatsim.Hand{Seat: dana}).Rare(t.Context(), "Ask the agent…"), dana.AwaitText(t.Context(), "Your question"), dana.Fill(t.Context(), "", "Which region?"), dana.Submit(t.Context()))
				}()
				r := resolver.New(asker(w), &ask.Request{Session: "s1", AskBack: ask.AskBackStay, ExpiresIn: 2 * time.Hour})
				_, err := r.Ask(t.Context(), resolver.Request{ToolCallID: "call_1", Questions: []ask.Question{{Text: "Deploy?", Options: []ask.Option{{Label: "Yes"}, {Label: "No"}}}}})
				if failed := <-asked; failed != nil || !errors.Is(err, resolver.ErrReplied) || !strings.HasSuffix(err.Error(), "Which region?") {
					t.Errorf("it ends with %v, and people met %v", err, failed)
				}
			})
		})
	}
}

// A person at a shell revises what an agent waits for, and people answer the revision.
func TestRevisedAnswerIsRejected(t *testing.T) {
	yesNo := []ask.Option{{Label: "Yes"}, {Label: "No"}}
	for name, revised := range map[string]ask.Question{
		"another question": {Text: "Drop the database of production?", Options: yesNo},
		"other options":    {Text: "Drop the database of staging?", Options: []ask.Option{{Label: "Yes, tonight"}, {Label: "No"}}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *askbridgetest.World) {
				pressed := make(chan error, 1)
				go func() {
					time.Sleep(time.Hour)
					open, err := w.Client.List(t.Context(), client.ListQuery{})
					if err == nil {
						_, err = w.Client.Revise(t.Context(), open.Requests[0].ID, ask.Revision{Questions: []ask.Question{revised}})
					}
					dana, label := w.Slack.Seat("U0000001"), revised.Options[0].Label
					pressed <- errors.Join(err, dana.AwaitText(t.Context(), "Revised by the agent"), dana.Press(t.Context(), label))
				}()
				got, err := resolver.New(w.Bridge, nil).Ask(t.Context(), resolver.Request{ToolCallID: "call_1", Questions: []ask.Question{{Text: "Drop the database of staging?", Options: yesNo}}})
				if failed := <-pressed; failed != nil || !errors.Is(err, resolver.ErrFailed) || !strings.HasSuffix(err.Error(), "has been revised since") {
					t.Errorf("the agent is told %+v, %v (%v)", got, err, failed)
				}
			})
		})
	}
}

func TestUnansweredEndIsAnError(t *testing.T) {
	gone := errors.New("gone")
	by := ask.Person{Platform: "slack", ID: "U0000001"}
	for name, c := range map[string]struct {
		out  ask.Outcome
		err  error
		want error
		tool string
	}{
		"a person dismissed it": {ask.Outcome{State: ask.Cancelled, By: by, Reason: ask.Dismissed}, nil, resolver.ErrCancelled, "[cancelled by user]"},
		"a person replied":      {ask.Outcome{State: ask.Cancelled, By: by, Reason: "Ask me tomorrow"}, nil, resolver.ErrReplied, "resolver error: resolver: the questions were not answered; a person replied instead: Ask me tomorrow"},
		"the agent withdrew it": {ask.Outcome{State: ask.Cancelled, Reason: "plan changed"}, nil, resolver.ErrWithdrawn, "resolver error: resolver: the questions were withdrawn before anyone answered; do not assume an answer"},
		"newer questions":       {ask.Outcome{State: ask.Superseded}, nil, resolver.ErrWithdrawn, "resolver error: resolver: the questions were withdrawn before anyone answered; do not assume an answer"},
		"nobody answered":       {ask.Outcome{State: ask.Expired}, nil, resolver.ErrExpired, "resolver error: resolver: no one answered in time; do not assume an answer"},
		"it could not be shown": {ask.Outcome{State: ask.Failed, Reason: "slack: not_in_channel"}, nil, resolver.ErrFailed, "resolver error: resolver: the questions could not be asked; do not assume an answer: slack: not_in_channel"},
		"an empty answer":       {ask.Outcome{State: ask.Answered, Answers: []ask.Answer{{}}}, nil, resolver.ErrFailed, "resolver error: resolver: the questions could not be asked; do not assume an answer: the answer is empty"},
		"the bridge is away":    {ask.Outcome{}, gone, gone, "resolver error: resolver: ask: gone"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := resolver.New(resolver.AskFunc(func(context.Context, ask.Request) (ask.Outcome, error) { return c.out, c.err }), nil)
			if got, err := r.Ask(t.Context(), resolver.Request{Questions: []ask.Question{{Text: "Why?"}}}); got != nil || !errors.Is(err, c.want) {
				t.Errorf("%+v, %v", got, err)
			}
			result, err := dialect.RunTool(t.Context(), []byte(input), "call_1", r)
			if err != nil || string(result.Body) != c.tool {
				t.Errorf("the tool says %s, %v", result.Body, err)
			}
			_, err = resolver.For[theirRequest, theirAnswer](r, errTheirs)(t.Context(), set)
			if want := errors.Is(c.want, resolver.ErrCancelled); err == nil || errors.Is(err, errTheirs) != want {
				t.Errorf("their library gets %v", err)
			}
		})
	}
}

func TestContextErrorIsReturned(t *testing.T) {
	bubble(t, func(t *testing.T, w *askbridgetest.World) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := dialect.RunTool(ctx, []byte(input), "call_1", resolver.New(w.Bridge, nil))
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}

func TestTerminalAnswer(t *testing.T) {
	t.Parallel()
	questions := []ask.Question{
		{Text: "Which queue?", Options: []ask.Option{{Label: "Redis", Description: "There"}, {Label: "In-process"}}},
		{Text: "Which checks?", MultiSelect: true, Options: []ask.Option{{Label: "Unit"}, {Label: "Lint"}}},
		ask.YesNo("Now?"),
		{Text: "Why?"},
	}
	for name, c := range map[string]struct {
		typed string
		want  []resolver.Answer
	}{
		"numbers": {"2,2\n2, 1,2\n1\nIt is late.\n", []resolver.Answer{
			{Question: "Which queue?", Selected: []string{"In-process"}},
			{Question: "Which checks?", Selected: []string{"Unit", "Lint"}},
			{Question: "Now?", Selected: []string{"Yes"}},
			{Question: "Why?", Other: "It is late."},
		}},
		"own words, slips and no last line break": {"3\n1,2\nother\nOther NATS, if ops agrees\nx\nother all\nother no\n2\nBecause", []resolver.Answer{
			{Question: "Which queue?", Other: "NATS, if ops agrees"},
			{Question: "Which checks?", Other: "all"},
			{Question: "Now?", Selected: []string{"No"}},
			{Question: "Why?", Other: "Because"},
		}},
		"an empty line": {"1\n\n", nil},
		"nothing":       {"", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			got, err := resolver.Stdin{In: strings.NewReader(c.typed), Out: &out}.Ask(t.Context(), resolver.Request{Questions: questions})
			if diff := cmp.Diff(c.want, got); diff != "" || (c.want == nil) != errors.Is(err, resolver.ErrCancelled) {
				t.Errorf("%v\n%s", err, diff)
			}
			if !strings.Contains(out.String(), "  1  Redis: There\n  2  In-process\na number, or other and your words> ") {
				t.Errorf("it shows %s", &out)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (resolver.Stdin{In: strings.NewReader("1\n"), Out: &bytes.Buffer{}}).Ask(ctx, resolver.Request{Questions: questions}); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}

// A question could paint over the options with escape sequences or add one, so that a person chose another option
// than they read.
func TestAgentTextCannotOverwriteTerminalPrompt(t *testing.T) {
	t.Parallel()
	questions := []ask.Question{{Text: "Deploy?\x1b[2J\n  3  Wait", Header: "Deploy\u202e", Options: []ask.Option{
		{Label: "Yes\r  2  No", Description: "now\n  2  No"}, {Label: "No", Description: "later"},
	}}}
	var stdin, console bytes.Buffer
	for _, r := range []resolver.Resolver{resolver.Stdin{In: strings.NewReader("2\n"), Out: &stdin}, resolver.Console{In: strings.NewReader("2\n"), Out: &console}} {
		if got, err := r.Ask(t.Context(), resolver.Request{Questions: questions}); err != nil || !slices.Equal(got[0].Selected, []string{"No"}) {
			t.Errorf("%T: %+v, %v", r, got, err)
		}
	}
	if want := "\n" + `Deploy?\u001b[2J
     |   3  Wait
  1  Yes\u000d  2  No: now
     |   2  No
  2  No: later
a number, or other and your words> `; stdin.String() != want {
		t.Errorf("it shows %q", &stdin)
	}
	if want := "\n" + `Deploy\u202e: Deploy?\u001b[2J
     |   3  Wait
  1. Yes\u000d  2  No - now
     |   2  No
  2. No - later
  (Enter a number, or type custom text)
`; console.String() != want {
		t.Errorf("it shows %q", &console)
	}
}

// The lines of several calls come at once, as those of a script do.
func TestNextLineStaysForNextCall(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]func(io.Reader) resolver.Resolver{
		"stdin":   func(in io.Reader) resolver.Resolver { return resolver.Stdin{In: in, Out: io.Discard} },
		"console": func(in io.Reader) resolver.Resolver { return resolver.Console{In: in, Out: io.Discard} },
	} {
		r := of(strings.NewReader("1\n2\n"))
		for _, want := range []string{"Yes", "No"} {
			got, err := r.Ask(t.Context(), resolver.Request{Questions: []ask.Question{ask.YesNo("Now?")}})
			if err != nil || len(got) != 1 || !slices.Equal(got[0].Selected, []string{want}) {
				t.Errorf("%s: %+v, %v, want %s", name, got, err, want)
			}
		}
	}
}

func TestTerminalShowsHelpAndErrors(t *testing.T) {
	t.Parallel()
	options := []ask.Option{{Label: "A"}, {Label: "B"}}
	var out bytes.Buffer
	got, err := resolver.Stdin{In: strings.NewReader("x\n0\n1,2\n1\n1,2\nother\nother all\nother\n"), Out: &out}.Ask(t.Context(), resolver.Request{Questions: []ask.Question{
		{Text: "One?", Options: options, NoOther: true},
		{Text: "Some?", Options: options, NoOther: true, MultiSelect: true},
		{Text: "More?", Options: options, MultiSelect: true},
		{Text: "Why?"},
	}})
	want := []resolver.Answer{{Question: "One?", Selected: []string{"A"}}, {Question: "Some?", Selected: []string{"A", "B"}}, {Question: "More?", Other: "all"}, {Question: "Why?", Other: "other"}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	const shown = `
One?
  1  A
  2  B
a number> "x" is not a number from 1 to 2
> "0" is not a number from 1 to 2
> choose one
> 
Some?
  1  A
  2  B
numbers, parted by commas> 
More?
  1  A
  2  B
numbers, parted by commas, or other and your words> say what, as in: other next week
> 
Why?
> `
	if out.String() != shown {
		t.Errorf("it shows %s", &out)
	}
}

func TestBrokenTerminalIsNotADismissal(t *testing.T) {
	t.Parallel()
	broken := iotest.ErrReader(io.ErrUnexpectedEOF)
	for _, r := range []resolver.Resolver{resolver.Stdin{In: broken, Out: io.Discard}, resolver.Console{In: broken, Out: io.Discard}} {
		if got, err := r.Ask(t.Context(), resolver.Request{Questions: []ask.Question{ask.YesNo("Now?")}}); got != nil || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%T: %+v, %v", r, got, err)
		}
	}
}

func TestCannedAnswersAreGivenAsTheyAre(t *testing.T) {
	t.Parallel()
	canned := resolver.Static{Answers: []resolver.Answer{{Selected: []string{"In-process"}}, {Other: "all"}}}
	for name, r := range map[string]resolver.Resolver{
		"static": canned, "function": resolver.Func(func(ctx context.Context, q resolver.Request) ([]resolver.Answer, error) { return canned.Ask(ctx, q) }),
	} {
		result, err := dialect.RunTool(t.Context(), []byte(input), "", r)
		if err != nil || string(result.Body) != "Which <queue>?\nIn-process\n\nWhich checks?\nall" {
			t.Errorf("%s: %s, %v", name, result.Body, err)
		}
	}
	result, err := dialect.RunTool(t.Context(), []byte(input), "", resolver.Static{Err: resolver.ErrCancelled})
	if err != nil || result.IsError || string(result.Body) != "[cancelled by user]" {
		t.Errorf("cancelled: %s, %v", result.Body, err)
	}
}
