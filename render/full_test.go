package render_test

import (
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/render"
)

func TestFullTextIsComplete(t *testing.T) {
	t.Parallel()
	s := asking(
		ask.Question{Header: "Database", Text: "Which\none?", Options: []ask.Option{
			{Label: "Postgres", Description: "Managed", Preview: "create table t;\n  -- indented"}, {Label: "SQLite"},
		}},
		ask.Question{Text: "Why?"},
	)
	s.Context = "Deploying 4.2"
	all := "bot asks 2 questions\n\nDeploying 4.2\n\n1. Database\nWhich\none?\n1) Postgres – Managed\ncreate table t;\n  -- indented\n2) SQLite\n\n2. Why?"
	for q, want := range map[int]string{-1: all, 1: "2. Why?", 2: all} {
		if got := render.FullText(s, q); got != want {
			t.Errorf("question %d: %q, want %q", q, got, want)
		}
	}
	if got, want := render.FullText(asking(ask.Question{Text: "Why?"}), -1), "bot asks\n\nWhy?"; got != want {
		t.Errorf("one question: %q, want %q", got, want)
	}
}
