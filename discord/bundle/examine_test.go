package bundle_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/discord/bundle"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/app/doctor"
	"github.com/askbridge/askbridge/test/doctortest"
)

const (
	deploys  = "200000000000000001"
	mute     = "200000000000000002"
	hidden   = "200000000000000003"
	thread   = "200000000000000004"
	locked   = "200000000000000005"
	unread   = "200000000000000006"
	fileless = "200000000000000009"
	forum    = "200000000000000007"
	danaID   = "300000000000000001"
	robotID  = "300000000000000002"
	deployer = "discord-role:400000000000000001"
)

// fixture is a server and a configuration that is right for it.
type fixture struct {
	sim     *discordsim.Server
	front   *doctortest.Front
	cfg     *config.Config
	section *bundle.Section
}

func newFixture(t *testing.T, opts discordsim.Options) *fixture {
	t.Helper()
	opts.BotToken = "canary-discord-token"
	opts.Channels = []discordsim.Channel{
		{ID: deploys, Name: "deploys"},
		{ID: mute, Name: "mute", Denied: discordsim.SendMessages},
		{ID: hidden, Name: "hidden", Denied: discordsim.ViewChannel},
		{ID: thread, Name: "release", Parent: mute},
		{ID: locked, Name: "done", Parent: deploys, Locked: true},
		{ID: unread, Name: "unread", Denied: discordsim.ReadMessageHistory},
		{ID: forum, Name: "ideas", Forum: true},
		{ID: fileless, Name: "fileless", Denied: discordsim.AttachFiles},
	}
	opts.People = []discordsim.Person{{ID: danaID, Name: "dana", RealName: "Dana"}, {ID: robotID, Name: "robot", Bot: true}}
	w := &fixture{sim: discordsim.Start(t, &opts), cfg: doctortest.Calm(t)}
	w.front = &doctortest.Front{Handler: w.sim}
	w.section = &bundle.Section{
		BotToken: config.NewSecret("canary-discord-token"), ApplicationID: "600000000000000001", APIURL: w.front.Serve(t) + "/api",
	}
	return w
}

func (w *fixture) examine(t *testing.T) *doctor.Report {
	t.Helper()
	return doctortest.Examine(t, w.cfg, doctor.Platform{Name: "discord", Examine: w.section.Examine})
}

func (w *fixture) ask(targets ...config.Target) {
	for i := range targets {
		targets[i].Platform = "discord"
	}
	w.cfg.Routes = map[string]config.Route{"deploys": {To: targets}}
}

func (w *fixture) channel(id string) { w.ask(config.Target{Channel: id}) }

func TestExamineValidDiscordBot(t *testing.T) {
	t.Parallel()
	w := newFixture(t, discordsim.Options{})
	w.ask(config.Target{Channel: deploys}, config.Target{Channel: mute, Thread: thread}, config.Target{User: danaID})
	w.cfg.Responders = []string{"discord:" + danaID, deployer, "slack:U0000001"}
	w.section.DMFallback = deploys
	w.cfg.Agents[0].Targets = []string{"discord:*", "discord:" + danaID, "discord:" + deploys}
	r := w.examine(t)
	for _, f := range r.Findings {
		if f.State != doctor.OK {
			t.Errorf("%+v", f)
		}
	}
	for id, text := range map[string]string{
		"discord/token": "askbridge (500000000000000001)", "discord/application": "600000000000000001", "discord/mode": "gateway", "discord/gateway": "",
		"discord/channel": "may ask in #deploys", "discord/person": "(" + danaID + ") can be asked", "discord/role": "@deployers", "discord/clock": "agrees",
	} {
		doctortest.Finds(t, r, id, doctor.OK, text)
	}
	doctortest.Finds(t, r, "discord/channel", doctor.OK, "may ask in #release")
	if events := w.sim.Timeline().Events(chatsim.Posted); len(events) > 0 {
		t.Errorf("the examination left traces: %v", events)
	}
}

func TestExamineDiscordProblems(t *testing.T) {
	t.Parallel()
	overHTTP := func(w *fixture) { w.section.PublicKey = w.sim.PublicKey() }
	endpoint := discordsim.Options{InteractionsURL: "https://ask.example.com/discord/interactions"}
	for name, tc := range map[string]struct {
		spoil func(w *fixture)
		opts  discordsim.Options
		id    string
		state doctor.State
		text  string
	}{
		"a listed server without the bot": {
			spoil: func(w *fixture) { w.section.Servers = []string{"100000000000000001", "100000000000000007"} },
			id:    "discord/servers", state: doctor.Broken, text: "100000000000000007, and the bot is not",
		},
		"a server that is not listed": {spoil: func(w *fixture) {
			w.section.Servers = []string{"100000000000000001"}
			w.sim.Join("100000000000000002", "Globex")
		}, id: "discord/servers", state: doctor.Note, text: "does not list: Globex (100000000000000002)"},
		"the bot is in the listed servers": {
			spoil: func(w *fixture) { w.section.Servers = []string{"100000000000000001"} },
			id:    "discord/servers", state: doctor.OK, text: "in no other",
		},
		"a wrong token":                   {spoil: func(w *fixture) { w.section.BotToken = config.NewSecret("canary-old") }, id: "discord/token", state: doctor.Broken, text: "401"},
		"no token":                        {spoil: func(w *fixture) { w.section.BotToken = config.Secret{} }, id: "discord/token", state: doctor.Broken, text: "missing"},
		"a limit":                         {spoil: func(w *fixture) { w.sim.Fault("get current user", chatsim.RateLimit(time.Minute)) }, id: "discord/token", state: doctor.Note, text: "patience"},
		"unreachable":                     {spoil: func(w *fixture) { w.section.APIURL = "http://127.0.0.1:1/api/v9" }, id: "discord/token", state: doctor.Broken, text: "cannot be asked at 127.0.0.1:1"},
		"another application":             {spoil: func(w *fixture) { w.section.ApplicationID = "600000000000000002" }, id: "discord/application", state: doctor.Broken, text: "is of 600000000000000001"},
		"an endpoint starves the gateway": {opts: endpoint, id: "discord/mode", state: doctor.Broken, text: "the gateway receives none"},
		"http before the first start":     {spoil: overHTTP, id: "discord/mode", state: doctor.Warn, text: "only while askbridge runs"},
		"http without an endpoint": {
			spoil: func(w *fixture) {
				overHTTP(w)
				runs := (&doctortest.Front{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}).Serve(t)
				w.cfg.Store, w.cfg.Listen = config.Store{Type: config.StoreMemory}, strings.TrimPrefix(runs, "http://")
			},
			id: "discord/mode", state: doctor.Broken, text: "clicks go nowhere",
		},
		"http": {opts: endpoint, spoil: overHTTP, id: "discord/mode", state: doctor.OK, text: "ask.example.com"},
		"http elsewhere": {
			opts:  discordsim.Options{InteractionsURL: "https://old.example.com/hook"},
			spoil: overHTTP, id: "discord/mode", state: doctor.Warn, text: "old.example.com/hook",
		},
		"http without a key": {opts: endpoint, spoil: func(w *fixture) { w.section.Mode = "http" }, id: "discord/key", state: doctor.Broken, text: "all are rejected"},
		"http with another key": {
			opts:  endpoint,
			spoil: func(w *fixture) { w.section.PublicKey = strings.Repeat("00", 32) }, id: "discord/key", state: doctor.Broken, text: "not that of the application",
		},
		"a hidden channel":            {spoil: func(w *fixture) { w.channel(hidden) }, id: "discord/channel", state: doctor.Broken, text: "50001"},
		"no such channel":             {spoil: func(w *fixture) { w.channel("200000000000000404") }, id: "discord/channel", state: doctor.Broken, text: "no channel 200000000000000404"},
		"a mute place of an agent's":  {spoil: func(w *fixture) { w.cfg.Agents[0].Targets = []string{"discord:" + mute} }, id: "discord/channel", state: doctor.Broken, text: "#mute"},
		"a mute fallback":             {spoil: func(w *fixture) { w.section.DMFallback = mute }, id: "discord/channel", state: doctor.Broken, text: "#mute"},
		"a mute channel":              {spoil: func(w *fixture) { w.channel(mute) }, id: "discord/channel", state: doctor.Broken, text: "in #mute (" + mute + ") the bot lacks Send Messages"},
		"an unread channel":           {spoil: func(w *fixture) { w.channel(unread) }, id: "discord/channel", state: doctor.Warn, text: "lacks Read Message History"},
		"a channel without files":     {spoil: func(w *fixture) { w.channel(fileless) }, id: "discord/channel", state: doctor.Warn, text: "lacks Attach Files"},
		"a thread of another channel": {spoil: func(w *fixture) { w.ask(config.Target{Channel: deploys, Thread: thread}) }, id: "discord/channel", state: doctor.Broken, text: "#release (" + thread + ") is not a thread of the channel " + deploys},
		"a channel for a thread":      {spoil: func(w *fixture) { w.ask(config.Target{Channel: mute, Thread: deploys}) }, id: "discord/channel", state: doctor.Broken, text: "is not a thread of the channel " + mute},
		"a forum":                     {spoil: func(w *fixture) { w.channel(forum) }, id: "discord/channel", state: doctor.Broken, text: "#ideas (" + forum + ") is a forum"},
		"a locked thread":             {spoil: func(w *fixture) { w.channel(locked) }, id: "discord/channel", state: doctor.Broken, text: "#done (" + locked + ") is locked"},
		"a channel in trouble":        {spoil: func(w *fixture) { w.channel(deploys); w.sim.Fault("get channel", chatsim.Status(500)) }, id: "discord/channel", state: doctor.Note, text: "could not be looked at"},
		"rights unseen":               {spoil: func(w *fixture) { w.channel(deploys); w.sim.Fault("get guild", chatsim.Refuse("50001")) }, id: "discord/channel", state: doctor.Note, text: "sees #deploys"},
		"nobody by that id":           {spoil: func(w *fixture) { w.ask(config.Target{User: "300000000000000404"}) }, id: "discord/person", state: doctor.Broken, text: "there is no user"},
		"no such responder":           {spoil: func(w *fixture) { w.cfg.Responders = []string{"discord:300000000000000404"} }, id: "discord/person", state: doctor.Warn, text: "there is no user"},
		"a bot to ask":                {spoil: func(w *fixture) { w.ask(config.Target{User: robotID}) }, id: "discord/person", state: doctor.Broken, text: "is a bot"},
		"closed messages":             {spoil: func(w *fixture) { w.ask(config.Target{User: danaID}) }, id: "discord/person", state: doctor.Note, text: "if they take direct messages"},
		"no such role": {spoil: func(w *fixture) {
			w.channel(deploys)
			w.cfg.Responders = []string{"discord-role:400000000000000404"}
		}, id: "discord/role", state: doctor.Broken, text: "400000000000000404"},
		"everyone by the role": {spoil: func(w *fixture) {
			w.channel(deploys)
			w.cfg.Responders = []string{"discord-role:100000000000000001"}
		}, id: "discord/role", state: doctor.Broken, text: "discord-role:100000000000000001 is @everyone"},
		"a role unseen":          {spoil: func(w *fixture) { w.cfg.Responders = []string{deployer} }, id: "discord/role", state: doctor.Note, text: deployer},
		"a clock that is behind": {spoil: func(w *fixture) { w.front.Skew = time.Hour }, id: "discord/clock", state: doctor.Warn, text: "behind Discord's"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newFixture(t, tc.opts)
			if tc.spoil != nil {
				tc.spoil(w)
			}
			doctortest.Finds(t, w.examine(t), tc.id, tc.state, tc.text)
		})
	}
}

func TestExamineGatewayLimits(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		shards, remaining int
		state             doctor.State
		text              string
	}{
		"plenty":       {1, 900, doctor.OK, "starts are available"},
		"few":          {1, 3, doctor.Warn, "may open 3 connections for another 2h0m0s"},
		"none":         {1, 0, doctor.Broken, "no more connections for 2h0m0s"},
		"many servers": {4, 900, doctor.Warn, "recommends 4 shards, and it has 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newFixture(t, discordsim.Options{})
			mux := http.NewServeMux()
			mux.Handle("/", w.sim)
			mux.HandleFunc("GET /api/v10/gateway/bot", func(rw http.ResponseWriter, _ *http.Request) {
				fmt.Fprintf(rw, `{"shards":%d,"session_start_limit":{"total":1000,"remaining":%d,"reset_after":7200000}}`, tc.shards, tc.remaining)
			})
			w.front.Handler = mux
			doctortest.Finds(t, w.examine(t), "discord/gateway", tc.state, tc.text)
		})
	}
	w := newFixture(t, discordsim.Options{})
	w.sim.Fault("get gateway bot", chatsim.Status(500))
	doctortest.Finds(t, w.examine(t), "discord/gateway", doctor.Note, "could not be looked at")
}
