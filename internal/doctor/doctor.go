package doctor

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/config"
)

// Options replace what the examination otherwise takes from the world. Nil and
// zero values mean the world.
type Options struct {
	// Check reports what is wrong with the settings themselves, as the program
	// would say at its start.
	Check func() error
	// SlackHTTPClient and DiscordHTTPClient make the calls to the platforms.
	SlackHTTPClient, DiscordHTTPClient *http.Client
}

// Examine looks at everything that a configuration names.
func Examine(ctx context.Context, cfg *config.Config, opts *Options) *Report {
	if opts == nil {
		opts = &Options{}
	}
	r := &Report{}
	examineSettings(r, opts.Check)
	examineServe(ctx, r, cfg)
	examineStore(ctx, r, cfg.Store)
	if cfg.Slack != nil {
		s := &slackExam{r: r, cfg: cfg.Slack, places: placesOf(cfg, "slack"), api: newSlackAPI(cfg.Slack, opts.SlackHTTPClient)}
		s.examine(ctx)
	}
	if cfg.Discord != nil {
		d := &discordExam{
			r: r, cfg: cfg.Discord, places: placesOf(cfg, "discord"), guilds: map[string]*guild{},
			api: newDiscordAPI(cfg.Discord, opts.DiscordHTTPClient),
		}
		d.examine(ctx)
	}
	return r
}

func examineSettings(r *Report, check func() error) {
	const id = "settings"
	if check == nil {
		return
	}
	err := check()
	if err == nil {
		r.ok(id, "nothing is wrong with them in themselves")
		return
	}
	for line := range strings.Lines(err.Error()) {
		r.add(id, Broken, "", "%s", strings.TrimSpace(line))
	}
}

// places are what the configuration names of one platform.
type places struct {
	channels []string          // and threads where they are channels
	threads  map[string]string // the channels that threads are said to be in, by thread
	users    []string
	either   []string // channels or people, which only a look can tell
	// responders and groups may answer; groups are written with their prefix.
	responders, groups []string
}

func placesOf(cfg *config.Config, platform string) places {
	p := places{threads: map[string]string{}}
	rule := func(responders []string) {
		for _, who := range responders {
			e, _ := ask.ParseEntry(who)
			switch {
			case e.Platform != platform:
			case e.Kind == "":
				p.responders = append(p.responders, e.ID)
			default:
				p.groups = append(p.groups, who)
			}
		}
	}
	rule(cfg.Responders)
	for _, route := range cfg.Routes {
		rule(route.Responders)
		for _, t := range route.To {
			p.target(platform, ask.Place(t))
		}
	}
	for _, agent := range cfg.Agents {
		for _, target := range agent.Targets {
			if place, err := ask.ParsePlace(target); err == nil && place.Platform == platform && place.Channel != "*" {
				p.agentTarget(place)
			}
		}
	}
	if cfg.Discord != nil && cfg.Discord.DMFallback != "" && platform == "discord" {
		p.channels = append(p.channels, cfg.Discord.DMFallback)
	}
	for _, list := range []*[]string{&p.channels, &p.users, &p.either, &p.responders, &p.groups} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return p
}

func (p *places) target(platform string, t ask.Place) {
	switch {
	case t.Platform != platform:
	case t.User != "":
		p.users = append(p.users, t.User)
	case t.Thread != "" && platform == "discord":
		p.channels = append(p.channels, t.Thread) // A thread is a channel of its own there.
		p.threads[t.Thread] = t.Channel
	case t.Channel != "":
		p.channels = append(p.channels, t.Channel)
	}
}

// agentTarget adds a place where an agent may ask. Slack's ids say what they
// are, Discord's do not.
func (p *places) agentTarget(t ask.Place) {
	if t.Platform == "discord" && t.Thread == "" && t.User == "" {
		p.either = append(p.either, t.Channel)
		return
	}
	p.target(t.Platform, t)
}
