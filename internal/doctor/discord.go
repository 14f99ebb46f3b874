package doctor

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/askbridge/askbridge/internal/config"
)

// discordAPI calls Discord as the bot.
type discordAPI struct {
	client  *http.Client
	address string
	token   config.Secret
}

// discordVersion is the version of the API that is asked
// (https://docs.discord.com/developers/reference#api-versioning).
const discordVersion = "v10"

var versioned = regexp.MustCompile(`/v\d+$`)

func newDiscordAPI(cfg *config.Discord, client *http.Client) *discordAPI {
	address := strings.TrimSuffix(cmp.Or(cfg.APIURL, "https://discord.com/api"), "/")
	if !versioned.MatchString(address) {
		address += "/" + discordVersion
	}
	return &discordAPI{client: client, address: address, token: cfg.BotToken}
}

// refusal is how Discord says no.
// https://docs.discord.com/developers/topics/opcodes-and-status-codes#json
type refusal struct {
	status  int
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *refusal) String() string {
	return fmt.Sprintf("%d %s", cmp.Or(e.Code, e.status), e.Message)
}

// get asks for something and decodes it into out. A refusal is Discord's own;
// the error is for a call that got no answer of Discord's.
func (a *discordAPI) get(ctx context.Context, path string, out any) (r reply, no *refusal, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, a.address+path, http.NoBody)
	if err != nil {
		return r, nil, plain(err)
	}
	req.Header.Set("Authorization", "Bot "+a.token.Reveal())
	// The form is prescribed: https://docs.discord.com/developers/reference#user-agent
	req.Header.Set("User-Agent", "DiscordBot (https://github.com/askbridge/askbridge, doctor)")
	if r, err = send(a.client, req); err != nil {
		return r, nil, err
	}
	if r.status == http.StatusOK {
		r.into(out)
		return r, nil, nil
	}
	no = &refusal{status: r.status}
	r.into(no)
	if no.Message == "" {
		return r, nil, fmt.Errorf("it answers with HTTP %d and not as Discord does", r.status)
	}
	return r, no, nil
}

// discordExam looks at one application.
type discordExam struct {
	r      *Report
	cfg    *config.Discord
	places places
	api    *discordAPI

	bot    string // the bot's user id
	guilds map[string]*guild
}

// The modes in which interactions arrive.
const (
	modeGateway = "gateway"
	modeHTTP    = "http"
)

// portal is where applications are looked after.
const portal = "https://discord.com/developers/applications"

// The last part of the address where Discord posts what people do.
const discordInteractions = "/discord/interactions"

func (x *discordExam) arrives() string {
	switch {
	case x.cfg.Mode != "":
		return x.cfg.Mode
	case x.cfg.PublicKey != "":
		return modeHTTP
	}
	return modeGateway
}

func (x *discordExam) examine(ctx context.Context) {
	if x.arrives() == modeHTTP && x.cfg.PublicKey == "" {
		x.r.add("discord/key", Broken, "Copy Public Key from General Information in "+portal+" into discord.public_key.",
			"over HTTP everything is signed, and without discord.public_key nothing can be checked, so nothing is taken")
	}
	if !x.token(ctx) {
		return
	}
	x.app(ctx)
	if x.arrives() == modeGateway {
		x.gateway(ctx)
	}
	x.sort(ctx)
	for _, id := range x.places.channels {
		x.channel(ctx, id)
	}
	for _, id := range x.places.users {
		x.person(ctx, id, true)
	}
	for _, id := range x.places.responders {
		if !slices.Contains(x.places.users, id) {
			x.person(ctx, id, false)
		}
	}
	for _, who := range x.places.groups {
		x.role(who)
	}
}

// sort finds out which places are people; all others count as channels.
func (x *discordExam) sort(ctx context.Context) {
	for _, id := range x.places.either {
		if slices.Contains(x.places.channels, id) || slices.Contains(x.places.users, id) {
			continue
		}
		if _, no, err := x.api.get(ctx, "/users/"+url.PathEscape(id), &struct{}{}); no == nil && err == nil {
			x.places.users = append(x.places.users, id)
			continue
		}
		x.places.channels = append(x.places.channels, id)
	}
}

// token asks who the bot is.
func (x *discordExam) token(ctx context.Context) bool {
	const (
		id = "discord/token"
		do = "In " + portal + ": Bot, Reset Token, and copy it into discord.bot_token."
	)
	if !x.cfg.BotToken.Set() {
		x.r.add(id, Broken, do, "discord.bot_token is missing")
		return false
	}
	var us struct {
		ID   string `json:"id"`
		Name string `json:"username"`
		Bot  bool   `json:"bot"`
	}
	r, no, err := x.api.get(ctx, "/users/@me", &us)
	switch {
	case err != nil:
		x.r.add(id, Broken, "Look at the network, the proxy and discord.api_url.", "Discord cannot be asked at %s: %v", host(x.api.address), err)
		return false
	case no != nil && no.status == http.StatusTooManyRequests:
		x.r.add(id, Note, "Try again in a minute.", "Discord asks for patience")
		return false
	case no != nil:
		x.r.add(id, Broken, do, "Discord does not take discord.bot_token: %s", no)
		return false
	}
	x.bot = us.ID
	x.r.ok(id, "it is %s (%s)", us.Name, us.ID)
	if r.dated {
		judgeClock(x.r, "discord/clock", "Discord's", r.skew, false)
	}
	return true
}

// app compares the application with the settings.
func (x *discordExam) app(ctx context.Context) {
	const id = "discord/application"
	var app struct {
		ID        string `json:"id"`
		Name      string `json:"name"`
		VerifyKey string `json:"verify_key"`
		Endpoint  string `json:"interactions_endpoint_url"`
	}
	_, no, err := x.api.get(ctx, "/applications/@me", &app)
	switch {
	case err != nil:
		x.r.add(id, Note, "Try again.", "the application could not be looked at: %v", err)
		return
	case no != nil:
		x.r.add(id, Note, "", "the application could not be looked at: %s", no)
		return
	case x.cfg.ApplicationID != "" && app.ID != x.cfg.ApplicationID:
		x.r.add(id, Broken, "Copy both from the same application, or leave out discord.application_id.",
			"discord.application_id is %s and discord.bot_token is of %s (%s)", x.cfg.ApplicationID, app.ID, app.Name)
	default:
		x.r.ok(id, "it is %s (%s)", app.Name, app.ID)
	}
	if x.cfg.PublicKey != "" && app.VerifyKey != "" && !strings.EqualFold(app.VerifyKey, x.cfg.PublicKey) {
		x.r.add("discord/key", Broken, "Copy Public Key from General Information in "+portal+".",
			"discord.public_key is not that of the application, so every click would be refused")
	}
	x.mode(app.Endpoint)
}

// mode looks whether what people do arrives where we wait for it: an endpoint
// starves the gateway.
// https://docs.discord.com/developers/interactions/overview
func (x *discordExam) mode(endpoint string) {
	const (
		id    = "discord/mode"
		where = "In " + portal + ": General Information, Interactions Endpoint URL, "
	)
	u, err := url.Parse(endpoint)
	ours := err == nil && strings.HasSuffix(u.Path, discordInteractions)
	switch gateway := x.arrives() == modeGateway; {
	case gateway && endpoint == "":
		x.r.ok(id, "gateway: nothing else is in its way")
	case gateway:
		x.r.add(id, Broken, where+"clear it and save; or set discord.mode to http.",
			"the application has an Interactions Endpoint URL (%s), so clicks go there and the gateway hears none", host(endpoint))
	case endpoint == "":
		x.r.add(id, Broken, where+"enter https://<your address>"+discordInteractions+" while askbridge runs: Discord tries it at once.",
			"discord.mode is http, and the application has no Interactions Endpoint URL, so clicks go nowhere")
	case !ours:
		x.r.add(id, Warn, where+"unless a proxy leads it there, end it with "+discordInteractions+".",
			"clicks go to %s, which does not look like askbridge", host(endpoint)+u.EscapedPath())
	default:
		x.r.ok(id, "http: clicks go to %s", host(endpoint))
	}
}

// fewStarts is when the connections that may still be opened today become few:
// a bridge that stays up needs a handful.
const fewStarts = 20

// gateway looks whether connections are to be had, and how many.
// https://docs.discord.com/developers/events/gateway#get-gateway-bot
func (x *discordExam) gateway(ctx context.Context) {
	const id = "discord/gateway"
	var g struct {
		Shards int `json:"shards"`
		Limit  struct {
			Total     int   `json:"total"`
			Remaining int   `json:"remaining"`
			ResetMS   int64 `json:"reset_after"`
		} `json:"session_start_limit"`
	}
	_, no, err := x.api.get(ctx, "/gateway/bot", &g)
	again := (time.Duration(g.Limit.ResetMS) * time.Millisecond).Round(time.Minute)
	switch shards := max(1, x.cfg.ShardCount); {
	case err != nil:
		x.r.add(id, Note, "Try again.", "it could not be looked at: %v", err)
	case no != nil:
		x.r.add(id, Note, "", "it could not be looked at: %s", no)
	case g.Limit.Total > 0 && g.Limit.Remaining < shards:
		x.r.add(id, Broken, "Find out what connects so often, such as a program that is restarted again and again with this token.",
			"Discord lets the bot open no more connections for %s: %d a day are all", again, g.Limit.Total)
	case g.Limit.Total > 0 && g.Limit.Remaining < fewStarts*shards:
		x.r.add(id, Warn, "Find out what connects so often, such as a program that is restarted again and again with this token.",
			"the bot may open %d connections for another %s", g.Limit.Remaining, again)
	case g.Shards > shards:
		x.r.add(id, Warn, fmt.Sprintf("Set discord.shard_count to %d.", g.Shards), "the bot is in so many servers that Discord recommends %d shards, and it has %d", g.Shards, shards)
	default:
		x.r.ok(id, "connections are to be had")
	}
}
