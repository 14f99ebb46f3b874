package app

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/askbridge/askbridge/api"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	discord "github.com/askbridge/askbridge/discord/bundle"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/app/doctor"
	"github.com/askbridge/askbridge/internal/app/provider"
	"github.com/askbridge/askbridge/internal/connector"
	slack "github.com/askbridge/askbridge/slack/bundle"
	"github.com/askbridge/askbridge/store/keyvalue"
	"github.com/askbridge/askbridge/store/seal"
)

// Platforms lists all platforms: a new one is a line here, and everything else about it is in its
// folder.
func Platforms() []provider.Bundle { return slices.Clone(platforms()) }

var platforms = sync.OnceValue(func() []provider.Bundle {
	return []provider.Bundle{
		slack.Bundle(),
		discord.Bundle(),
	}
})

// Load reads a configuration with the sections of [Platforms], and looks up the names in it. The error of an invalid
// one includes the problems that [New] finds.
func Load(path string) (*config.Config, error) { return load(path, true) }

// LoadOffline is [Load] without calls: sample IDs take the place of names.
func LoadOffline(path string) (*config.Config, error) { return load(path, false) }

func load(path string, lookup bool) (*config.Config, error) {
	cfg, err := config.Load(path, provider.Sections(Platforms()), lookup)
	if err == nil || cfg == nil {
		return cfg, err
	}
	_, more := newApp(cfg, nil).check()
	return nil, config.Join(err, more)
}

// Examine checks everything that a configuration names, for askbridge doctor.
func Examine(ctx context.Context, cfg *config.Config, opts *Options) *doctor.Report {
	list := Platforms()
	if opts != nil && opts.Platforms != nil {
		list = opts.Platforms
	}
	o := &doctor.Options{Check: func() error {
		_, err := New(cfg, opts)
		return err
	}, Keys: func(ctx context.Context) (*seal.Keys, error) {
		ring, err := Keys(ctx, cfg.Encryption)
		return KeysOf(ring), err
	}}
	for _, b := range list {
		if section, ok := cfg.Platforms[b.Name].(provider.Section); ok {
			o.Platforms = append(o.Platforms, doctor.Platform{Name: b.Name, Examine: section.Examine})
		}
	}
	return doctor.Examine(ctx, cfg, o)
}

// asking is a configured platform.
type asking struct {
	provider.Connector

	section provider.Section
}

// connect creates the connectors of the configured platforms, and returns the problems of invalid
// sections.
func (a *App) connect() error {
	var errs []error
	for _, b := range a.opts.Platforms {
		section, ok := a.cfg.Platforms[b.Name].(provider.Section)
		if !ok {
			continue
		}
		c, err := section.Connector(provider.Outside{
			HTTPClient: a.opts.PlatformHTTP, Language: a.cfg.Language, Logger: a.log,
			Values: func() keyvalue.Store { return a.values }, Sealed: a.cfg.Encryption.On(),
		})
		if err != nil {
			errs = append(errs, a.explain(b.Name, err))
			continue
		}
		a.platforms = append(a.platforms, asking{c, section})
	}
	if len(a.platforms) == 0 && len(errs) == 0 {
		return errors.New("app: no platform is configured")
	}
	return config.Join(errs...)
}

// explain adds the positions in the file to a connector's problems with its section.
func (a *App) explain(section string, err error) error {
	wrong, ok := errors.AsType[*connector.SettingsError](err)
	if !ok {
		return a.cfg.At(section, errors.New(strings.TrimPrefix(err.Error(), section+": settings: ")))
	}
	problems := slices.Clone(wrong.Problems)
	for i, p := range problems {
		problems[i].Path = strings.TrimSuffix(section+"."+p.Path, ".")
	}
	return a.cfg.Explain(&ask.InvalidError{Problems: problems})
}

// configured returns the platform of that name, or nil.
func (a *App) configured(name string) *asking {
	for i := range a.platforms {
		if a.platforms[i].Name() == name {
			return &a.platforms[i]
		}
	}
	return nil
}

// posting returns the paths that must be reachable from outside: those to which platforms post
// interactions, and the pages over which an app is installed.
func (a *App) posting() []string {
	var paths []string
	for _, p := range a.platforms {
		if p.Mode() == provider.ModeHTTP {
			paths = append(paths, provider.Callback(p.Name()))
		}
		if installer, ok := p.Connector.(provider.Installer); ok {
			paths = append(paths, slices.Sorted(maps.Keys(installer.Pages()))...)
		}
	}
	return paths
}

// degraded returns the platforms some of whose installations have no working token. The others are served, so the
// replica is ready.
func degraded(platforms []asking) []api.Ailing {
	var all []api.Ailing
	for _, p := range platforms {
		if installer, ok := p.Connector.(provider.Installer); ok {
			if problem := installer.Counts().Problem(); problem != "" {
				all = append(all, api.Ailing{Part: p.Name(), Detail: problem})
			}
		}
	}
	return all
}

// finishRemovals ends the open requests of installations that were removed, until stop is called.
func finishRemovals(ctx context.Context, platforms []asking, b *bridge.Bridge) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	for _, p := range platforms {
		if remover, ok := p.Connector.(provider.Remover); ok {
			all.Go(func() {
				remover.FinishRemovals(ctx, func(ctx context.Context, installation, reason string) error {
					return bridge.Leave(ctx, b, p.Name(), installation, reason)
				})
			})
		}
	}
	return func() {
		cancel()
		all.Wait()
	}
}
