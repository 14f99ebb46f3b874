package blockkit_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/blockkit"
)

// TestEveryQuestionHasAFieldForErrors holds what the connector
// relies on: Slack drops a whole answer when an error names a block that is no
// input.
func TestEveryQuestionHasAFieldForErrors(t *testing.T) {
	t.Parallel()
	options := []ask.Option{{Label: "A"}, {Label: "B"}}
	s := render.Subject{ID: "p01x", Questions: []ask.Question{
		{Text: "text"}, {Text: "single", Options: options}, {Text: "multi", Options: options, MultiSelect: true}, {Text: "closed", Options: options, NoOther: true},
	}}
	forms := map[string]render.Form{"answer": render.AnswerForm(s)}
	want := map[string][]int{"answer": {0, 1, 2, 3}}
	for q := range s.Questions {
		name := "write " + s.Questions[q].Text
		forms[name], want[name] = render.WriteForm(s, q), []int{q}
	}
	for name, f := range forms {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inputs := map[string]bool{}
			for _, b := range blockkit.Modal(f).Blocks.BlockSet {
				if input, ok := b.(*slackapi.InputBlock); ok {
					inputs[input.BlockID] = true
				}
			}
			for _, q := range want[name] {
				if id := fmt.Sprintf("q%d", q); !inputs[id] {
					t.Errorf("no input %s among %v", id, inputs)
				}
			}
		})
	}
}

func TestNoteViewCanOnlyBeClosed(t *testing.T) {
	t.Parallel()
	v := blockkit.NoteView("This question is closed already", "Close", []render.Span{{Text: "<@U1> chose *Postgres*. " + strings.Repeat("Sorry. ", 600)}})
	if v.Title.Text != "This question is closed…" || v.Submit != nil || v.Close == nil || v.CallbackID != blockkit.CallbackID {
		t.Errorf("view %+v", v)
	}
	text := v.Blocks.BlockSet[0].(*slackapi.SectionBlock).Text
	if len(v.Blocks.BlockSet) != 2 || text.Type != slackapi.PlainTextType || !strings.HasPrefix(text.Text, "<@U1> chose *Postgres*.") || render.Units(text.Text) > blockkit.MaxText {
		t.Errorf("text %q", text.Text)
	}
}

func TestLongFormDropsRulesFirst(t *testing.T) {
	t.Parallel()
	f := render.Form{Title: "x", Close: "y"}
	for i := range 60 {
		id := strings.Repeat("a", i+1)
		f.Sections = append(f.Sections, render.Section{Kind: render.Body, ID: id, Text: []render.Span{{Text: "x"}}}, render.Section{Kind: render.Rule, ID: id + ".rule"})
	}
	if n := len(blockkit.Modal(f).Blocks.BlockSet); n != 60 {
		t.Errorf("%d blocks, want the 60 texts", n)
	}
}

func TestSummaryMentionsPeople(t *testing.T) {
	t.Parallel()
	ana := ask.Person{Platform: "slack", ID: "U0000001", Name: "Ana <3"}
	tests := map[string]struct {
		span render.Span
		want string
	}{
		"a person, not their handle":     {render.Span{Style: render.Mention, Person: ana}, "<@U0000001>"},
		"a user group, live":             {render.Span{Style: render.Mention, Person: ask.Person{Platform: "slack-group", ID: "S0000001"}}, "<!subteam^S0000001>"},
		"a group by no id of Slack's":    {render.Span{Style: render.Mention, Person: ask.Person{Platform: "slack-group", ID: "S1> <!here"}}, "S1&gt; &lt;!here"},
		"in words without a person's id": {render.Span{Style: render.Mention, Person: ask.Person{Platform: "slack", ID: "!channel"}}, "!channel"},
		"text is escaped":                {render.Span{Text: "<!here> *x*"}, "&lt;!here&gt; ∗x∗"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, got := blockkit.Message(render.Card{Summary: []render.Span{tt.span}}); got != tt.want {
				t.Errorf("text %q, want %q", got, tt.want)
			}
		})
	}
}

func TestTheLayoutSpeaksSlack(t *testing.T) {
	t.Parallel()
	l := blockkit.Limits()
	if l.Platform != "slack" || !l.Lists || l.SharedDraft || l.RedrawInReply {
		t.Errorf("limits %+v", l)
	}
	if got := l.Width("a<👍&"); got != 1+4+2+5 {
		t.Errorf("width %d", got)
	}
}

func TestFormWithThousandsOfListItems(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("- a\n- b\n\n", 3000)
	v := blockkit.Modal(render.AnswerForm(render.Subject{ID: "p01x", Questions: []ask.Question{{Text: text}, {Text: "Sure?"}}}))
	raw, err := json.Marshal(v)
	if err != nil || len(raw) > blockkit.MaxView {
		t.Errorf("the view has %d bytes, %v", len(raw), err)
	}
	if !strings.Contains(string(raw), `- a\n- b\n\n- a`) {
		t.Errorf("the lists are not as they were written: %.300s", raw)
	}
}
