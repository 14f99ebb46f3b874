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
const readDrawn = `(async (file, name, texts, emojis) => {
	const draw = (await import(file))[name];
	const context = {me: '', user: () => undefined, role: () => undefined, channel: () => undefined, emoji: (name) => emojis[name]};
	const blocks = new Set(['DIV', 'PRE', 'BLOCKQUOTE', 'UL', 'LI', 'H3', 'H4', 'H5']);
	const read = (node) => {
		if (node.nodeType === Node.TEXT_NODE) return node.data;
		const inside = [...node.childNodes].map(read).join('');
		if (!blocks.has(node.tagName)) return inside;
		const mark = (li) => li.parentNode.tagName === 'OL' ? (li.parentNode.start + [...li.parentNode.children].indexOf(li)) + '. ' : '• ';
		return '\n' + (node.tagName === 'LI' ? mark(node) : '') + inside + '\n';
	};
	return texts.map((text) => {
		const all = document.createElement('div');
		all.append(...draw(text, context));
		return read(all);
	});
})(%q, %q, %s, %s)`

// playReading compares the texts on the page with the texts that seats read, for every golden card.
func playReading(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newTown(t)
	p := open(t, chrome, w.url, desktop)
	slack := slacksim.Start(t, &slacksim.Options{People: []slacksim.Person{}, Groups: []slacksim.Group{}})
	discord := discordsim.Start(t, &discordsim.Options{People: []discordsim.Person{}, Roles: []discordsim.Role{}})
	emojis := slack.Snapshot("").Emojis
	for _, tt := range []struct {
		section, module, draw string
		texts                 []any
		read                  func(text any) string
	}{
		{"slack.json", "./mrkdwn.js", "mrkdwn", []any{"Ship :tada: `:tada:` :no_such_thing:"}, func(text any) string { return slack.ReadText(text.(string)) }},
		{"slack.json", "./rich.js", "richText", nil, slack.ReadRich},
		{"discord.json", "./markdown.js", "markdown", []any{`\“quoted\” \_init\_ \a`}, func(text any) string { return discord.ReadText(text.(string)) }},
	} {
		texts := append(goldenTexts(t, tt.section, tt.draw), tt.texts...)
		drawn := awaited[[]string](p, fmt.Sprintf(readDrawn, tt.module, tt.draw, encoded(t, texts), encoded(t, emojis)))
		for i, text := range texts {
			if got, want := lined(drawn[i]), lined(tt.read(text)); got != want {
				t.Errorf("%s: the page shows %q, and people read %q, of %q", tt.draw, got, want, text)
			}
		}
	}
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// goldenTexts lists every text of the golden cards that a function of the page draws.
func goldenTexts(t *testing.T, section, draw string) []any {
	t.Helper()
	files, err := filepath.Glob("../../render/testdata/cases/*.txtar")
	if err != nil || len(files) < 50 {
		t.Fatalf("%d golden cards, %v", len(files), err)
	}
	found := map[string]any{}
	var visit func(v any)
	visit = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if v["type"] == "date" {
				v["type"], v["text"] = "text", "a moment"
			}
			for name, member := range v {
				visit(member)
				kind := v["type"]
				if draw == "markdown" && name == "content" || draw == "mrkdwn" && name == "text" && kind == "mrkdwn" || draw == "richText" && name == "elements" && kind == "rich_text" {
					found[encoded(t, member)] = member
				}
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
				if err := json.Unmarshal([]byte(moments.ReplaceAllString(string(f.Data), "a moment")), &v); err != nil {
					t.Fatalf("%s: %v", file, err)
				}
				visit(v)
			}
		}
	}
	if len(found) < 20 {
		t.Fatalf("%d texts in %s for %s", len(found), section, draw)
	}
	var all []any
	for _, key := range slices.Sorted(maps.Keys(found)) {
		all = append(all, found[key])
	}
	return all
}

// lined returns a text without empty lines and trailing spaces.
func lined(text string) string {
	var out []string
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, " \n"); strings.TrimSpace(line) != "" {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}
