package bundle

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/discord"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/app/doctor"
	"github.com/askbridge/askbridge/internal/app/provider"
)

// restAPI calls Discord as the bot.
type restAPI struct {
	address string
	token   config.Secret
}

// apiVersion is the API version (https://docs.discord.com/developers/reference#api-versioning).
const apiVersion = "v10"

var versioned = regexp.MustCompile(`/v\d+$`)

func newAPI(s *Section) *restAPI {
	address := strings.TrimSuffix(cmp.Or(s.APIURL, "https://discord.com/api"), "/")
	if !versioned.MatchString(address) {
		address += "/" + apiVersion
	}
	return &restAPI{address: address, token: s.BotToken}
}

// refusal is an error response.
// https://docs.discord.com/developers/topics/opcodes-and-status-codes#json
type refusal struct {
	status  int
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *refusal) String() string {
	return fmt.Sprintf("%d %s", cmp.Or(e.Code, e.status), e.Message)
}

// get fetches a resource and decodes it into out. no is Discord's error response; err is set if
// Discord sent no response.
func (a *restAPI) get(ctx context.Context, path string, out any) (r doctor.Reply, no *refusal, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, a.address+path, http.NoBody)
	if err != nil {
		return r, nil, doctor.Plain(err)
	}
	req.Header.Set("Authorization", "Bot "+a.token.Reveal())
	// The format is prescribed: https://docs.discord.com/developers/reference#user-agent
	req.Header.Set("User-Agent", "DiscordBot (https://github.com/askbridge/askbridge, doctor)")
	if r, err = doctor.Send(http.DefaultClient, req); err != nil {
		return r, nil, err
	}
	if r.Status == http.StatusOK {
		r.Into(out)
		return r, nil, nil
	}
	no = &refusal{status: r.Status}
	r.Into(no)
	if no.Message == "" {
		return r, nil, fmt.Errorf("it answers with HTTP %d and not as Discord does", r.Status)
	}
	return r, no, nil
}

// exam checks one application.
type exam struct {
	r   *doctor.Report
	cfg *Section
	api *restAPI

	doctor.Visit

	threads map[string]string // configured channels of threads, by thread
	either  []string          // ids of channels or people, which only a lookup can distinguish

	bot    string // the bot's user id
	id     string // the application's id
	guilds map[string]*guild
}

func newExam(s *Section) *exam {
	return &exam{cfg: s, api: newAPI(s), threads: map[string]string{}, guilds: map[string]*guild{}}
}

// portal is the URL of the developer portal.
const portal = "https://discord.com/developers/applications"

// callback is the last path segment of the URL that interactions are posted to.
var callback = provider.Callback(discord.Name)

func (x *exam) arrives() string {
	switch {
	case x.cfg.Mode != "":
		return x.cfg.Mode
	case x.cfg.PublicKey != "":
		return discord.ModeHTTP
	}
	return discord.ModeGateway
}

// Examine checks the token, the application, how interactions are delivered, and every
// configured place and person.
func (s *Section) Examine(ctx context.Context, r *doctor.Report, named doctor.Named) {
	x := newExam(s)
	x.r, x.Responders, x.Groups = r, named.Responders, named.Groups
	for _, place := range named.Routes {
		x.place(place)
	}
	for _, place := range named.Agents {
		// An id alone can be a channel's or a person's.
		if place.Thread == "" && place.User == "" {
			x.either = append(x.either, place.Channel)
			continue
		}
		x.place(place)
	}
	if s.DMFallback != "" {
		x.Channels = append(x.Channels, s.DMFallback)
	}
	x.Channels, x.People, x.either = doctor.Sorted(x.Channels), doctor.Sorted(x.People), doctor.Sorted(x.either)
	x.examine(ctx)
}

func (x *exam) place(p ask.Place) {
	switch {
	case p.User != "":
		x.People = append(x.People, p.User)
	case p.Thread != "":
		x.Channels = append(x.Channels, p.Thread) // A thread is also a channel.
		x.threads[p.Thread] = p.Channel
	default:
		x.Channels = append(x.Channels, p.Channel)
	}
}

func (x *exam) examine(ctx context.Context) {
	if x.arrives() == discord.ModeHTTP && x.cfg.PublicKey == "" {
		x.r.Add("discord/key", doctor.Broken, "Copy Public Key from General Information in "+portal+" into discord.public_key.",
			"over HTTP every request is signed; without discord.public_key no signature can be verified, so all are rejected")
	}
	if !x.token(ctx) {
		return
	}
	x.app(ctx)
	if len(x.cfg.Servers) > 0 {
		x.listed(ctx)
	}
	if x.arrives() == discord.ModeGateway {
		x.gateway(ctx)
	}
	x.sort(ctx)
	x.Each(
		func(id string) { x.channel(ctx, id) },
		func(id string, asked bool) { x.person(ctx, id, asked) },
		x.role,
	)
}

// sort determines which places are people; all others are treated as channels.
func (x *exam) sort(ctx context.Context) {
	for _, id := range x.either {
		if slices.Contains(x.Channels, id) || slices.Contains(x.People, id) {
			continue
		}
		if _, no, err := x.api.get(ctx, "/users/"+url.PathEscape(id), &struct{}{}); no == nil && err == nil {
			x.People = append(x.People, id)
			continue
		}
		x.Channels = append(x.Channels, id)
	}
}

// token checks the bot token.
func (x *exam) token(ctx context.Context) bool {
	const (
		id = "discord/token"
		do = "In " + portal + ": Bot, Reset Token, and copy it into discord.bot_token."
	)
	if !x.cfg.BotToken.Set() {
		x.r.Add(id, doctor.Broken, do, "discord.bot_token is missing")
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
		x.r.Add(id, doctor.Broken, "Look at the network, the proxy and discord.api_url.", "Discord cannot be asked at %s: %v", doctor.Host(x.api.address), err)
		return false
	case no != nil && no.status == http.StatusTooManyRequests:
		x.r.Add(id, doctor.Note, "Try again in a minute.", "Discord asks for patience")
		return false
	case no != nil:
		x.r.Add(id, doctor.Broken, do, "Discord does not accept discord.bot_token: %s", no)
		return false
	}
	x.bot = us.ID
	x.r.OK(id, "it is %s (%s)", us.Name, us.ID)
	x.r.Clock("discord/clock", "Discord's", r, false)
	return true
}

// app compares the application with the settings.
func (x *exam) app(ctx context.Context) {
	const id = "discord/application"
	var app struct {
		ID        string `json:"id"`
		Name      string `json:"name"`
		VerifyKey string `json:"verify_key"`
		Endpoint  string `json:"interactions_endpoint_url"`
	}
	_, no, err := x.api.get(ctx, "/applications/@me", &app)
	x.id = app.ID
	switch {
	case err != nil:
		x.r.Add(id, doctor.Note, "Try again.", "the application could not be looked at: %v", err)
		return
	case no != nil:
		x.r.Add(id, doctor.Note, "", "the application could not be looked at: %s", no)
		return
	case x.cfg.ApplicationID != "" && app.ID != x.cfg.ApplicationID:
		x.r.Add(id, doctor.Broken, "Copy both from the same application, or leave out discord.application_id.",
			"discord.application_id is %s and discord.bot_token is of %s (%s)", x.cfg.ApplicationID, app.ID, app.Name)
	default:
		x.r.OK(id, "it is %s (%s)", app.Name, app.ID)
	}
	if x.cfg.PublicKey != "" && app.VerifyKey != "" && !strings.EqualFold(app.VerifyKey, x.cfg.PublicKey) {
		x.r.Add("discord/key", doctor.Broken, "Copy Public Key from General Information in "+portal+".",
			"discord.public_key is not that of the application, so every click would be refused")
	}
	x.mode(app.Endpoint)
}

// mode checks whether interactions arrive where the program receives them: with an endpoint
// URL, the gateway gets none. https://docs.discord.com/developers/interactions/overview
func (x *exam) mode(endpoint string) {
	const (
		id    = "discord/mode"
		where = "In " + portal + ": General Information, Interactions Endpoint URL, "
	)
	u, err := url.Parse(endpoint)
	ours := err == nil && strings.HasSuffix(path.Clean(u.Path), callback)
	switch gateway := x.arrives() == discord.ModeGateway; {
	case gateway && endpoint == "":
		x.r.OK(id, "gateway: no endpoint URL is set")
	case gateway:
		x.r.Add(id, doctor.Broken, where+"clear it and save; or set discord.mode to http.",
			"the application has an Interactions Endpoint URL (%s), so interactions are posted there and the gateway receives none", doctor.Host(endpoint))
	case endpoint == "" && !x.r.Running:
		x.r.Add(id, doctor.Warn, "Start askbridge, then: "+where+"enter https://<your address>"+callback+". Discord tries it at once.",
			"the application has no Interactions Endpoint URL yet, which Discord takes only while askbridge runs")
	case endpoint == "":
		x.r.Add(id, doctor.Broken, where+"enter https://<your address>"+callback+" while askbridge runs: Discord tries it at once.",
			"discord.mode is http, and the application has no Interactions Endpoint URL, so clicks go nowhere")
	case !ours:
		x.r.Add(id, doctor.Warn, where+"unless a proxy leads it there, end it with "+callback+".",
			"clicks go to %s, which does not look like askbridge", doctor.Host(endpoint)+u.EscapedPath())
	default:
		x.r.OK(id, "http: clicks go to %s", doctor.Host(endpoint))
	}
}

// fewStarts is the number of remaining session starts below which to warn: a stable bridge
// needs a handful per day.
const fewStarts = 20

// gateway checks whether sessions can be started, and how many remain today.
// https://docs.discord.com/developers/events/gateway#get-gateway-bot
func (x *exam) gateway(ctx context.Context) {
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
		x.r.Add(id, doctor.Note, "Try again.", "it could not be looked at: %v", err)
	case no != nil:
		x.r.Add(id, doctor.Note, "", "it could not be looked at: %s", no)
	case g.Limit.Total > 0 && g.Limit.Remaining < shards:
		x.r.Add(id, doctor.Broken, "Find out what connects so often, such as a program that is restarted again and again with this token.",
			"Discord lets the bot open no more connections for %s: %d a day are all", again, g.Limit.Total)
	case g.Limit.Total > 0 && g.Limit.Remaining < fewStarts*shards:
		x.r.Add(id, doctor.Warn, "Find out what connects so often, such as a program that is restarted again and again with this token.",
			"the bot may open %d connections for another %s", g.Limit.Remaining, again)
	case g.Shards > shards:
		x.r.Add(id, doctor.Warn, fmt.Sprintf("Set discord.shard_count to %d.", g.Shards), "the bot is in so many servers that Discord recommends %d shards, and it has %d", g.Shards, shards)
	default:
		x.r.OK(id, "session starts are available")
	}
}
