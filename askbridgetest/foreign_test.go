package askbridgetest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/askbridgetest"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/discord"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/slack"
	"github.com/askbridge/askbridge/store/memory"
)

// room holds what a test needs of one platform of a world.
type room struct {
	name, deploys, general string
	seat                   func(person, channel string) chatsim.Seat
	// another is a connector for the same app; lead routes people's acts to it.
	another func() (platform.Platform, http.Handler, error)
	lead    func(http.Handler)
	// copies reposts the card of deploys in general.
	copies func() (*http.Request, error)
}

const (
	slackBot   = "xoxb-sim"
	discordBot = "discord-sim-token"
)

// ids maps the names in scenes to people.
var ids = map[string]map[string]string{
	askbridgetest.Slack:   {"dana": "U0000001", "sam": "U0000002", "kim": "U0000003"},
	askbridgetest.Discord: {"dana": "300000000000000001", "sam": "300000000000000002", "kim": "300000000000000003"},
}

func rooms(w *askbridgetest.World) []room {
	return []room{
		{
			name: askbridgetest.Slack, deploys: "C0000001", general: "C0000002",
			seat: func(person, channel string) chatsim.Seat {
				return w.Slack.Seat(ids[askbridgetest.Slack][person]).In(channel)
			},
			another: func() (platform.Platform, http.Handler, error) {
				c, err := slack.New(slack.Config{
					BotToken: slackBot, SigningSecret: w.Slack.SigningSecret(), Mode: slack.ModeHTTP, APIURL: w.Slack.APIURL(), HTTPClient: w.Slack.Client(),
				})
				return c, c.Handler(), err
			},
			lead: func(h http.Handler) { w.Slack.DeliverToHandler("/slack/interactions", h) },
			copies: func() (*http.Request, error) {
				card := w.Slack.Calls("chat.postMessage")[0].Args
				body := map[string]any{"channel": "C0000002", "text": card["text"], "blocks": card["blocks"]}
				return posting(w.Slack.APIURL()+"chat.postMessage", "Bearer "+slackBot, body)
			},
		},
		{
			name: askbridgetest.Discord, deploys: "200000000000000001", general: "200000000000000002",
			seat: func(person, channel string) chatsim.Seat {
				return w.Discord.Seat(ids[askbridgetest.Discord][person]).In(channel)
			},
			another: func() (platform.Platform, http.Handler, error) {
				c, err := discord.New(discord.Config{
					BotToken: discordBot, PublicKey: w.Discord.PublicKey(), Mode: discord.ModeHTTP, APIURL: w.Discord.APIURL(), HTTPClient: w.Discord.Client(),
				})
				return c, c.Handler(), err
			},
			lead: func(h http.Handler) { w.Discord.DeliverToHandler("/discord/interactions", h) },
			copies: func() (*http.Request, error) {
				body := maps.Clone(w.Discord.Calls("create message")[0].Body)
				delete(body, "nonce")
				delete(body, "enforce_nonce")
				return posting(w.Discord.APIURL()+"/v10/channels/200000000000000002/messages", "Bot "+discordBot, body)
			},
		},
	}
}

// posting is an API call of the app itself.
func posting(address, authorization string, body map[string]any) (*http.Request, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, address, bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", authorization)
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	req.Header.Set("User-Agent", "DiscordBot (https://example.org, 1)")
	return req, nil
}

// Staging and production share one app. The platform sent a press on a production card to staging, which closed the
// card.
func TestPressAtForeignBridgeKeepsCard(t *testing.T) {
	t.Parallel()
	for n, name := range []string{askbridgetest.Slack, askbridgetest.Discord} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				staging := askbridgetest.Start(t, &askbridgetest.Options{Bridge: &bridge.Options{StoreName: "staging"}})
				at := rooms(staging)[n]
				chat, inbox, err := at.another()
				if err != nil {
					t.Fatal(err)
				}
				records := memory.New()
				production, err := bridge.New(records, []platform.Platform{chat}, &bridge.Options{StoreName: "production"})
				if err != nil {
					t.Fatal(err)
				}
				ctx, stop := context.WithCancel(t.Context())
				var running sync.WaitGroup
				running.Go(func() {
					if err := production.Run(ctx); err != nil {
						t.Error(err)
					}
				})
				defer func() {
					stop()
					running.Wait()
					if err := records.Close(); err != nil {
						t.Error(err)
					}
				}()
				synctest.Wait()
				made, err := production.Submit(t.Context(), ask.Request{Questions: database, To: []ask.Place{{Platform: at.name, Channel: at.deploys}}})
				if err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				dana, sam := at.seat("dana", at.deploys), at.seat("sam", at.deploys)
				for _, label := range []string{"Postgres", "Other…", "More…"} {
					if err := dana.Press(t.Context(), label); err != nil {
						t.Fatal(err)
					}
					synctest.Wait()
					if sees := dana.Sees(); !strings.Contains(sees, "not known here") {
						t.Errorf("who pressed %s reads\n%s", label, sees)
					}
					if sees := sam.Sees(); !strings.Contains(sees, "[Postgres]") || strings.Contains(sees, "not known here") {
						t.Errorf("after %s the others see\n%s", label, sees)
					}
				}
				at.lead(inbox)
				if err := sam.Press(t.Context(), "SQLite"); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Minute)
				got, err := production.Load(t.Context(), made.Record.ID)
				if err != nil || got.Outcome.State != ask.Answered || strings.Contains(sam.Sees(), "[Postgres]") {
					t.Errorf("it ended as %+v, %v; there is\n%s", got, err, sam.Sees())
				}
			})
		})
	}
}

// A card copied to another channel could be answered by the people there.
func TestCopiedCardIsRefusedPrivately(t *testing.T) {
	t.Parallel()
	for n, name := range []string{askbridgetest.Slack, askbridgetest.Discord} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := askbridgetest.Start(t, nil)
				at := rooms(w)[n]
				made, err := w.Client.Submit(t.Context(), ask.Request{Questions: database, To: []ask.Place{{Platform: at.name, Channel: at.deploys}}})
				if err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				client := map[string]*http.Client{askbridgetest.Slack: w.Slack.Client(), askbridgetest.Discord: w.Discord.Client()}[at.name]
				dana := at.seat("dana", at.general)
				for _, label := range []string{"Postgres", "Other…", "More…"} {
					req, err := at.copies()
					if err != nil {
						t.Fatal(err)
					}
					resp, err := client.Do(req)
					if err != nil {
						t.Fatal(err)
					}
					_ = resp.Body.Close()
					if err := dana.Press(t.Context(), label); err != nil {
						t.Fatalf("%s: %v\n%s", resp.Status, err, dana.Sees())
					}
					synctest.Wait()
					if sees := dana.Sees(); !strings.Contains(sees, "Not the original card") {
						t.Errorf("who pressed %s reads\n%s", label, sees)
					}
					if sees := at.seat("sam", at.general).Sees(); strings.Contains(sees, "This is not the card") || strings.Contains(sees, "["+label+"]") {
						t.Errorf("others read\n%s", sees)
					}
				}
				if r, err := w.Client.Get(t.Context(), made.ID); err != nil || r.State != ask.Open {
					t.Fatalf("the request is %+v, %v", r, err)
				}
				if err := at.seat("sam", at.deploys).Press(t.Context(), "SQLite"); err != nil {
					t.Fatal(err)
				}
				if r, err := w.Client.Wait(t.Context(), made.ID); err != nil || r.State != ask.Answered {
					t.Errorf("the request is %+v, %v", r, err)
				}
			})
		})
	}
}
