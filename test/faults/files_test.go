//go:build faults

package faults

import (
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim"
)

// filing is the beginning of the call that posts a file below a card.
var filing = map[string]string{Slack: "POST /api/files.completeUploadExternal", Discord: `filename="`}

// filed returns the files ever posted there.
func (w *World) filed(platform string) []chatsim.File {
	if platform == Discord {
		return w.Discord.Files()
	}
	return w.Slack.Files()
}

func filings() []row {
	return []row{
		{
			number: 37, name: "a replica dies between a card and its file",
			person: "a note that the file is coming, then one file and the controls", agent: "keeps waiting, then the answer",
			kept:  "the question, and its file until the answer",
			shown: Shown{Metrics: []string{`askbridge_requests_ended_total{state="answered"} > 0`}}, note: "on the replica that takes over",
			play: func(_ *testing.T, c *claims) {
				for _, dies := range []func(first *Replica, platform string){
					func(first *Replica, platform string) {
						first.to(platform).AtCall(filing[platform], strikes(first))
					},
					func(first *Replica, platform string) {
						first.to(platform).AtReply(filing[platform], strikes(first))
					},
					func(first *Replica, platform string) {
						first.to(platform).AtCall(updating[platform], strikes(first))
					},
				} {
					c.on(func(t *testing.T, platform string) {
						w := alone(t, platform)
						first := w.Start()
						dies(first, platform)
						change := ask.File{Name: "change.diff", Text: strings.Repeat("-a\n+b\n", 2000)}
						q := Question(platform, "k")
						q.Files = []ask.File{change}
						a := w.Asks(q)
						c.files(t, w, platform, first, a, change)
					})
				}
				c.on(func(t *testing.T, platform string) {
					w := alone(t, platform)
					first := w.Start()
					a := w.Asks(Question(platform, "k"))
					made := w.SubmitsPosted(Question(platform, "k"))
					first.to(platform).AtCall(filing[platform], strikes(first))
					context := strings.Repeat("It went down twice this week.\n", 100)
					if _, err := first.Agent.Revise(t.Context(), made.ID, ask.Revision{Context: &context}); err != nil {
						t.Fatal(err)
					}
					c.files(t, w, platform, first, a, ask.File{Text: context})
				})
			},
		},
	}
}

// files has another replica take over from the first one, which dies during an upload.
func (c *claims) files(t *testing.T, w *World, platform string, first *Replica, a *Asking, file ask.File) {
	t.Helper()
	first.Dies()
	dana := w.Dana(platform)
	c.person(func() {
		dana.Awaits("Uploading the files below")
		if !Closed(dana.Sees()) {
			t.Errorf("without its file it can be answered:\n%s", dana.Sees())
		}
	})
	second := w.Start()
	second.TakesClicks()
	dana.Awaits("[Postgres]", file.Attachment().SHA256)
	c.agent(func() {
		if !a.Waits() {
			t.Error("the agent has a result")
		}
		dana.Insists("Postgres")
		answered(t, a.Ends(), "Postgres")
	})
	c.kept(func() {
		if all := w.filed(platform); len(all) != 1 || string(all[0].Content) != file.Text {
			t.Errorf("%d files were uploaded", len(all))
		}
		if posts := w.posted(platform); posts != 2 {
			t.Errorf("there were %d messages, want the card and the one with its file", posts)
		}
	})
}
