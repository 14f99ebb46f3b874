package render_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/blockkit"
	"github.com/askbridge/askbridge/render/components"
	"github.com/askbridge/askbridge/test/golden"
)

// TestPermissionCards draws the card of every host's permission prompts on both platforms.
func TestPermissionCards(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	paths, err := filepath.Glob("../dialect/testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		input := strings.TrimSuffix(golden.Archive(t, path).Get("input.json"), "\n")
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		spoken, _, _ := strings.Cut(name, ".")
		d, ok := dialect.Get(spoken)
		if !ok {
			t.Fatalf("%s: no such dialect", path)
		}
		call, err := d.Decode([]byte(input), &dialect.Options{Persist: dialect.PersistSession, Grants: ask.Grants{Scope: ask.SameAgent, For: 8 * time.Hour}})
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if !call.Permission {
			continue
		}
		for _, l := range []render.Limits{blockkit.Limits(), components.Limits()} {
			s := promptOf(call.Request, spoken, l.Platform)
			card := render.Layout(s, l)
			checkPrompt(t, name+" on "+l.Platform, s, card)
			older := s
			older.Permit = nil
			checkPrompt(t, name+" of an older version on "+l.Platform, older, render.Layout(older, l))
			fmt.Fprintf(&all, "%s on %s\n\n%s\n", name, l.Platform, readable(card))
		}
	}
	golden.Check(t, "testdata/prompts.txt", all.String())
}

// promptOf is the subject of a prompt that Dana may decide, in whose name the agent works.
func promptOf(r ask.Request, agent, platform string) render.Subject {
	dana := ask.Person{Platform: "slack", ID: "U0000001"}
	return render.Subject{
		ID: "p01r3v7k2m9qxw", Agent: agent, Context: r.Context, Questions: r.Questions, Files: ask.Attachments(r.Files), Wordless: r.Wordless,
		Permission: true, Permit: r.Permit, Eligible: eligible(ask.PolicyOf(dana.Key()), platform), Requesters: []ask.Person{dana},
		Deadline: asked.Add(4 * time.Hour), Outcome: ask.Outcome{State: ask.Open},
	}
}

// checkPrompt checks that everything an approval covers is above the choices, and that the choices that
// refuse it are in danger style.
func checkPrompt(t *testing.T, name string, s render.Subject, card render.Card) {
	t.Helper()
	var above strings.Builder
	choices := false
	for _, section := range card.Sections {
		switch {
		case slices.ContainsFunc(section.Buttons, func(b render.Button) bool { return b.Token.Verb == render.Choose }):
			choices = true
		case section.List != nil:
			choices = true
		}
		for _, span := range section.Text {
			if choices && span.Style == render.Code {
				t.Errorf("%s: code below the choices: %q", name, span.Text)
			}
			if !choices {
				above.WriteString(span.Text)
			}
		}
		for _, b := range section.Buttons {
			if s.Permit == nil {
				continue
			}
			denies := slices.ContainsFunc(s.Permit.Deny, func(label string) bool { return strings.HasSuffix(b.Label, label) })
			if b.Danger != denies {
				t.Errorf("%s: button %q: danger %t, want %t", name, b.Label, b.Danger, denies)
			}
		}
	}
	// Cards show a tab as spaces.
	shown := strings.Join(strings.Fields(above.String()), " ")
	for part := range strings.SplitSeq(s.Questions[0].Options[0].Preview, "\n\n") {
		if part = strings.Join(strings.Fields(strings.TrimPrefix(part, "In ")), " "); !strings.Contains(shown, part) {
			t.Errorf("%s: not above the choices: %q", name, part)
		}
	}
}

// readable draws a card for readers.
func readable(c render.Card) string {
	var out strings.Builder
	for _, section := range c.Sections {
		var line strings.Builder
		for _, span := range section.Text {
			switch span.Style {
			case render.Code:
				line.WriteString("\n┌\n" + span.Text + "\n└")
			case render.Mention:
				line.WriteString("@" + span.Person.ID)
			case render.Moment:
				line.WriteString(span.Time.UTC().Format("2 Jan 15:04"))
			default:
				line.WriteString(span.Text)
			}
		}
		for _, b := range section.Buttons {
			label := b.Label
			if b.Danger {
				label += " !"
			}
			line.WriteString("[" + label + "] ")
		}
		if section.List != nil {
			for _, item := range section.List.Items {
				line.WriteString("( ) " + strings.TrimSuffix(item.Label+" – "+item.Description, " – ") + "\n")
			}
		}
		for text := range strings.SplitSeq(strings.Trim(line.String(), "\n "), "\n") {
			out.WriteString(strings.TrimRight("    "+text, " ") + "\n")
		}
	}
	return out.String()
}
