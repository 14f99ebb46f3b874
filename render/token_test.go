package render_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/render"
)

var verbs = []render.Verb{
	render.Choose, render.Pick, render.OpenText, render.Answer, render.Submit, render.Dismiss, render.Dismissed, render.SubmitText, render.AnsweredAll,
	render.Drop, render.TurnPage, render.ShowFull, render.TakeBack, render.Skip, render.Unskip, render.OpenNote, render.SubmitNote,
}

func TestTokenRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := render.Token{
			Request:  rapid.StringMatching(`[A-Za-z0-9_.-]{1,64}`).Draw(t, "request"),
			Mark:     rapid.StringMatching(`([0-9a-z]{10})?`).Draw(t, "mark"),
			Verb:     rapid.SampledFrom(verbs).Draw(t, "verb"),
			Question: rapid.IntRange(0, 9).Draw(t, "question"),
			Option:   rapid.IntRange(0, 3).Draw(t, "option"),
		}
		if len(want.String()) > render.MaxToken {
			t.Errorf("%s has %d bytes", want, len(want.String()))
		}
		got, err := render.ParseToken(want.String())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestForeignControlIDsAreRefused(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"an empty id":                    "",
		"another bot's id":               "approve_button",
		"a newer version":                "3:p01x:c:0:0",
		"no mark where one belongs":      "2:p01x:c:0:0",
		"an empty mark":                  "2:p01x.:c:0:0",
		"a mark alone":                   "2:.k3v9:c:0:0",
		"a mark that is too long":        "2:p01x.k3v9k3v9k3v9k3v9k:c:0:0",
		"no request":                     "1::c:0:0",
		"an unknown verb":                "1:p01x:z:0:0",
		"a choice without a question":    "1:p01x:c:-1:0",
		"a choice without an option":     "1:p01x:c:0:-1",
		"a drop without an option":       "1:p01x:x:0:-1",
		"a turn to no question":          "1:p01x:t:-1:-1",
		"a menu without a question":      "1:p01x:p:-1:-1",
		"an index below none":            "1:p01x:s:-2:-1",
		"an index with a sign":           "1:p01x:c:+1:0",
		"an index with a leading zero":   "1:p01x:c:01:0",
		"an index that is no number":     "1:p01x:c:x:0",
		"an index beyond every number":   "1:p01x:c:99999999999999999999:0",
		"an option that is no number":    "1:p01x:c:0:x",
		"a part too many":                "1:p01x:c:0:0:0",
		"a part too few":                 "1:p01x:c:0",
		"an id longer than Discord's":    "1:" + strings.Repeat("x", render.MaxToken) + ":c:0:0",
		"spaces around a proper control": " 1:p01x:c:0:0 ",
	}
	for name, id := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, err := render.ParseToken(id); !errors.Is(err, render.ErrToken) {
				t.Errorf("ParseToken(%q) = %+v, %v", id, got, err)
			}
		})
	}
}

func TestControlsDecideOrShow(t *testing.T) {
	t.Parallel()
	want := map[render.Verb]ask.ActionKind{
		render.Choose: ask.Choose, render.Drop: ask.Drop, render.Pick: ask.Select, render.SubmitText: ask.Type,
		render.Submit: ask.Submit, render.AnsweredAll: ask.Fill, render.Dismissed: ask.Dismiss,
		render.TakeBack: ask.TakeBack, render.Skip: ask.Skip, render.Unskip: ask.Unskip, render.SubmitNote: ask.Annotate,
	}
	for _, v := range verbs {
		got, acts := render.Token{Verb: v, Question: 1}.Action(nil, map[int]string{1: "Oracle"})
		if got.Kind != want[v] || acts != (want[v] != "") || acts && v != render.Dismissed && got.Texts[1] != "Oracle" {
			t.Errorf("%q is the action %+v, %t; want %q", v, got, acts, want[v])
		}
	}
	if got, _ := (render.Token{Verb: render.SubmitText, Question: -1}).Action(nil, nil); got.Kind != ask.Reply {
		t.Errorf("what is typed for all questions is %q, want a reply", got.Kind)
	}
	if got, _ := (render.Token{Verb: render.AnsweredAll, Question: -1, Option: -1}).Action(nil, nil); got.Kind != ask.SubmitAll {
		t.Errorf("a form with every question is %q, want all of them submitted", got.Kind)
	}
	for text, want := range map[string]ask.ActionKind{"": ask.Dismiss, " \n\u200b": ask.Dismiss, "Ask Kim": ask.Reply, "dismissed": ask.Reply} {
		if got, _ := (render.Token{Verb: render.Dismissed, Question: -1}).Action(nil, map[int]string{-1: text}); got.Kind != want {
			t.Errorf("dismissed with %q is %q, want %q", text, got.Kind, want)
		}
	}
}

func FuzzParseToken(f *testing.F) {
	for _, v := range verbs {
		f.Add(render.Token{Request: "p01x", Verb: v, Question: 1, Option: 2}.String())
	}
	f.Add("1:p01x:s:-1:-1")
	f.Add("1:p01x:c:0:0:0")
	f.Fuzz(func(t *testing.T, id string) {
		token, err := render.ParseToken(id)
		switch {
		case err != nil && !errors.Is(err, render.ErrToken):
			t.Errorf("error %v", err)
		case err != nil && token != render.Token{}:
			t.Errorf("a token beside an error: %+v", token)
		case err == nil && token.String() != id:
			t.Errorf("%q came back as %q", id, token)
		}
	})
}
