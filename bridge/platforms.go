package bridge

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/platform"
)

// platforms are those that a bridge was made with, each with what is known of the
// calls to it. Nothing but the breakers changes after New.
type platforms struct {
	named    map[string]platform.Platform
	prefixes map[string]platform.Platform // by what stands before the colon in responders
	breakers map[string]*breaker
	rotas    map[string]Rota
}

func newPlatforms(all []platform.Platform, rotas map[string]Rota) *platforms {
	ps := &platforms{rotas: rotas, named: map[string]platform.Platform{}, prefixes: map[string]platform.Platform{}, breakers: map[string]*breaker{}}
	for _, p := range all {
		ps.named[p.Name()] = p
		ps.breakers[p.Name()] = newBreaker(p)
		ps.prefixes[p.Name()] = p
		if g, ok := p.(platform.Grouper); ok {
			for _, prefix := range g.Prefixes() {
				ps.prefixes[prefix] = p
			}
		}
	}
	return ps
}

func (ps *platforms) names() string {
	return strings.Join(slices.Sorted(maps.Keys(ps.named)), ", ")
}

// direct reports whether a card stands in a conversation with one person whom its
// place does not name.
func (ps *platforms) direct(at ask.Place) bool {
	p, ok := ps.named[at.Platform]
	if !ok {
		return false
	}
	known := p.Limits().Direct
	return known != nil && known(at.Channel)
}

// ChannelOf returns the channel that a message to the target would stand in: the
// one of its thread where threads are channels of their own, whatever the target
// says, and else the target's. Errors are the platform's, see [ThreadFinder]; what
// the platform refuses counts against the tenant as a refused card does.
func (b *Bridge) ChannelOf(ctx context.Context, tenant string, t ask.Place) (string, error) {
	finder, ok := b.platforms.named[t.Platform].(platform.ThreadFinder)
	if !ok || t.Thread == "" {
		return t.Channel, nil
	}
	breaker := b.platforms.breakers[t.Platform]
	if err := breaker.allow(time.Now(), tenant, t, false); err != nil {
		return "", err
	}
	channel, err := finder.ParentOf(ctx, t.Thread)
	if err != nil {
		breaker.note(time.Now(), tenant, t, err)
	}
	return channel, err
}

// ready returns what is wrong with each platform that is known to be out of order.
func (ps *platforms) ready() (errs []error) {
	for _, name := range slices.Sorted(maps.Keys(ps.breakers)) {
		if err := ps.state(name); err != nil {
			errs = append(errs, &PartError{Part: name, Err: err})
		}
	}
	return errs
}

// state is nil, or what is wrong with a platform.
func (ps *platforms) state(name string) error {
	err := ps.breakers[name].connection.state()
	if p, ok := ps.named[name].(platform.Readier); ok && err == nil {
		err = p.Ready()
	}
	return err
}

// nameBudget is how long an act waits for somebody's name.
const nameBudget = 700 * time.Millisecond

// withName is the person with the name that others see, which messages and people pickers lack
// where the platform does not send it along.
func (ps *platforms) withName(ctx context.Context, who ask.Person) ask.Person {
	namer, able := ps.named[who.Platform].(platform.Namer)
	if who.Name != "" || !able {
		return who
	}
	ctx, cancel := context.WithTimeout(ctx, nameBudget)
	defer cancel()
	who.Name = namer.NameOf(ctx, who)
	return who
}

// checkRule checks a configured list of who may answer.
func (ps *platforms) checkRule(path string, responders []string) []ask.Problem {
	return append(ask.CheckResponders(path, responders), ps.checkEntries(path, responders, ask.ErrResponders)...)
}

// checkEntries asks each platform that a list names whether it knows such people and
// groups. Kind is of what is wrong.
func (ps *platforms) checkEntries(path string, list []string, kind error) []ask.Problem {
	var problems []ask.Problem
	for n, who := range list {
		e, ok := ask.ParseEntry(who)
		if !ok || e.Word != "" {
			continue // What cannot be read has been told of.
		}
		if e.Platform == ask.OnCall {
			if _, ok := ps.rotas[e.ID]; !ok {
				problems = append(problems, problem(fmt.Sprintf("%s[%d]", path, n), kind,
					fmt.Sprintf("%q: there is no rota of that name; known: %s", who, strings.Join(slices.Sorted(maps.Keys(ps.rotas)), ", "))))
			}
			continue
		}
		prefix := e.Prefix()
		p, ok := ps.prefixes[prefix]
		if !ok {
			problems = append(problems, problem(fmt.Sprintf("%s[%d]", path, n), kind,
				fmt.Sprintf("%q: there is no platform for %q here; known: %s", who, prefix, strings.Join(slices.Sorted(maps.Keys(ps.prefixes)), ", "))))
			continue
		}
		if err := p.CheckResponder(who); err != nil {
			problems = append(problems, problem(fmt.Sprintf("%s[%d]", path, n), kind, err.Error()))
		}
	}
	return problems
}

// checkTargets does the same for targets.
func (ps *platforms) checkTargets(path string, targets []ask.Place) []ask.Problem {
	var problems []ask.Problem
	for n, t := range targets {
		at := fmt.Sprintf("%s[%d]", path, n)
		p, ok := ps.named[t.Platform]
		if !ok {
			problems = append(problems, problem(at+".platform", ask.ErrTarget,
				fmt.Sprintf("there is no platform %q here; configured: %s", t.Platform, ps.names())))
			continue
		}
		if err := p.CheckTarget(t); err != nil {
			problems = append(problems, problem(at, ask.ErrTarget, err.Error()))
		}
	}
	return problems
}

// CheckToken says what is wrong with whom and what a token names: people and groups of its
// terms, for whom it asks, and the places where it may, of platforms that are not here or
// cannot have such. A channel * stands for all of a platform.
func (b *Bridge) CheckToken(path string, terms ask.Terms, requesters []string, places []ask.Place) []ask.Problem {
	ps := b.intake.platforms
	problems := slices.Concat(ps.checkEntries(path+"responders", terms.Responders, ask.ErrResponders), ps.checkEntries(path+"notify", terms.Notify, ask.ErrNotify),
		ps.checkEntries(path+"requester", requesters, ask.ErrResponders), ps.checkSchedule(path+"schedule", terms.Schedule))
	for n, place := range places {
		at := fmt.Sprintf("%stargets[%d]", path, n)
		switch p, ok := ps.named[place.Platform]; {
		case !ok:
			problems = append(problems, problem(at, ask.ErrTarget, fmt.Sprintf("there is no platform %q here; configured: %s", place.Platform, ps.names())))
		case place.Channel != "*":
			if err := p.CheckTarget(place); err != nil {
				problems = append(problems, problem(at, ask.ErrTarget, err.Error()))
			}
		}
	}
	return problems
}

func problem(path string, kind error, detail string) ask.Problem {
	return ask.Problem{Path: path, Kind: kind, Detail: detail}
}

// invalid refuses a request for one problem.
func invalid(path string, kind error, detail string) error {
	return &ask.InvalidError{Problems: []ask.Problem{problem(path, kind, detail)}}
}

// mode is how a platform shows what is chosen so far, and whom it knows.
func (ps *platforms) mode(name string) record.DraftMode {
	p, ok := ps.named[name]
	if !ok {
		return record.DraftMode{}
	}
	_, finds := p.(platform.GroupFinder)
	return record.DraftMode{Shared: p.Limits().SharedDraft, Redraws: p.Limits().RedrawInReply, Ungrouped: !finds}
}

// redraws reports whether the reply to an act draws its card.
func (ps *platforms) redraws(r *Record, a record.Act, v record.Verdict) bool {
	return ps.mode(a.By.Platform).Redraws && a.Message != (platform.MessageRef{}) && record.RedrawsCard(r, a, v)
}
