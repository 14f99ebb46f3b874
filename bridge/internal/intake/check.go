package intake

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/internal/deliver"
	"github.com/askbridge/askbridge/internal/words"
	"github.com/askbridge/askbridge/platform"
)

// checkWebhook checks the webhook address of a request.
func (in *Intake) checkWebhook(req *ask.Request) []ask.Problem {
	switch {
	case req.Webhook == "":
		return nil
	case in.Caller == nil:
		return []ask.Problem{Problem("webhook", ask.ErrWebhook, "no webhooks are configured here; wait for the answer instead")}
	}
	if err := in.Caller.CheckWebhook(req.Tenant, req.Agent, req.Webhook); err != nil {
		return []ask.Problem{Problem("webhook", ask.ErrWebhook, err.Error())}
	}
	return nil
}

// checkRule checks a configured list of responders.
func (d *Directory) checkRule(path string, responders []string) []ask.Problem {
	return append(ask.CheckResponders(path, responders), d.CheckEntries(path, responders, ask.ErrResponders)...)
}

// CheckEntries checks that the platforms know the people and groups in a list. kind is
// the kind of the problems.
func (d *Directory) CheckEntries(path string, list []string, kind error) []ask.Problem {
	var problems []ask.Problem
	for n, who := range list {
		e, ok := ask.ParseEntry(who)
		if !ok || e.Word != "" {
			continue // Another check reports malformed entries.
		}
		if e.Platform == ask.OnCall {
			if _, ok := d.rotas[e.ID]; !ok {
				problems = append(problems, Problem(fmt.Sprintf("%s[%d]", path, n), kind,
					fmt.Sprintf("%q: there is no rota of that name; known: %s", who, strings.Join(slices.Sorted(maps.Keys(d.rotas)), ", "))))
			}
			continue
		}
		prefix := e.Prefix()
		p, ok := d.prefixes[prefix]
		if !ok {
			problems = append(problems, Problem(fmt.Sprintf("%s[%d]", path, n), kind,
				fmt.Sprintf("%q: there is no platform for %q here; known: %s", who, prefix, strings.Join(slices.Sorted(maps.Keys(d.prefixes)), ", "))))
			continue
		}
		if err := p.CheckResponder(who); err != nil {
			problems = append(problems, Problem(fmt.Sprintf("%s[%d]", path, n), kind, err.Error()))
		}
	}
	return problems
}

// checkTargets checks that the platforms know the places in a list.
func (d *Directory) checkTargets(path string, targets []ask.Place) []ask.Problem {
	var problems []ask.Problem
	for n, t := range targets {
		at := fmt.Sprintf("%s[%d]", path, n)
		p, ok := d.Platforms.Named[t.Platform]
		if !ok {
			problems = append(problems, Problem(at+".platform", ask.ErrTarget,
				fmt.Sprintf("there is no platform %q here; configured: %s", t.Platform, d.Platforms.Names())))
			continue
		}
		if err := p.CheckTarget(t); err != nil {
			problems = append(problems, Problem(at, ask.ErrTarget, err.Error()))
		}
	}
	return problems
}

// Problem returns a problem of a kind.
func Problem(path string, kind error, detail string) ask.Problem {
	return ask.Problem{Path: path, Kind: kind, Detail: detail}
}

// invalid returns an error with one problem.
func invalid(path string, kind error, detail string) error {
	return &ask.InvalidError{Problems: []ask.Problem{Problem(path, kind, detail)}}
}

// CheckSchedule checks the places, people and groups of a schedule.
func (d *Directory) CheckSchedule(path string, s ask.Schedule) []ask.Problem {
	var problems []ask.Problem
	for n, step := range s.Steps {
		at := fmt.Sprintf("%s.steps[%d]", path, n)
		problems = append(problems, slices.Concat(d.checkTargets(at+".to", step.To),
			d.CheckEntries(at+".responders", step.Responders, ask.ErrSchedule), d.CheckEntries(at+".notify", step.Notify, ask.ErrSchedule))...)
	}
	return problems
}

// errLanguage is the kind of problem of an unknown language.
var errLanguage = errors.New("bridge: unknown language")

// checkLanguage returns a problem if there are no texts in a language.
func checkLanguage(path, language string) []ask.Problem {
	if err := words.Check(language); err != nil {
		return []ask.Problem{Problem(path, errLanguage, err.Error())}
	}
	return nil
}

// Directory checks places, people and groups against the configured platforms and rotas.
type Directory struct {
	Platforms *deliver.Platforms
	prefixes  map[string]platform.Platform // by the prefix of responder entries
	rotas     map[string]Rota
}

// NewDirectory returns a directory of platforms and rotas.
func NewDirectory(ps *deliver.Platforms, rotas map[string]Rota) *Directory {
	d := &Directory{Platforms: ps, prefixes: map[string]platform.Platform{}, rotas: rotas}
	for name, p := range ps.Named {
		d.prefixes[name] = p
		if g, ok := p.(platform.Grouper); ok {
			for _, prefix := range g.Prefixes() {
				d.prefixes[prefix] = p
			}
		}
	}
	return d
}

// webhookChecker checks webhook addresses.
type webhookChecker interface {
	CheckWebhook(tenant, agent, address string) error
}
