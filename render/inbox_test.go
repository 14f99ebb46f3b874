package render_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	catalogue "github.com/askbridge/askbridge/internal/words"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/blockkit"
	"github.com/askbridge/askbridge/render/components"
	"github.com/askbridge/askbridge/test/golden"
)

// inboxCase is an inbox whose items are the subjects of cards in testdata/cases.
type inboxCase struct {
	render.InboxView

	Cases []string
	Pass  bool
	Link  string
}

func readInbox(t *testing.T, data, platform string) inboxCase {
	t.Helper()
	var in inboxCase
	if err := json.Unmarshal([]byte(data), &in); err != nil {
		t.Fatal(err)
	}
	for n, name := range in.Cases {
		s := subject(t, golden.Archive(t, filepath.Join("testdata/cases", name+".txtar")), platform)
		s.ID = strings.Replace(s.ID, "p0", "p"+string(rune('0'+n)), 1)
		in.Items = append(in.Items, render.InboxItem{Subject: s, Pass: in.Pass, Link: in.Link})
	}
	return in
}

func TestInboxes(t *testing.T) {
	t.Parallel()
	golden.Each(t, "testdata/inbox/*.txtar", func(t *testing.T, c *golden.Case) {
		t.Helper()
		for _, l := range []render.Limits{blockkit.Limits(), components.Limits()} {
			card := render.Inbox(readInbox(t, c.Get("view.json"), l.Platform).InboxView, l)
			if l.Platform == "slack" {
				blocks, text := blockkit.Message(card)
				judgeSlack(t, slackMessage{Text: text, Blocks: blocks}, []string{"U0000001", "U0000002", "U0000003"})
				c.Check("slack.json", indent(t, blocks))
				continue
			}
			m := discordMessage{Components: components.Message(card)}
			judgeBySchema(t, m)
			c.Check("discord.json", indent(t, m.Components))
		}
	})
}

// Any cards fit in an inbox, in every language, and each control is there once.
func TestAnyCardsFitInAnInbox(t *testing.T) {
	t.Parallel()
	for _, l := range []render.Limits{blockkit.Limits(), components.Limits()} {
		var items []render.InboxItem
		cases, err := filepath.Glob("testdata/cases/*.txtar")
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range cases {
			if s := subject(t, golden.Archive(t, path), l.Platform); !s.Outcome.State.Ended() && s.Held == nil && len(s.Questions) > 0 {
				items = append(items, render.InboxItem{Subject: s, Pass: true, Link: "https://chat.example.com/archives/C0000001/p1"})
			}
		}
		for _, language := range catalogue.Languages() {
			for page := range slices.Chunk(items, render.InboxPage) {
				for n := range page {
					page[n].Subject.ID = "p" + string(rune('a'+n)) + "1r3v7k2m9qxw"
				}
				card := render.Inbox(render.InboxView{Language: language, Total: 99, From: 10, Items: page, Refresh: true, Note: strings.Repeat("note ", 60)}, l)
				if l.Platform == "slack" {
					blocks, text := blockkit.Message(card)
					judgeSlack(t, slackMessage{Text: text, Blocks: blocks}, nil)
				} else {
					judgeBySchema(t, discordMessage{Components: components.Message(card)})
					if !l.Fits(card) {
						t.Errorf("%s: too large for a message: %s", language, card.Sections[0].Text[1].Text)
					}
				}
				seen := map[string]bool{}
				for _, b := range buttons(card) {
					if id := b.Token.String(); seen[id] {
						t.Errorf("%s: the control %s is there twice", l.Platform, id)
					} else {
						seen[id] = true
					}
				}
			}
		}
	}
}

// A request that the inbox cannot show in full is not answered there.
func TestInboxShowsWhatItAnswers(t *testing.T) {
	t.Parallel()
	view := readInbox(t, `{"Total": 1, "Cases": ["single"]}`, "slack").InboxView
	answers := func(change func(*render.Subject)) bool {
		v := view
		v.Items = slices.Clone(v.Items)
		change(&v.Items[0].Subject)
		return slices.ContainsFunc(buttons(render.Inbox(v, blockkit.Limits())), func(b render.Button) bool { return b.Token.Verb == render.Choose })
	}
	if !answers(func(*render.Subject) {}) {
		t.Error("a short request cannot be answered")
	}
	for name, change := range map[string]func(*render.Subject){
		"a long context": func(s *render.Subject) { s.Context = strings.Repeat("word ", 200) },
		"files": func(s *render.Subject) {
			s.Files = append(s.Files, readInbox(t, `{"Cases": ["files"]}`, "slack").Items[0].Subject.Files...)
		},
		"files that are missing": func(s *render.Subject) { s.Filing = render.FilesMissing },
	} {
		if answers(change) {
			t.Errorf("a request with %s can be answered", name)
		}
	}
}
