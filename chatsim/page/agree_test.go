package page_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
)

// moments are times, which the page shows in the reader's own time zone and a double in UTC.
var moments = regexp.MustCompile(`<!date\^[^>]*>|<t:-?\d+(?::\w)?>`)

// readDrawn draws texts as the page does and reads them off again: lists with bullets, one line for each line.
const readDrawn = `(async (file, name, texts) => {
	const draw = (await import(file))[name];
	const context = {me: '', user: () => undefined, role: () => undefined, channel: () => undefined};
	const blocks = new Set(['DIV', 'PRE', 'BLOCKQUOTE', 'UL', 'LI', 'H3', 'H4', 'H5']);
	const read = (node) => {
		if (node.nodeType === Node.TEXT_NODE) return node.data;
		const inside = [...node.childNodes].map(read).join('');
		if (!blocks.has(node.tagName)) return inside;
		return '\n' + (node.tagName === 'LI' ? '• ' : '') + inside + '\n';
	};
	return texts.map((text) => {
		const all = document.createElement('div');
		all.append(...draw(text, context));
		return read(all);
	});
})(%q, %q, %s)`

// playReading holds the page to what the doubles say that people read, in every text of every golden card.
func playReading(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newTown(t)
	p := open(t, chrome, w.url, desktop)
	for _, tt := range []struct {
		brand, section, module, draw string
		read                         func(string) string
	}{
		{"Slack", "slack.json", "./mrkdwn.js", "mrkdwn", slacksim.Start(t, &slacksim.Options{People: []slacksim.Person{}}).ReadText},
		{"Discord", "discord.json", "./markdown.js", "markdown", discordsim.Start(t, &discordsim.Options{People: []discordsim.Person{}, Roles: []discordsim.Role{}}).ReadText},
	} {
		texts := goldenTexts(t, tt.section)
		list, err := json.Marshal(texts)
		if err != nil {
			t.Fatal(err)
		}
		drawn := awaited[[]string](p, fmt.Sprintf(readDrawn, tt.module, tt.draw, list))
		for i, text := range texts {
			if got, want := lined(drawn[i]), lined(tt.read(text)); got != want {
				t.Errorf("%s: the page shows %q, and people read %q, of %q", tt.brand, got, want, text)
			}
		}
	}
}

// goldenTexts lists every text in markup of the golden cards.
func goldenTexts(t *testing.T, section string) []string {
	t.Helper()
	files, err := filepath.Glob("../../render/testdata/cases/*.txtar")
	if err != nil || len(files) < 50 {
		t.Fatalf("%d golden cards, %v", len(files), err)
	}
	found := map[string]bool{}
	var visit func(v any)
	visit = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if content, isText := v["content"].(string); isText {
				found[moments.ReplaceAllString(content, "a moment")] = true
			}
			if text, isText := v["text"].(string); isText && v["type"] == "mrkdwn" {
				found[moments.ReplaceAllString(text, "a moment")] = true
			}
			for _, member := range v {
				visit(member)
			}
		case []any:
			for _, item := range v {
				visit(item)
			}
		}
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range txtar.Parse(raw).Files {
			var v any
			if f.Name == section {
				if err := json.Unmarshal(f.Data, &v); err != nil {
					t.Fatalf("%s: %v", file, err)
				}
				visit(v)
			}
		}
	}
	if len(found) < 50 {
		t.Fatalf("%d texts in %s", len(found), section)
	}
	return slices.Sorted(maps.Keys(found))
}

// lined is a text without empty lines and without what stands at the ends of lines, where nobody sees a difference.
func lined(text string) string {
	var out []string
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, " \n"); strings.TrimSpace(line) != "" {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}
