package render_test

import (
	"encoding/json"
	"fmt"
	"html"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	catalogue "github.com/askbridge/askbridge/internal/words"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/blockkit"
	"github.com/askbridge/askbridge/render/components"
	"github.com/askbridge/askbridge/test/golden"
)

// In every language each case stays within what both platforms take.
func TestEveryLanguageFitsThePlatforms(t *testing.T) {
	t.Parallel()
	golden.Each(t, "testdata/cases/*.txtar", func(t *testing.T, c *golden.Case) {
		for _, language := range catalogue.Languages() {
			s := subject(t, c, "slack")
			s.Language = language
			judgeSlack(t, drawSlack(s), people(s))
		}
	})
}

// Titles, labels and buttons are shorter than what a platform shows of them: a text that is
// cut has no text.
func TestNoLanguageHasAButtonOrTitleThatIsCut(t *testing.T) {
	t.Parallel()
	for _, language := range catalogue.Languages() {
		w := catalogue.In(language)
		buttons := reflect.ValueOf(w.Button)
		for n, field := range reflect.VisibleFields(buttons.Type()) {
			text := w.Button.NoteTo(10)
			if field.Type.Kind() == reflect.String {
				text = buttons.Field(n).String()
			}
			if n := render.Units(text + render.Ellipsis); n > blockkit.ButtonShown {
				t.Errorf("%s: the button %s takes %d characters: %q", language, field.Name, n, text)
			}
		}
		for _, text := range []string{
			w.Form.YourAnswer, w.Form.YourReply, w.Form.Reason, w.Form.OtherAnswer, w.Form.Note, w.Form.Answer, w.Form.AskAgent, w.Form.PassTitle,
			w.Form.AnswerMany(10), w.Form.AnswerNumber(10), w.Form.AnswerFrom(5, 10), w.Form.Submit, w.Form.Send, w.Form.Save, w.Form.Close, w.Form.Cancel,
			w.Form.Dismiss, w.Form.KeepOpen, w.Reply.Title, w.Reply.Close, w.Form.Pass,
		} {
			if language != catalogue.Default && render.Units(text) > blockkit.MaxTitle {
				t.Errorf("%s: %q is longer than a title", language, text)
			}
		}
		for _, text := range []string{w.Form.DismissHint, w.Form.AskHint, w.Form.AskEndsHint, w.Form.NoteHint, w.Form.ReplyHint, w.Form.ReplyVoteHint(10), w.Form.PassHint} {
			if language != catalogue.Default && render.Units(text) > components.MaxHint {
				t.Errorf("%s: %q is longer than a hint", language, text)
			}
		}
	}
}

// Every text of the bridge is in the catalogue: a letter that is neither in its brackets nor part of a user's text
// would stay untranslated.
func TestAllTextsAreInCatalogue(t *testing.T) {
	t.Parallel()
	golden.Each(t, "testdata/cases/*.txtar", func(t *testing.T, c *golden.Case) {
		english, pseudo := subject(t, c, "slack"), subject(t, c, "slack")
		pseudo.Language = catalogue.Pseudo
		theirs := fmt.Sprintf("%+v", english)
		for _, section := range []string{"vote.json", "subject.json"} {
			if c.Has(section) {
				theirs += c.Get(section) // Where the subject has pointers.
			}
		}
		theirs = strings.ToLower(render.Clean(theirs))
		texts := append(textsOf(t, render.Layout(pseudo, blockkit.Limits())), textsOf(t, render.Layout(pseudo, components.Limits()))...)
		// The forms, too, and what the platforms' own form of the card adds to it.
		texts = append(texts, readOf(t, drawSlack(pseudo))...)
		texts = append(texts, readOf(t, drawDiscord(pseudo))...)
		for _, text := range texts {
			for word := range strings.FieldsFuncSeq(outside(text), func(r rune) bool { return !unicode.IsLetter(r) || unicode.Is(unicode.Lm, r) }) {
				if !strings.Contains(theirs, strings.ToLower(word)) && !allowed[strings.ToLower(word)] {
					t.Errorf("%q is textsOf outside the catalogue, in %q", word, text)
				}
			}
		}
		if render.FullText(english, -1) == render.FullText(pseudo, -1) {
			t.Error("the full text is not in the language of the card")
		}
	})
}

// allowed are words that stand in each language as they are.
var allowed = map[string]bool{"slack": true, "discord": true}

// textsOf returns the texts of a card.
func textsOf(t *testing.T, c render.Card) []string {
	t.Helper()
	var all []string
	add := func(spans []render.Span) {
		for _, s := range spans {
			all = append(all, s.Text)
		}
	}
	add(c.Summary)
	for _, s := range c.Sections {
		add(s.Text)
		for _, b := range s.Buttons {
			all = append(all, b.Label)
		}
		if s.List != nil {
			all = append(all, s.List.Label, s.List.Hint)
			for _, i := range s.List.Items {
				all = append(all, i.Label, i.Description)
			}
		}
		if s.Input != nil {
			all = append(all, s.Input.Label, s.Input.Hint, s.Input.Empty)
		}
	}
	return all
}

// shown are the members of a platform's JSON that people read.
var shown = []string{"text", "content", "label", "title", "placeholder", "description", "hint"}

// live is what a platform shows as a time or a name, and emoji what it shows as a picture.
var live = regexp.MustCompile(`<[^<>]*>|:[a-z_]+:`)

// readOf are the texts that people read of what is sent to a platform.
func readOf(t *testing.T, message any) []string {
	t.Helper()
	raw, err := json.Marshal(message)
	if err != nil {
		t.Fatal(err)
	}
	var whole any
	if err := json.Unmarshal(raw, &whole); err != nil {
		t.Fatal(err)
	}
	var all []string
	var walk func(name string, v any)
	walk = func(name string, v any) {
		switch v := v.(type) {
		case string:
			if slices.Contains(shown, name) {
				all = append(all, live.ReplaceAllString(html.UnescapeString(v), " "))
			}
		case []any:
			for _, one := range v {
				walk(name, one)
			}
		case map[string]any:
			for name, one := range v {
				walk(name, one)
			}
		}
	}
	walk("", whole)
	return all
}

// outside returns the part of a text outside the brackets of the catalogue. A text that lost a bracket through
// truncation counts as inside to its end.
func outside(text string) string {
	var out strings.Builder
	depth := 0
	for _, r := range text {
		switch string(r) {
		case catalogue.Opening:
			out.WriteRune(' ')
			depth = 1
		case catalogue.Closing:
			depth = 0
		default:
			if depth == 0 {
				out.WriteRune(r)
			}
		}
	}
	return out.String()
}
