package render_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/blockkit"
	"github.com/askbridge/askbridge/render/components"
	"github.com/askbridge/askbridge/test/golden"
)

// What a person sees on a platform is the card: every section in its order, every control with its whole label, and no
// other control.
func TestPeopleSeeCardsInOrderAndUncut(t *testing.T) {
	t.Parallel()
	golden.Each(t, "testdata/cases/*.txtar", func(t *testing.T, c *golden.Case) {
		for _, l := range platformLimits {
			card := render.Layout(subject(t, c, l.Platform), l)
			sees := posted(t, card, l.Platform)
			rest := sees
			follows := func(what, part string) {
				_, after, found := strings.Cut(rest, part)
				if !found {
					t.Errorf("%s: %s %q is missing or in another place; the person sees\n%s", l.Platform, what, part, sees)
					return
				}
				rest = after
			}
			for _, sec := range card.Sections {
				if part := firstWords(sec.Text); part != "" {
					follows("the text of "+sec.ID, part)
				}
				if sec.List != nil {
					for _, item := range sec.List.Items {
						follows("the item", item.Label)
					}
				}
				for _, b := range sec.Buttons {
					follows("the button", "["+b.Label+"]")
				}
			}
			if len(buttons(card)) == 0 && strings.Contains(sees, "…]") {
				t.Errorf("%s: a card without controls has some:\n%s", l.Platform, sees)
			}
		}
	})
}

// plainWords matches words that look the same on every platform.
var plainWords = regexp.MustCompile(`[A-Za-z0-9]+( [A-Za-z0-9]+){0,3}`)

// firstWords are the first words of the first span that the bridge does not format.
func firstWords(spans []render.Span) string {
	n := slices.IndexFunc(spans, func(s render.Span) bool {
		return (s.Style == render.Plain || s.Style == render.Bold || s.Style == render.Aside) && plainWords.MatchString(s.Text)
	})
	if n < 0 {
		return ""
	}
	return plainWords.FindString(spans[n].Text)
}

// posted posts a card to the double of a platform and returns what a person sees.
func posted(t *testing.T, card render.Card, platform string) string {
	t.Helper()
	var (
		client        *http.Client
		seat          chatsim.Seat
		url, bearer   string
		blocks, words = blockkit.Message(card)
		body          = map[string]any{"channel": "C0000001", "text": words, "blocks": blocks, "unfurl_links": false, "unfurl_media": false}
	)
	if platform == "slack" {
		sim := slacksim.Start(t, nil)
		client, seat = sim.Client(), sim.Seat("U0000001")
		url, bearer = sim.APIURL()+"chat.postMessage", "Bearer xoxb-sim"
	} else {
		const isComponentsV2 = 1 << 15
		sim := discordsim.Start(t, nil)
		client, seat = sim.Client(), sim.Seat("300000000000000001")
		url, bearer = sim.APIURL()+"/v10/channels/200000000000000001/messages", "Bot discord-sim-token"
		body = map[string]any{"flags": isComponentsV2, "components": components.Message(card), "allowed_mentions": map[string]any{"parse": []string{}}}
	}
	raw, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", bearer)
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	req.Header.Set("User-Agent", "DiscordBot (https://example.org, 1)")
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("post: %s, %v", resp.Status, err)
	}
	return seat.Sees()
}
