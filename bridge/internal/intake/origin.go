package intake

import (
	"fmt"
	"slices"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/internal/words"
)

// Destination is where a request goes.
type Destination struct {
	route Route
	// to are the places that are asked.
	to []ask.Place
	// origin is the origin of the request if it is asked there; else the zero value. Then
	// fallback are the places of the route, to use if the origin cannot be posted to.
	origin   ask.Origin
	fallback []ask.Place
	// advice says why the request is not asked at the origin that it names.
	advice []ask.Problem
}

// everywhere returns the places that are asked, and those of the fallback.
func (to *Destination) everywhere() []ask.Place { return slices.Concat(to.to, to.fallback) }

// sendBack makes the origin of a request its only place, if the route of this name and the
// token allow it and everything that the request needs works there. It returns problems of
// the origin's form.
func (to *Destination) sendBack(req *ask.Request, name string, d *Directory, threads storage.Threads) []ask.Problem {
	o := req.Origin
	if o.IsZero() {
		return nil
	}
	ignore := func(format string, args ...any) []ask.Problem {
		to.advice = append(to.advice, Problem("origin", ask.ErrTarget, "is not used: "+fmt.Sprintf(format, args...)))
		return nil
	}
	p, known := d.Platforms.Named[o.Platform]
	switch {
	case name == "":
		return ignore("the request names its places itself")
	case !to.route.Origin:
		return ignore("the route %q does not send questions back (see origin in its configuration)", name)
	case req.OriginDenied:
		return ignore("this token may not ask there")
	case !known:
		return ignore("there is no platform %q here; configured: %s", o.Platform, d.Platforms.Names())
	}
	if err := p.CheckTarget(o.Place); err != nil {
		return []ask.Problem{Problem("origin", ask.ErrTarget, err.Error())}
	}
	if problems := d.CheckEntries("origin.people", o.People, ask.ErrNotify); len(problems) > 0 {
		return problems
	}
	if votes(req, to.route) && slices.ContainsFunc(to.route.To, func(place ask.Place) bool { return place.Platform != o.Platform }) {
		return ignore("several people decide, and the route asks them on other platforms, too")
	}
	if replies := req.Replies.Under(req.Token.Replies).Under(to.route.Replies).Normal(); replies.On() {
		if deaf := d.checkHearing("replies", threads, []ask.Place{o.Place}); len(deaf) > 0 {
			return ignore("typed messages cannot answer there: %s", deaf[0].Detail)
		}
	}
	if words.Check(o.Language) != nil {
		to.advice = append(to.advice, Problem("origin.language", errLanguage, "is not used: "+words.Check(o.Language).Error()))
		o.Language = ""
	}
	to.origin, to.to = o, []ask.Place{o.Place}
	to.fallback = slices.DeleteFunc(slices.Clone(to.route.To), func(place ask.Place) bool { return place == o.Place })
	return nil
}

// votes reports whether the request, its route or its token sets how several people decide.
func votes(req *ask.Request, route Route) bool {
	return !req.Voting.IsZero() || !route.Voting.IsZero() || !req.Token.Voting.IsZero()
}

// fallbackOf returns what replaces the origin of a record if it cannot be posted to; nil
// if the record is not asked at an origin, or nowhere else.
func fallbackOf(to *Destination, language string) *record.Fallback {
	if len(to.fallback) == 0 {
		return nil
	}
	return &record.Fallback{Places: to.fallback, Language: language}
}

// originResponders replaces [ask.OriginPeople] in the responders of a route by the people of
// the origin. It rejects a list that would become empty, because an empty list restricts
// nothing.
func originResponders(name string, list []string, o ask.Origin) ([]string, error) {
	if !slices.Contains(list, ask.OriginPeople) {
		return list, nil
	}
	var people []string
	for _, who := range list {
		who := []string{who}
		if who[0] == ask.OriginPeople {
			who = o.People
		}
		for _, account := range who {
			if !slices.Contains(people, account) {
				people = append(people, account)
			}
		}
	}
	if !slices.ContainsFunc(people, func(who string) bool { return who != ask.NotRequester }) {
		return nil, invalid("origin.people", ask.ErrResponders, fmt.Sprintf("on the route %q the people of the origin answer, and there are none: name them in origin", name))
	}
	return people, nil
}

// checkRouteResponders checks the responders of a route, which can contain
// [ask.OriginPeople].
func (d *Directory) checkRouteResponders(path string, route Route) []ask.Problem {
	n := slices.Index(route.Responders, ask.OriginPeople)
	if n < 0 {
		return d.checkRule(path, route.Responders)
	}
	var problems []ask.Problem
	if !route.Origin {
		problems = []ask.Problem{Problem(fmt.Sprintf("%s[%d]", path, n), ask.ErrResponders, fmt.Sprintf("%q needs a route with origin: true", ask.OriginPeople))}
	}
	list := slices.Clone(route.Responders)
	for n, who := range list {
		if who == ask.OriginPeople {
			list[n] = ask.Anyone // Stands for people, so that the rest can be checked.
		}
	}
	return append(problems, d.checkRule(path, list)...)
}

// withOrigin adds the people of the origin to those who are notified, unless the request
// itself names these. Without other recipients the people in the policy are notified, too:
// a card would notify them by default.
func withOrigin(a *record.Audience, req *ask.Request, o ask.Origin, policy ask.Policy) *record.Audience {
	if len(o.People) == 0 || req.Notify != nil {
		return a
	}
	next := &record.Audience{}
	if a != nil {
		next.Unknown = a.Unknown
		next.Who = slices.Clone(a.Who)
	} else {
		for e := range policy.Entries() {
			if e.Word == "" && e.Kind == "" && len(next.Who) < ask.MaxNotify {
				next.Who = append(next.Who, e.String())
			}
		}
	}
	for _, who := range o.People {
		if !slices.Contains(next.Who, who) {
			next.Who = append(next.Who, who)
		}
	}
	return next
}
