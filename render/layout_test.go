package render_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/blockkit"
	"github.com/askbridge/askbridge/render/components"
)

// shared is a platform without lists whose message everybody sees updated.
var shared = render.Limits{Platform: "discord", Text: 4000, Part: 4000, Parts: 40, Questions: 5, ButtonText: 38, SharedDraft: true}

func asking(questions ...ask.Question) render.Subject {
	return render.Subject{ID: "p01x", Agent: "bot", Questions: questions, Eligible: anyone, Outcome: ask.Outcome{State: ask.Open}}
}

var (
	single   = ask.Question{Text: "Which?", Options: []ask.Option{{Label: "A"}, {Label: "B"}}}
	multi    = ask.Question{Text: "Which ones?", Options: []ask.Option{{Label: "C"}, {Label: "D"}}, MultiSelect: true}
	textOnly = ask.Question{Text: "What?"}
)

// controls spells a card's controls, one word each.
func controls(c render.Card) string {
	var words []string
	for _, s := range c.Sections {
		if s.List != nil {
			words = append(words, fmt.Sprintf("%s%d:%d", s.List.Token.Verb, s.List.Token.Question, len(s.List.Items)))
		}
		for _, b := range s.Buttons {
			word := string(b.Token.Verb)
			if b.Token.Question >= 0 {
				word += fmt.Sprint(b.Token.Question)
			}
			if b.Token.Option >= 0 {
				word += fmt.Sprintf(".%d", b.Token.Option)
			}
			if b.Chosen {
				word += "!"
			}
			words = append(words, word)
		}
	}
	return strings.Join(words, " ")
}

func TestReplyDismissedIsShownAsReply(t *testing.T) {
	t.Parallel()
	by := ask.Person{Platform: "slack", ID: "U1"}
	for want, outcome := range map[string]ask.Outcome{
		"Closed with a reply by @U1|Reply: dismissed": ask.Replying(by, ask.Dismissed),
		"Dismissed by @U1|":                           ask.Dismissal(by),
		"Closed with a reply by @U1|Reply: not now":   {State: ask.Cancelled, By: by, Reason: "not now"}, // As older versions wrote it.
	} {
		s := asking(single, multi)
		s.Outcome = outcome
		said, reason := "", ""
		for _, sec := range render.Layout(s, blockkit.Limits()).Sections {
			var text string
			for _, span := range sec.Text {
				if text += span.Text; span.Style == render.Mention {
					text += "@" + span.Person.ID
				}
			}
			switch sec.ID {
			case "end":
				said = text
			case "reason":
				reason = text
			}
		}
		if got := said + "|" + reason; got != want {
			t.Errorf("the card says %q, want %q", got, want)
		}
	}
}

func TestControlsFitTheQuestions(t *testing.T) {
	t.Parallel()
	noOther := single
	noOther.NoOther = true
	shout := ask.Draft{0: {Selected: []int{1}}, 1: {Selected: []int{0, 1}}}
	tests := map[string]struct {
		s      render.Subject
		limits render.Limits
		want   string
	}{
		"one single-select is answered by a tap":       {asking(single), blockkit.Limits(), "c0.0 c0.1 w0 m"},
		"other is left out where it is not wanted":     {asking(noOther), blockkit.Limits(), "c0.0 c0.1 m"},
		"one multi-select is a list":                   {asking(multi), blockkit.Limits(), "p0:2 s w0 m"},
		"several are lists with one submit":            {asking(single, multi, textOnly), blockkit.Limits(), "p0:2 w0 p1:2 w1 w2 s m"},
		"a text-only question is one button":           {asking(textOnly), blockkit.Limits(), "w0 m"},
		"six questions go into a form":                 {asking(single, single, single, single, single, single), blockkit.Limits(), "a m"},
		"too long a text goes into a form":             {asking(ask.Question{Text: strings.Repeat("x", 13_000)}), blockkit.Limits(), "a m"},
		"without lists every option is a button":       {asking(single, multi), shared, "c0.0 c0.1 w0 c1.0 c1.1 w1 s m"},
		"a shared set of singles needs no submit":      {asking(single, single), shared, "c0.0 c0.1 w0 c1.0 c1.1 w1 m"},
		"a shared draft is shown":                      {with(asking(single, multi), shout), shared, "c0.0 c0.1! w0 x1.0! x1.1! w1 s m"},
		"on Discord two go into one form":              {asking(single, multi), components.Limits(), "a0.1 m"},
		"on Discord words need a form of their own":    {asking(single, noOther, multi, textOnly), components.Limits(), "a0.3 w0.3 m"},
		"on Discord five without other fill a form":    {asking(noOther, noOther, noOther, noOther, textOnly), components.Limits(), "a0.4 m"},
		"on Discord a sixth question is on a page":     {asking(single, noOther, multi, textOnly, single, single), components.Limits(), "a0.4 w0.4 t5 m"},
		"on Discord too long a text is cut":            {asking(ask.Question{Text: strings.Repeat("x", 13_000)}), components.Limits(), "w0 r0 m"},
		"on Discord a long context is cut":             {context(asking(single), strings.Repeat("x", 13_000)), components.Limits(), "c0.0 c0.1 w0 r m"},
		"on Discord the plain form has buttons":        {plainly(asking(single, multi)), components.Limits(), "c0.0 c0.1 w0 t1 s m"},
		"on Discord an answered card has no controls":  {ended(asking(single), ask.Answered), components.Limits(), ""},
		"a draft of one's own is not":                  {with(asking(single, multi), shout), blockkit.Limits(), "p0:2 w0 p1:2 w1 s m"},
		"a state that nobody set is open":              {render.Subject{ID: "p01x", Questions: []ask.Question{single}}, blockkit.Limits(), "c0.0 c0.1 w0 m"},
		"without limits everything is in the message":  {asking(single, multi), render.Limits{}, "c0.0 c0.1 w0 c1.0 c1.1 w1 s m"},
		"the plain form has a button for the form":     {plainly(asking(single, multi)), blockkit.Limits(), "a m"},
		"an answered card has no controls":             {ended(asking(single), ask.Answered), blockkit.Limits(), ""},
		"a failed card has no controls in plain form":  {plainly(ended(asking(single), ask.Failed)), blockkit.Limits(), ""},
		"an expired card has no controls when several": {ended(asking(single, multi), ask.Expired), shared, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := controls(render.Layout(tt.s, tt.limits)); got != tt.want {
				t.Errorf("controls %q, want %q", got, tt.want)
			}
		})
	}
}

func with(s render.Subject, d ask.Draft) render.Subject {
	s.Draft = d
	return s
}

func context(s render.Subject, text string) render.Subject {
	s.Context = text
	return s
}

func plainly(s render.Subject) render.Subject {
	s.Plain = true
	return s
}

func ended(s render.Subject, state ask.State) render.Subject {
	s.Outcome = ask.Outcome{State: state, At: asked}
	return s
}

func TestOnlyTheBridgeWritesInAFrame(t *testing.T) {
	t.Parallel()
	mark := "AGENT"
	q := ask.Question{Text: mark, Header: mark, Options: []ask.Option{{Label: mark, Description: mark, Preview: mark}, {Label: "B"}}}
	s := asking(q, q)
	s.Context, s.Outcome.Reason = mark, mark
	cards := []render.Card{render.Layout(s, blockkit.Limits()), render.Layout(s, shared), render.Layout(s, components.Limits())}
	for _, state := range []ask.State{ask.Answered, ask.Cancelled, ask.Expired, ask.Superseded, ask.Failed} {
		s.Outcome = ask.Outcome{State: state, Reason: mark, Answers: []ask.Answer{{Selected: []string{mark}, Other: mark, Notes: mark}}}
		cards = append(cards, render.Layout(s, blockkit.Limits()))
	}
	for _, c := range cards {
		for _, sec := range c.Sections {
			if sec.Kind != render.Frame {
				continue
			}
			for _, span := range sec.Text {
				if strings.Contains(span.Text, mark) {
					t.Errorf("%s: agent text in the frame %q", c.State, sec.ID)
				}
			}
		}
	}
}

func TestDrawingLeavesTheSubjectAlone(t *testing.T) {
	t.Parallel()
	make := func() render.Subject {
		s := asking(ask.Question{Text: " a\u200b ", Options: []ask.Option{{Label: " A "}, {Label: "B\t"}}})
		s.Draft = ask.Draft{0: {Other: " x "}}
		s.Outcome = ask.Outcome{State: ask.Answered, Answers: []ask.Answer{{Selected: []string{" A "}, Other: " y "}}}
		return s
	}
	s := make()
	first := render.Layout(s, blockkit.Limits())
	render.AnswerForm(s)
	render.WriteForm(s, 0)
	if diff := cmp.Diff(make(), s, cmpopts.IgnoreUnexported(render.Subject{})); diff != "" {
		t.Errorf("the subject changed:\n%s", diff)
	}
	if diff := cmp.Diff(first, render.Layout(s, blockkit.Limits())); diff != "" {
		t.Errorf("drawn twice, the card differs:\n%s", diff)
	}
}

func TestFormWithoutRecordIsGeneric(t *testing.T) {
	t.Parallel()
	want := render.Form{
		Token: render.Token{Request: "p01x", Verb: render.SubmitText, Question: 3, Option: -1},
		Title: "Your answer", Submit: "Send", Close: "Cancel",
		Sections: []render.Section{{Kind: render.Entry, ID: "q3", Input: &render.Input{
			Token: render.Token{Request: "p01x", Verb: render.SubmitText, Question: 3, Option: -1}, Label: "Your answer", Required: true,
		}}},
	}
	if diff := cmp.Diff(want, render.WriteForm(render.Subject{ID: "p01x"}, 3)); diff != "" {
		t.Error(diff)
	}
	if f := render.AnswerForm(render.Subject{ID: "p01x"}); f.Submit != "" || len(f.Sections) != 1 {
		t.Errorf("a form of no questions: %+v", f)
	}
	if f := render.WriteForm(asking(single), 7); f.Title != "Your answer" || len(f.Sections) != 1 {
		t.Errorf("a form for a question that does not exist: %+v", f)
	}
}

func TestFormShowsEarlierChoices(t *testing.T) {
	t.Parallel()
	f := render.AnswerForm(with(asking(single, multi), ask.Draft{0: {Selected: []int{1}}, 1: {Selected: []int{0}, Other: "E"}}))
	var chosen []string
	for _, s := range f.Sections {
		if s.List != nil {
			for _, item := range s.List.Items {
				if item.Chosen {
					chosen = append(chosen, item.Label)
				}
			}
		}
		if s.Input != nil && s.Input.Value != "" {
			chosen = append(chosen, s.Input.Value)
		}
	}
	if want := []string{"B", "C", "E"}; !slices.Equal(chosen, want) {
		t.Errorf("chosen %q, want %q", chosen, want)
	}
}

// One tap next to Submit must not end everything.
func TestNothingEndsWithoutAnAnswerInOneTap(t *testing.T) {
	t.Parallel()
	options := []ask.Option{{Label: "Yes"}, {Label: "No"}}
	for name, questions := range map[string][]ask.Question{
		"one":             {{Text: "Go?", Options: options}},
		"text":            {{Text: "Why?"}},
		"several":         {{Text: "Go?", Options: options}, {Text: "Why?"}},
		"too many":        make([]ask.Question, 10),
		"several choices": {{Text: "Go?", Options: options, MultiSelect: true}},
	} {
		for _, plain := range []bool{false, true} {
			for _, l := range []render.Limits{blockkit.Limits(), components.Limits()} {
				s := render.Subject{ID: "p01x", Questions: questions, Eligible: anyone, Plain: plain}
				for _, b := range append(buttons(render.Layout(s, l)), buttons(render.More(s, everything(s)))...) {
					if action, _ := b.Token.Action(nil, nil); action.Kind == ask.Dismiss || action.Kind == ask.Reply {
						t.Errorf("%s, %s: the button %q ends it", l.Platform, name, b.Label)
					}
				}
			}
		}
	}
}

func TestDismissFormNeedsNoText(t *testing.T) {
	t.Parallel()
	for n, title := range map[int]string{0: "Dismiss this question?", 1: "Dismiss this question?", 2: "Dismiss these questions?"} {
		f := render.DismissForm(render.Subject{ID: "p01x", Agent: "bot", Questions: make([]ask.Question, n)})
		input := f.Sections[len(f.Sections)-1].Input
		if f.Title != title || f.Token.Verb != render.Dismissed || input.Required || input.Token.Verb != render.SubmitText || input.Token.Question != -1 {
			t.Errorf("with %d questions: %+v, %+v", n, f, input)
		}
	}
}

func TestFormRequiresRequiredAnswers(t *testing.T) {
	t.Parallel()
	options := []ask.Option{{Label: "Yes"}, {Label: "No"}}
	s := render.Subject{ID: "p01x", Eligible: anyone, Questions: []ask.Question{
		{Text: "Go?", Options: options}, {Text: "Sure?", Options: options, NoOther: true}, {Text: "Which?", Options: options, NoOther: true, MultiSelect: true}, {Text: "Why?"},
	}}
	required := map[string]bool{}
	for _, sec := range render.AnswerForm(s).Sections {
		switch {
		case sec.List != nil:
			required[sec.ID] = sec.List.Required
		case sec.Input != nil:
			required[sec.ID] = sec.Input.Required
		}
	}
	want := map[string]bool{"q0": false, "q0.other": false, "q1": true, "q2": true, "q3": true}
	if diff := cmp.Diff(want, required); diff != "" {
		t.Error(diff)
	}
	view := blockkit.Modal(render.AnswerForm(s))
	for _, b := range view.Blocks.BlockSet {
		if in, ok := b.(*slackapi.InputBlock); ok && in.Optional == want[in.BlockID] {
			t.Errorf("Slack is told that %s is optional: %t", in.BlockID, in.Optional)
		}
	}
}

func TestOtherTakesThePlaceOfAChoiceWhereThereIsOne(t *testing.T) {
	t.Parallel()
	one := ask.Question{Text: "Go?", Options: []ask.Option{{Label: "Yes"}, {Label: "No"}}}
	for name, tt := range map[string]struct {
		questions []ask.Question
		hint      string
	}{
		"alone":               {[]ask.Question{one}, ""},
		"one of several":      {[]ask.Question{one, one}, "Replaces your choice."},
		"several may be said": {[]ask.Question{{Text: "Go?", Options: one.Options, MultiSelect: true}}, "Counts together with your choice."},
	} {
		f := render.WriteForm(render.Subject{ID: "p01x", Questions: tt.questions}, 0)
		if got := f.Sections[len(f.Sections)-1].Input.Hint; got != tt.hint {
			t.Errorf("%s: %q, want %q", name, got, tt.hint)
		}
	}
}

// A card is laid out from what the store holds, which others read at the same time.
func TestLayoutDoesNotChangeRequest(t *testing.T) {
	t.Parallel()
	made := func() render.Subject {
		s := asking(ask.Question{Text: "Which\x1b?", Header: "A\x1b", Options: []ask.Option{{Label: "A\x1b", Description: "B\x1b"}}})
		s.Draft = ask.Draft{0: {Other: "C\x1b"}}
		s.Outcome.Answers = []ask.Answer{{Selected: []string{"A\x1b"}, Other: "D\x1b", Notes: "E\x1b"}}
		return s
	}
	s := made()
	_ = render.Layout(s, shared)
	if diff := cmp.Diff(made(), s, cmpopts.IgnoreUnexported(render.Subject{})); diff != "" {
		t.Errorf("the request is changed (-before +after):\n%s", diff)
	}
}
