package dialect_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect"
	"github.com/askbridge/askbridge/test/golden"
)

// TestOutcomes encodes every outcome of the archives of each dialect. An archive has the input;
// the tests choose the first option or type text, and the archive lists the choice with the result.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		seen[spoken(path)] = true
	}
	for _, d := range dialect.All() {
		if !seen[d.Name] {
			t.Errorf("testdata: no archive for dialect %s", d.Name)
		}
		delete(seen, d.Name)
	}
	for name := range seen {
		t.Errorf("testdata: archive for unknown dialect %s", name)
	}
	golden.Each(t, "testdata/*.txtar", func(t *testing.T, c *golden.Case) {
		d, ok := dialect.Get(spoken(c.Path))
		if !ok {
			t.Fatal("no such dialect")
		}
		in := []byte(strings.TrimSuffix(c.Get("input.json"), "\n"))
		call, err := d.Decode(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		c.Check("request.txt", described(call))
		for _, o := range outcomes(call.Request.Questions) {
			c.Check(o.name, shown(o.chosen, d.Encode(in, o.out, &dialect.Options{RequestID: "b3k1"})))
		}
		for _, o := range leftOut(call.Request.Questions) {
			opts := &dialect.Options{Partial: true, Notes: o.noted}
			if _, err := d.Decode(in, opts); err != nil || call.Permission {
				continue // The host's format has no such outcome.
			}
			c.Check(o.name, shown(o.chosen, d.Encode(in, o.out, nil)))
		}
		if call.Permission {
			if kept := persisted(t, d, in); kept != "" {
				c.Check("persisted", kept)
			}
		}
		if _, err = d.Decode(in, &dialect.Options{SubAgent: true}); err == nil {
			err = dialect.ErrSubAgent
		}
		c.Check("sub-agent-refused", shown("", d.Refuse(in, err)))
		bad := []byte(c.Get("bad.json"))
		_, err = d.Decode(bad, nil)
		if err == nil {
			t.Fatal("invalid input was accepted")
		}
		c.Check("refused", shown("", d.Refuse(bad, err)))
	})
}

// persisted returns the results of all persistent approvals under the highest ceiling. It is
// empty for a format without them.
func persisted(t *testing.T, d dialect.Dialect, in []byte) string {
	t.Helper()
	var b strings.Builder
	once, err := d.Decode(in, &dialect.Options{Persist: dialect.PersistNone})
	all, err2 := d.Decode(in, &dialect.Options{Persist: dialect.PersistUser})
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	for _, o := range all.Request.Questions[0].Options {
		if slices.Contains(once.Request.Questions[0].Options, o) {
			continue
		}
		out := ask.Outcome{State: ask.Answered, By: dana, Answers: []ask.Answer{{Selected: []string{o.Label}, By: dana}}}
		fmt.Fprintf(&b, "%s: %s\n%s\n", o.Label, o.Description, shown("", d.Encode(in, out, &dialect.Options{Persist: dialect.PersistUser})))
		// A choice made under a higher ceiling does not hold under a lower one.
		if r := d.Encode(in, out, &dialect.Options{Persist: dialect.PersistNone}); strings.Contains(string(r.Body), "ession") || strings.Contains(string(r.Body), "always") {
			t.Errorf("%q, after the ceiling was lowered: %s", o.Label, r.Body)
		}
	}
	return b.String()
}

// TestArchivesCoverEveryOutcome requires every outcome in the archives of every dialect, except
// those that an archive lists as missing from its host's format.
func TestArchivesCoverEveryOutcome(t *testing.T) {
	t.Parallel()
	lacks := map[string]string{}
	// Only these hosts support notes or persistent approvals.
	for o, who := range map[string]string{"noted": "claude claude-text codex", "persisted": "acp claude codex crush crush-payload kimi opencode"} {
		for _, d := range dialect.All() {
			if !slices.Contains(strings.Fields(who), d.Name) {
				lacks[o] += " " + d.Name
			}
		}
	}
	has := map[string]map[string]bool{}
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := spoken(path)
		if has[name] == nil {
			has[name] = map[string]bool{}
		}
		for _, f := range archive.Files {
			has[name][f.Name] = true
		}
		// An archive lists the outcomes that its host's format cannot express.
		if _, list, ok := strings.Cut(string(archive.Comment), "lacks: "); ok {
			for o := range strings.FieldsSeq(list) {
				lacks[o] += " " + name
			}
		}
	}
	for _, d := range dialect.All() {
		for _, o := range []string{
			"answered", "typed", "typed-with-picks", "partly-answered", "nothing-answered", "declined-by-a-person", "replied-to-all", "cancelled-by-the-agent",
			"expired", "superseded", "failed", "open", "refused", "sub-agent-refused", "skipped", "all-skipped", "noted", "persisted",
		} {
			if lack := slices.Contains(strings.Fields(lacks[o]), d.Name); has[d.Name][o] == lack {
				t.Errorf("testdata/%s.txtar: has outcome %q: %t, should have it: %t", d.Name, o, has[d.Name][o], !lack)
			}
		}
	}
}

// TestHeadlessBehaviorIsDocumented requires archives for each host that asks in another format
// when it runs headless, and a line on the page for each host that does not.
func TestHeadlessBehaviorIsDocumented(t *testing.T) {
	t.Parallel()
	own := map[string][]string{"claude": {"claude.prompt", "claude.prompted-question", "claude.control"}}
	for _, d := range dialect.All() {
		row := "| `" + d.Name + "` |"
		_, after, _ := strings.Cut(dialect.Sources(), row)
		line, _, _ := strings.Cut(after, "\n")
		cells := strings.Split(line, " | ")
		cell := strings.TrimSuffix(cells[len(cells)-1], " |")
		if cell == "" || strings.Contains(cell, "forms of their own") != (own[d.Name] != nil) {
			t.Errorf("%s: headless behavior %q, archives %v", d.Name, cell, own[d.Name])
		}
		for _, archive := range own[d.Name] {
			if _, err := os.Stat("testdata/" + archive + ".txtar"); err != nil {
				t.Error(err)
			}
		}
	}
}

// spoken returns the dialect of an archive: "claude.plan.txtar" belongs to claude.
func spoken(path string) string {
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	return name
}

type outcome struct {
	name, chosen string
	out          ask.Outcome
}

// outcomes returns all outcomes of a question set.
func outcomes(questions []ask.Question) []outcome {
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	answered := func(answers []ask.Answer) ask.Outcome {
		return ask.Outcome{State: ask.Answered, Answers: answers, By: dana, At: at}
	}
	var picks, texts, both []ask.Answer
	for i, q := range questions {
		a := ask.Answer{Index: i, Question: q.Text, Header: q.Header, By: dana, At: at}
		first, text, mixed := a, a, a
		switch {
		case q.TextOnly():
			first.Other, text.Other, mixed.Other = "42", "4 or 5, \"roughly\"", "7"
		case q.MultiSelect:
			first.Selected = []string{q.Options[0].Label, q.Options[len(q.Options)-1].Label}
			mixed.Selected = []string{q.Options[min(1, len(q.Options)-1)].Label}
			if text.Selected = mixed.Selected; !q.NoOther {
				text.Other, text.Selected, mixed.Other = "Only <b>these</b>: Benchmarks", nil, "Benchmarks"
			}
		default:
			first.Selected, mixed.Selected = []string{q.Options[0].Label}, []string{q.Options[min(1, len(q.Options)-1)].Label}
			if text.Selected = mixed.Selected; !q.NoOther {
				text.Other, text.Selected = "NATS, if ops agrees", nil
			}
		}
		picks, texts, both = append(picks, first), append(texts, text), append(both, mixed)
	}
	all := []outcome{
		{"answered", chosen(picks), answered(picks)},
		{"typed", chosen(texts), answered(texts)},
		{"typed-with-picks", chosen(both), answered(both)},
	}
	if len(questions) > 1 {
		all = append(all, outcome{"partly-answered", chosen(picks[:1]), answered(picks[:1])})
	}
	return append(all,
		outcome{"nothing-answered", "", answered(nil)},
		outcome{"declined-by-a-person", "", declined},
		outcome{"replied-to-all", "", replied},
		outcome{"cancelled-by-the-agent", "", cancelled},
		outcome{"expired", "", ask.Outcome{State: ask.Expired, Reason: "nobody answered in time"}},
		outcome{"superseded", "", ask.Outcome{State: ask.Superseded}},
		outcome{"failed", "", ask.Outcome{State: ask.Failed, Reason: "slack: the channel is archived"}},
		outcome{"open", "", ask.Outcome{State: ask.Open}},
	)
}

// ending is an outcome with skipped questions or notes.
type ending struct {
	outcome

	noted bool
}

// leftOut returns the outcomes of a question set with skipped questions or notes.
func leftOut(questions []ask.Question) []ending {
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	end := func(name, note string, answered bool) ending {
		d := ask.Draft{}
		for i, q := range questions {
			q.Optional, q.Notes = true, true
			d = d.Annotate(i, q, note, 1)
			switch {
			case !answered || i == 1:
				d = d.Skip(i, q, i < 2, 1)
			case i > 1:
			case q.TextOnly():
				d = d.Write(i, q, "42", 1)
			default:
				d = d.Select(i, q, []int{0}, 1)
			}
		}
		out := ask.Answering(questions, d, dana, at)
		out.At = at
		return ending{outcome{name, chosen(out.Answers), out}, note != ""}
	}
	all := []ending{end("all-skipped", "", false), end("noted", "Ask again before the release.", true)}
	if len(questions) > 1 {
		all = append(all, end("skipped", "", true))
	}
	return all
}

func chosen(answers []ask.Answer) string {
	var parts []string
	for _, a := range answers {
		values := append([]string{}, a.Selected...)
		if a.Other != "" {
			values = append(values, fmt.Sprintf("typed %q", a.Other))
		}
		parts = append(parts, fmt.Sprintf("%d: %s", a.Index, strings.Join(values, " + ")))
	}
	return strings.Join(parts, "; ")
}

// shown formats a result for review: marks first, then the bytes.
func shown(chosen string, r dialect.Result) string {
	var b strings.Builder
	if chosen != "" {
		fmt.Fprintf(&b, "chosen  %s\n", chosen)
	}
	for _, mark := range []struct {
		on   bool
		name string
	}{{r.IsError, "error"}, {r.Pending, "pending"}, {r.StopTurn, "stop turn"}} {
		if mark.on {
			fmt.Fprintf(&b, "mark    %s\n", mark.name)
		}
	}
	if r.Send != "" {
		fmt.Fprintf(&b, "send    %s\n", r.Send)
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(&b, "warning %s\n", w)
	}
	if len(r.Body) > 0 {
		fmt.Fprintf(&b, "type    %s\n\n%s\n", r.ContentType, r.Body)
	}
	return b.String()
}

// described formats a decoded call for review.
func described(c dialect.Call) string {
	var b bytes.Buffer
	for _, f := range []struct{ name, value string }{
		{"session", c.Request.Session},
		{"tool call", c.Request.ToolCallID},
		{"context", c.Request.Context},
	} {
		if f.value != "" {
			fmt.Fprintf(&b, "%s: %s\n", f.name, f.value)
		}
	}
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for _, q := range c.Request.Questions {
		if err := e.Encode(q); err != nil {
			return err.Error()
		}
	}
	for _, f := range ask.Attachments(c.Request.Files) {
		fmt.Fprintf(&b, "below: %s, %d bytes, %d characters there alone, %s\n", f.Name, f.Bytes, f.Unshown, f.SHA256[:16])
	}
	if c.Permission {
		b.WriteString("asks for a permission\n")
	}
	for _, a := range c.Advice {
		fmt.Fprintf(&b, "advice: %s\n", a.Error())
	}
	for _, path := range c.Ignored {
		fmt.Fprintf(&b, "ignored: %s\n", path)
	}
	return b.String()
}

func TestHostTables(t *testing.T) {
	t.Parallel()
	const page = "../docs/reference/hosts.md"
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for begins, table := range map[string]string{
		"<!-- Written by go test ./dialect -update -->\n":                dialect.Table(),
		"<!-- What was read: written by go test ./dialect -update -->\n": dialect.Sources(),
	} {
		const ends = "<!-- End of what is written -->\n"
		before, rest, ok := strings.Cut(text, begins)
		_, after, ok2 := strings.Cut(rest, ends)
		if !ok || !ok2 {
			t.Fatalf("%s has no place for %s", page, begins)
		}
		text = before + begins + table + ends + after
	}
	golden.Check(t, page, text)
}

func TestDialectsNameTheirSources(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, d := range dialect.All() {
		if names[d.Name] {
			t.Errorf("%s is in the table twice", d.Name)
		}
		names[d.Name] = true
		for what, value := range map[string]string{
			"name": d.Name, "family": d.Family, "host": d.Host, "tool": d.Tool, "source": d.Source,
			"evidence": string(d.Evidence), "note": d.Note, "reading": d.Read(),
		} {
			if value == "" {
				t.Errorf("%s has no %s", d.Name, what)
			}
		}
	}
	year := regexp.MustCompile(`\b(20\d\d)\b`)
	for _, d := range dialect.All() {
		if !strings.HasPrefix(d.Source, "https://") || !year.MatchString(d.Read()) {
			t.Errorf("%s: source %q, read %q: address or year is missing", d.Name, d.Source, d.Read())
		}
	}
	if _, ok := dialect.Get("klingon"); ok {
		t.Error("Get returned an unknown dialect")
	}
}
