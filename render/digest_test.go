package render_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	catalogue "github.com/askbridge/askbridge/internal/words"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/blockkit"
	"github.com/askbridge/askbridge/render/components"
	"github.com/askbridge/askbridge/test/golden"
)

func TestDigests(t *testing.T) {
	t.Parallel()
	golden.Each(t, "testdata/digest/*.txtar", func(t *testing.T, c *golden.Case) {
		t.Helper()
		var v render.DigestView
		if err := json.Unmarshal([]byte(c.Get("view.json")), &v); err != nil {
			t.Fatal(err)
		}
		blocks, text := blockkit.Message(render.Digest(v))
		judgeSlack(t, slackMessage{Text: text, Blocks: blocks}, nil)
		c.Check("slack.json", indent(t, blocks))
		m := discordMessage{Components: components.Message(render.Digest(v))}
		judgeBySchema(t, m)
		c.Check("discord.json", indent(t, m.Components))
	})
}

// A digest fits both platforms and notifies no one, whatever agents write.
func TestAnyDigestFits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		v := render.DigestView{
			ID: "digest-1", Language: rapid.SampledFrom(catalogue.Languages()).Draw(rt, "language"),
			Channel: rapid.Bool().Draw(rt, "channel"), At: time.Unix(1_764_000_000, 0), Total: rapid.IntRange(0, 2000).Draw(rt, "total"),
		}
		for range min(v.Total, rapid.IntRange(1, 5).Draw(rt, "items")) {
			v.Items = append(v.Items, render.DigestItem{
				Title: rapid.SampledFrom([]string{"", "Deploy?", "<@U0000001> <!channel> @everyone\n[x](https://evil.example)", strings.Repeat("long ", 500)}).Draw(rt, "title"),
				Agent: rapid.SampledFrom([]string{"", "deploy-bot", "<b>*_`|~ :smile:", "\u202egnol"}).Draw(rt, "agent"), Link: rapid.SampledFrom([]string{"", "https://chat.example.com/archives/C1/p1"}).Draw(rt, "link"),
			})
		}
		blocks, text := blockkit.Message(render.Digest(v))
		judgeSlack(t, slackMessage{Text: text, Blocks: blocks}, nil)
		judgeBySchema(t, discordMessage{Components: components.Message(render.Digest(v))})
	})
}
