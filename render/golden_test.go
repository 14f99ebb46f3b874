package render_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/blockkit"
	"github.com/askbridge/askbridge/test/golden"
)

// anyRules are the widest limits of a question set.
var anyRules = &ask.Rules{MaxQuestions: ask.MaxQuestions, MinOptions: 1, MaxOptions: ask.MaxOptions}

// asked is when every request of the cases was made.
var asked = time.Date(2026, 3, 14, 16, 0, 0, 0, time.UTC)

// TestCards draws every case as each platform's values. A case's inputs are
// request.json as an agent sends it and, where they matter, draft.json,
// outcome.json, vote.json and subject.json, which has members of [render.Subject], and hold.
func TestCards(t *testing.T) {
	t.Parallel()
	golden.Each(t, "testdata/cases/*.txtar", func(t *testing.T, c *golden.Case) {
		s := subject(t, c, "slack")
		m := drawSlack(s)
		judgeSlack(t, m, people(s))
		once(c, m.Forms)
		once(c, m.Private)
		c.Check("slack.json", indent(t, m))
	})
}

// once leaves what is the same in all cases to a few of them: the form that dismisses, and the private
// messages.
func once[F any](c *golden.Case, all map[string]F) {
	if name := filepath.Base(c.Path); name != "single.txtar" && name != "several.txtar" {
		delete(all, "dismiss")
	}
	switch filepath.Base(c.Path) {
	case "single.txtar", "several.txtar", "vote_open.txtar", "held.txtar", "pass.txtar", "files.txtar", "optional_several.txtar":
	default:
		delete(all, "more")
		delete(all, "details")
	}
}

// everything is all that someone could do at the card.
func everything(s render.Subject) render.Offer {
	if s.Held != nil {
		return render.Offer{Undo: true}
	}
	o := render.Offer{
		Reply: len(s.Questions) > 1 && !s.Wordless, Ask: s.AskBack, Pass: s.Passes, Dismiss: true,
		TakeBack: s.Vote != nil && s.Vote.Rule.Changeable(),
	}
	for n, q := range s.Questions {
		if q.Notes {
			o.Notes = append(o.Notes, n)
		}
	}
	return o
}

// privately are the private messages behind a card, by name.
func privately(s render.Subject, card render.Card, l render.Limits) map[string]render.Card {
	if !slices.ContainsFunc(buttons(card), func(b render.Button) bool { return b.Token.Verb == render.OpenMore }) {
		return nil
	}
	return map[string]render.Card{"more": render.More(s, everything(s)), "details": render.Details(s, l)}
}

type modal = slackapi.ModalViewRequest

// slackMessage is all that Slack gets to see of one subject.
type slackMessage struct {
	Text   string           `json:"text"`
	Blocks []slackapi.Block `json:"blocks"`
	// Private are the private messages behind More.
	Private map[string][]slackapi.Block `json:"private,omitempty"`
	Forms   map[string]modal            `json:"forms,omitempty"`
}

// drawSlack draws the card and the forms that its buttons open.
func drawSlack(s render.Subject) slackMessage {
	card := render.Layout(s, blockkit.Limits())
	m := slackMessage{Forms: map[string]modal{}, Private: map[string][]slackapi.Block{}}
	m.Blocks, m.Text = blockkit.Message(card)
	private := privately(s, card, blockkit.Limits())
	for name, c := range private {
		m.Private[name], _ = blockkit.Message(c)
	}
	for _, sec := range append(card.Sections, private["more"].Sections...) {
		for _, b := range sec.Buttons {
			switch b.Token.Verb {
			case render.Answer:
				m.Forms["answer"] = blockkit.Modal(render.AnswerForm(s))
			case render.OpenText:
				m.Forms[fmt.Sprintf("write %d", b.Token.Question)] = blockkit.Modal(render.WriteForm(s, b.Token.Question))
			case render.OpenNote:
				m.Forms[fmt.Sprintf("note %d", b.Token.Question)] = blockkit.Modal(render.NoteForm(s, b.Token.Question))
			case render.OpenConfirm:
				if f, ok := render.ConfirmForm(s, b.Token.Question, b.Token.Option); ok {
					m.Forms[fmt.Sprintf("confirm %d", b.Token.Option)] = blockkit.Modal(f)
				}
			case render.Dismiss:
				m.Forms["dismiss"] = blockkit.Modal(render.DismissForm(s))
			case render.OpenPass:
				m.Forms["pass"] = blockkit.Modal(render.PassForm(s))
			case render.OpenAsk:
				m.Forms["ask"] = blockkit.Modal(render.AskForm(s))
			}
		}
	}
	return m
}

// people lists who may be mentioned on the subject's card.
func people(s render.Subject) []string {
	ids := []string{s.Outcome.By.ID}
	for _, a := range s.Outcome.Answers {
		ids = append(ids, a.By.ID, a.NotesBy.ID)
	}
	for _, u := range slices.Concat(s.Outcome.Skipped, s.Outcome.Left) {
		ids = append(ids, u.By.ID, u.NotesBy.ID)
	}
	if s.Vote != nil && s.Outcome.State.Ended() {
		for _, v := range s.Vote.Votes {
			ids = append(ids, v.By.ID)
		}
	}
	for _, notified := range s.Notify {
		ids = append(ids, notified.ID)
	}
	for _, who := range s.Eligible.Who {
		ids = append(ids, who.ID)
	}
	return ids
}

// forms draws every form that could be asked for.
func forms(s render.Subject) map[string]modal {
	all := map[string]modal{"answer": blockkit.Modal(render.AnswerForm(s)), "write -1": blockkit.Modal(render.WriteForm(s, -1)), "dismiss": blockkit.Modal(render.DismissForm(s))}
	if s.Passes {
		all["pass"] = blockkit.Modal(render.PassForm(s))
	}
	for q := range s.Questions {
		all[fmt.Sprintf("write %d", q)] = blockkit.Modal(render.WriteForm(s, q))
		all[fmt.Sprintf("note %d", q)] = blockkit.Modal(render.NoteForm(s, q))
	}
	return all
}

func subject(t *testing.T, c *golden.Case, platform string) render.Subject {
	t.Helper()
	r, ignored, err := ask.DecodeRequest([]byte(c.Get("request.json")))
	if err != nil || len(ignored) > 0 {
		t.Fatalf("request.json: %v, ignored %q", err, ignored)
	}
	if err := r.Validate(anyRules); err != nil && len(r.Questions) > 0 {
		t.Fatalf("request.json: %v", err)
	}
	s := render.Subject{
		ID: "p01r3v7k2m9qxw", Agent: r.Agent, Context: r.Context, Links: r.Links, Source: r.Source, Files: ask.Attachments(r.Files), Questions: r.Questions,
		Eligible: eligible(ask.PolicyOf(r.Responders...), platform), Asked: asked, Deadline: asked.Add(24 * time.Hour), Outcome: ask.Outcome{State: ask.Open},
	}
	if r.Responders == nil {
		s.Eligible = anyone
	}
	if r.ExpiresIn == ask.Never {
		s.Deadline = time.Time{}
	}
	more := struct {
		*render.Subject

		Hold string `json:"hold"`
	}{Subject: &s}
	for name, into := range map[string]any{"draft.json": &s.Draft, "outcome.json": &s.Outcome, "subject.json": &more, "vote.json": &s.Vote} {
		if !c.Has(name) {
			continue
		}
		if err := json.Unmarshal([]byte(c.Get(name)), into); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	if more.Hold != "" {
		span, err := ask.ParseHold(more.Hold)
		if err != nil {
			t.Fatal(err)
		}
		s.Held = &render.Held{For: span, Until: s.Outcome.At.Add(span), Number: 7}
	}
	return s
}

// indent writes JSON for readers: objects and lists that fit on a line are on one line, and the escapes that encoding/json
// adds for the sake of HTML are undone.
func indent(t testing.TB, v any) string {
	t.Helper()
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer(`\\`, `\\`, `\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(raw))
	lines := strings.Split(text, "\n")
	for {
		joined := joinShort(lines)
		if len(joined) == len(lines) {
			return strings.Join(lines, "\n")
		}
		lines = joined
	}
}

// joinShort joins the lines of each object or list that has no other in lines of its own, if the result is short. A string
// has no line break, so a bracket at the end of a line is not part of one.
func joinShort(lines []string) []string {
	var out []string
	for n := 0; n < len(lines); n++ {
		opens := func(line string) bool { return strings.HasSuffix(line, "{") || strings.HasSuffix(line, "[") }
		closes := func(line string) bool { return strings.HasPrefix(line, "}") || strings.HasPrefix(line, "]") }
		end := n + 1
		line := lines[n]
		for ; end < len(lines) && opens(lines[n]) && !opens(lines[end]) && !closes(strings.TrimSpace(lines[end])); end++ {
			line += strings.TrimSpace(lines[end]) + " "
		}
		if end < len(lines) && opens(lines[n]) && closes(strings.TrimSpace(lines[end])) {
			if line = strings.TrimSuffix(line, " ") + strings.TrimSpace(lines[end]); len(line) <= 160 {
				out, n = append(out, line), end
				continue
			}
		}
		out = append(out, lines[n])
	}
	return out
}
