package app

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/api"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/internal/app/config"
)

// running is what a reload changes.
type running struct {
	bridge  *bridge.Bridge
	handler *api.Handler
}

// reloadable are the settings that change without a restart, except webhooks.local.
var reloadable = []string{"agents", "digest", "encryption", "webhooks"}

// Reload reads a configuration and applies its changes for a caller. It returns the changed settings:
// all of them, or none together with an error that names those that need a restart. Concurrent reloads
// run one after the other, so the last file read wins. Calls in progress keep their settings.
func (a *App) Reload(by string, read func() (*config.Config, error)) (changed []string, err error) {
	a.reload.Lock()
	defer a.reload.Unlock()
	next, err := read()
	if err != nil {
		return nil, err
	}
	now := a.running.Load()
	if now == nil {
		return nil, errors.New("askbridge is still starting")
	}
	changed = a.cfg.Changed(next)
	ring, err := a.nextKeys(next.Encryption)
	if err != nil {
		return nil, err
	}
	if ring != nil && !slices.Contains(changed, "encryption") {
		changed = append(changed, "encryption") // A command may print other keys.
		slices.Sort(changed)
	}
	fixed := slices.DeleteFunc(slices.Clone(changed), func(key string) bool { return slices.Contains(reloadable, key) })
	if a.cfg.Webhooks.Local != next.Webhooks.Local {
		fixed = append(fixed, "webhooks.local") // The sender has it, and its connections outlive a change.
	}
	switch {
	case len(fixed) > 0:
		return nil, fmt.Errorf("changing %s requires a restart", strings.Join(fixed, ", "))
	case a.cfg.TokensNeeded() != next.TokensNeeded():
		return nil, errors.New("adding the first agent or removing the last one requires a restart, unless require_tokens is set")
	case len(changed) == 0:
		a.log.Info("configuration reloaded, nothing changed")
		return nil, nil
	}
	gate, err := a.gate(now.bridge, next)
	if err != nil {
		return nil, err
	}
	settings := callSettings(next)
	if err := bridge.CheckDigests(now.bridge, next.Digests()); err != nil {
		return nil, next.Explain(err)
	}
	if err := a.noteReload(by, next, changed, ring); err != nil {
		return nil, err
	}
	// Nothing can fail from here on.
	if ring != nil {
		a.sealing.Keys().Set(ring)
		a.sayKey(context.Background())
		a.log.Info("store encryption keys changed", "keys", strings.Join(ring.IDs(), ","))
	}
	a.calling.Store(&settings)
	now.handler.Admit(gate)
	bridge.SetDigests(now.bridge, next.Digests())
	if a.metrics != nil {
		a.metrics.Agents(agentNames(next))
	}
	a.log.Info("configuration reloaded", append([]any{"by", by, "changed", strings.Join(changed, ",")}, difference(a.cfg, next)...)...)
	kept := *a.cfg
	kept.Agents, kept.Digest, kept.Webhooks, kept.Encryption = next.Agents, next.Digest, next.Webhooks, next.Encryption
	a.cfg = &kept
	return changed, nil
}

func agentNames(cfg *config.Config) []string {
	var all []string
	for _, agent := range cfg.Agents {
		all = append(all, agent.Name)
	}
	return all
}

// difference returns the added, removed and changed agents for the log.
func difference(old, next *config.Config) []any {
	before := map[string]config.Agent{}
	for _, agent := range old.Agents {
		before[agent.Name] = agent
	}
	var came, other []string
	for _, agent := range next.Agents {
		was, known := before[agent.Name]
		switch delete(before, agent.Name); {
		case !known:
			came = append(came, agent.Name)
		case !reflect.DeepEqual(was, agent):
			other = append(other, agent.Name)
		}
	}
	var went []string
	for name := range before {
		went = append(went, name)
	}
	slices.Sort(went)
	var changes []any
	for _, of := range []struct {
		key   string
		names []string
	}{{"agents_added", came}, {"agents_removed", went}, {"agents_changed", other}} {
		if len(of.names) > 0 {
			changes = append(changes, of.key, strings.Join(of.names, ","))
		}
	}
	return changes
}
