package render_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/blockkit"
)

// TestLongestRequestsFitTheirForm fills a request to the last character with
// what takes the most room.
func TestLongestRequestsFitTheirForm(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"ampersands":                     "&",
		"angle brackets":                 "<",
		"quotation marks":                "\"",
		"backslashes":                    `\`,
		"backticks":                      "`",
		"stars":                          "*",
		"emoji":                          "👍",
		"families":                       "👩\u200d👩\u200d👧\u200d👦",
		"flags":                          "🇩🇪",
		"right-to-left letters":          "ש",
		"marks":                          "e\u0301\u0300\u0351",
		"long lines of ampersands":       strings.Repeat("&", 151) + "\n",
		"lines of three quarters":        strings.Repeat("x", 2249) + "\n",
		"lines of just over a third":     strings.Repeat("x", 1001) + "\n",
		"words":                          "word ",
		"short lines":                    "x\n",
		"one emoji joined without end":   "👩\u200d",
		"one syllable without end":       "क्",
		"samples in backticks and lines": "```\n",
		"lines of escaped characters":    strings.Repeat("&", 451) + "\n",
		"addresses of half a block":      "https://a.example/" + strings.Repeat("&", 300) + " ",
	}
	shapes := map[string]func(text string) ask.Request{
		"in one question": func(text string) ask.Request {
			return ask.Request{Questions: []ask.Question{{Text: prefix(text, ask.MaxText)}}}
		},
		"in ten questions": func(text string) ask.Request {
			var r ask.Request
			for range ask.MaxQuestions {
				r.Questions = append(r.Questions, ask.Question{
					Text:    prefix(text, 1000),
					Options: []ask.Option{{Label: "A", Description: prefix(text, 1000)}, {Label: "B", Preview: prefix(text, 990)}},
				})
			}
			return r
		},
		"in labels": func(text string) ask.Request {
			var r ask.Request
			for i := range 7 {
				q := ask.Question{Text: "q", Header: prefix(text, 200)}
				for n := range ask.DefaultMaxOptions {
					q.Options = append(q.Options, ask.Option{Label: fmt.Sprintf("%d%d", i, n) + prefix(text, 990)})
				}
				r.Questions = append(r.Questions, q)
			}
			return r
		},
	}
	shapes["in ten questions with notes"] = func(text string) ask.Request {
		var r ask.Request
		for range ask.MaxQuestions {
			r.Questions = append(r.Questions, ask.Question{Text: prefix(text, 2990), Notes: true, Options: []ask.Option{{Label: "A"}, {Label: "B"}}})
		}
		return r
	}
	shapes["in 25 options"] = func(text string) ask.Request {
		text, q := prefix(text, 600), ask.Question{Text: "q", MultiSelect: true}
		for n := range ask.MaxOptions {
			q.Options = append(q.Options, ask.Option{Label: fmt.Sprint(n, " ", prefix(text, 590)), Description: prefix(text, 595)})
		}
		return ask.Request{Questions: []ask.Question{q}}
	}
	shapes["in 250 options"] = func(text string) ask.Request {
		text = prefix(text, 60)
		var r ask.Request
		for range ask.MaxQuestions {
			q := ask.Question{Text: "q"}
			for n := range ask.MaxOptions {
				q.Options = append(q.Options, ask.Option{Label: fmt.Sprint(n, " ", prefix(text, 55)), Description: prefix(text, 30), Preview: prefix(text, 25)})
			}
			r.Questions = append(r.Questions, q)
		}
		return r
	}
	// These shapes depend on the number of controls more than on their text, so they are filled with one
	// text of each class: escaped, formatted, wide, joined, right-to-left and plain.
	typical := []string{"ampersands", "angle brackets", "stars", "emoji", "one emoji joined without end", "right-to-left letters", "words"}
	crowded := []string{"in labels", "in ten questions with notes", "in 250 options"}
	for name, piece := range tests {
		for where, make := range shapes {
			if slices.Contains(crowded, where) && !slices.Contains(typical, name) {
				continue
			}
			t.Run(name+" "+where, func(t *testing.T) {
				t.Parallel()
				r := make(strings.Repeat(piece, ask.MaxText/len([]rune(piece))+1))
				if err := r.Validate(anyRules); err != nil {
					t.Fatal(err)
				}
				s := render.Subject{ID: "p01r3v7k2m9qxw", Agent: "bot", Questions: r.Questions, Eligible: anyone}
				m := drawSlack(s)
				m.Forms = map[string]modal{"answer": blockkit.Modal(render.AnswerForm(s)), "write 0": blockkit.Modal(render.WriteForm(s, 0))}
				texts := judgeSlack(t, m, nil)
				shown := fold(texts[1])
				for _, part := range parts(s) {
					if !strings.Contains(shown, fold(render.Clean(part))) {
						t.Errorf("lost %d characters: %.80q", len([]rune(part)), part)
					}
				}
				showsWhole(t, s, nil)
				if where == "in one question" {
					showsWhole(t, plainly(s), nil)
				}
			})
		}
	}
}
