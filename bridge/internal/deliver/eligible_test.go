package deliver_test

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/bridge/internal/deliver"
	"github.com/askbridge/askbridge/bridge/internal/state"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/blockkit"
	"github.com/askbridge/askbridge/render/components"
)

// accounts are all accounts of the world of the property below. No list names the last two of each platform, and
// nothing at all names the last.
var accounts = []string{
	"slack:1", "slack:2", "slack:3", "slack:4", "slack:8", "slack:9", "discord:1", "discord:2", "discord:3", "discord:4", "discord:8", "discord:9",
}

var memberships = map[string][]string{"slack": {"slack-group:S1", "slack-group:S2"}, "discord": {"discord-role:R1", "discord-role:R2"}}

// audience is a request whose cards are read.
type audience struct {
	r     *record.Record
	links map[string][]string
	known *state.Accounts
	cards *deliver.Cards
	named map[string]platform.Platform
}

func responders(t *rapid.T, name string) []string {
	entries := slices.Concat(accounts[:4], accounts[6:10], memberships["slack"], memberships["discord"], []string{ask.Anyone, ask.NotRequester})
	return rapid.SliceOfNDistinct(rapid.SampledFrom(entries), 1, 6, rapid.ID[string]).Draw(t, name)
}

func policies(t *rapid.T, name string) ask.Policy {
	p := ask.PolicyOf(responders(t, name)...)
	for n := range rapid.IntRange(0, 2).Draw(t, name+" lists") {
		p = p.Narrow(ask.PolicyOf(responders(t, fmt.Sprint(name, n))...))
	}
	return p
}

func newAudience(links map[string][]string) *audience {
	w := &audience{links: links, known: state.NewAccounts(links)}
	platforms := []platform.Platform{bridgetest.NewScript("slack", blockkit.Limits()), bridgetest.NewScript("discord", components.Limits())}
	w.named = map[string]platform.Platform{"slack": platforms[0], "discord": platforms[1]}
	w.cards = &deliver.Cards{Platforms: deliver.NewPlatforms(platforms), People: w.known}
	return w
}

// audiences are requests after some steps and passes.
func audiences(t *rapid.T) *audience {
	links := map[string][]string{}
	for n := 1; n <= 4; n++ {
		if rapid.Bool().Draw(t, "linked") {
			links[fmt.Sprintf("P%d", n)] = []string{fmt.Sprintf("slack:%d", n), fmt.Sprintf("discord:%d", n)}
		}
	}
	w := newAudience(links)
	now := time.Date(2026, 3, 14, 16, 0, 0, 0, time.UTC)
	w.r = &record.Record{
		ID: "p1", Questions: []ask.Question{{Text: "Go?", Options: []ask.Option{{Label: "Yes"}, {Label: "No"}}}}, Outcome: ask.Outcome{State: ask.Open},
		Policy: policies(t, "policy"), Requesters: rapid.SliceOfNDistinct(rapid.SampledFrom(slices.Concat(accounts[:5], accounts[6:11])), 0, 2, rapid.ID[string]).Draw(t, "requesters"), Due: record.Forever,
	}
	places := []ask.Place{
		{Platform: "slack", Channel: "C1"},
		{Platform: "discord", Channel: "C1"},
		{Platform: "slack", User: "1"},
		{Platform: "slack", User: "8"},
		{Platform: "discord", User: "1"},
		{Platform: "discord", User: "2"},
	}
	for n, place := range rapid.SliceOfNDistinct(rapid.SampledFrom(places), 1, 4, rapid.ID[ask.Place]).Draw(t, "places") {
		w.r.Copies = append(w.r.Copies, record.Copy{Target: place, State: record.Posted, Ref: reference(place, n)})
	}
	w.r.Schedule = &record.Schedule{PassTo: policies(t, "pass to")}
	if rapid.Bool().Draw(t, "step") {
		more := rapid.SampledFrom(places).Draw(t, "more")
		w.r.Schedule.Steps = []record.Step{{At: now, Do: ask.Add, Policy: policies(t, "added"), Places: []ask.Place{more}}}
		w.r.Due = now
		_ = w.r.Tick(now)
	}
	for n := range rapid.IntRange(0, 3).Draw(t, "passes") {
		by, to := w.responders(t, "passer"), w.responders(t, "recipient")
		a := record.Act{ID: fmt.Sprint(n), Order: int64(n), By: by, Action: ask.Action{Kind: ask.Pass, Question: -1, Option: -1, To: to}}
		a.Message = rapid.SampledFrom(w.r.Copies).Draw(t, "card").Ref
		if a.Message.Platform == by.Platform {
			_, _ = w.r.Judge(a, record.DraftMode{}, now)
		}
	}
	for n := range w.r.Copies {
		w.r.Copies[n].Ref = reference(w.r.Copies[n].Target, n)
	}
	return w
}

func reference(at ask.Place, n int) platform.MessageRef {
	return platform.MessageRef{Platform: at.Platform, Channel: "C1", Message: fmt.Sprint(n)}
}

// responder is a member with an account and groups, as the handler hands them to the record.
func (w *audience) responder(account string, groups ...string) ask.Responder {
	e, _ := ask.ParseEntry(account)
	p := ask.Person{Platform: e.Platform, ID: e.ID}
	return ask.Responder{Person: p, Groups: slices.Concat(w.known.Groups(p, nil), groups), Membership: ask.Member}
}

func (w *audience) responders(t *rapid.T, name string) ask.Responder {
	account := rapid.SampledFrom(slices.Concat(accounts[:5], accounts[6:11])).Draw(t, name)
	e, _ := ask.ParseEntry(account)
	return w.responder(account, rapid.SliceOfNDistinct(rapid.SampledFrom(memberships[e.Platform]), 0, 2, rapid.ID[string]).Draw(t, name+"'s groups")...)
}

func (w *audience) counts(c record.Copy, who ask.Responder) bool {
	return w.r.MayAnswer(record.Act{By: who, Message: c.Ref})
}

// line returns the terms of a card: people as @1, groups as &S1.
func (w *audience) line(c record.Copy) string {
	p := w.named[c.Target.Platform]
	var text strings.Builder
	for _, sec := range render.Layout(w.cards.Subject(w.r, p, c), p.Limits()).Sections {
		for _, span := range sec.Text {
			switch {
			case sec.ID != "terms":
			case span.Style == render.Mention && span.Person.Platform == p.Name():
				text.WriteString("@" + span.Person.ID)
			case span.Style == render.Mention:
				text.WriteString("&" + span.Person.ID)
			default:
				text.WriteString(span.Text)
			}
		}
	}
	line := regexp.MustCompile(`Slack user (\d)`).ReplaceAllString(text.String(), "@$1")
	line = regexp.MustCompile(`Slack group (S\d)`).ReplaceAllString(line, "&$1")
	return regexp.MustCompile(`P(\d)`).ReplaceAllString(line, "@$1")
}

var (
	atom      = regexp.MustCompile(`[@&]\w+`)
	elsewhere = regexp.MustCompile(`(\d+) (?:more )?(person|people|group|groups) on (Slack|Discord)`)
)

// mentions reports whether a sentence of the card names someone.
func (w *audience) mentions(sentence string, who ask.Responder) bool {
	return slices.ContainsFunc(atom.FindAllString(sentence, -1), func(name string) bool {
		return name == "@"+who.ID || name[0] == '&' && slices.ContainsFunc(who.Groups, func(g string) bool { return strings.HasSuffix(g, ":"+name[1:]) && strings.Contains(g, "-") })
	})
}

// names reports whether the card names someone as a responder.
func (w *audience) names(c record.Copy, line string, who ask.Responder) bool {
	can := false
	sentences := strings.Split(line, " · ")
	_, out, _ := strings.Cut(sentences[0], ", except ")
	excepted := w.mentions(out, who) || strings.Contains(out, "the requester") && w.r.Responder(who).Requester
	for n := 0; n < len(sentences); n++ {
		listed, _, _ := strings.Cut(sentences[n], ", except ")
		fits := strings.HasPrefix(listed, "Anyone here") || w.mentions(listed, who)
		if excepted {
			fits = slices.Contains(atom.FindAllString(listed, -1), "@"+who.ID) // Named despite the exception.
		}
		if c.Target.User != "" {
			fits = fits && who.ID == c.Target.User
		}
		for n+1 < len(sentences) && strings.HasPrefix(sentences[n+1], "limited to") {
			n++
			fits = fits && w.mentions(sentences[n], who)
		}
		can = can || fits
	}
	return can
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// human is the person with an account.
func (w *audience) human(account string) string {
	if name, _ := w.known.Linked(account); name != "" {
		return name
	}
	return account
}

// others counts by the record's judgment the people who can answer on other copies only, by platform, and the
// platforms on which others can as members of groups.
func (w *audience) others(c record.Copy) (people map[string]int, groups map[string]bool) {
	people, groups = map[string]int{}, map[string]bool{}
	done := map[string]bool{}
	can := func(c record.Copy, account string, groups ...string) bool {
		e, _ := ask.ParseEntry(account)
		return e.Platform == c.Target.Platform && w.counts(c, w.responder(account, groups...))
	}
	known := func(c record.Copy) []string {
		if c.Target.User != "" && c.Target.Platform == "discord" {
			return nil
		}
		return memberships[c.Target.Platform]
	}
	for _, account := range accounts {
		if can(c, account, known(c)...) {
			done[w.human(account)] = true
		}
	}
	ordered := slices.Clone(w.r.Copies)
	slices.SortStableFunc(ordered, func(a, b record.Copy) int { // Everyone is counted once, on this platform first.
		return cmp.Compare(b2i(a.Target.Platform != c.Target.Platform), b2i(b.Target.Platform != c.Target.Platform))
	})
	for _, other := range ordered {
		for _, account := range accounts {
			if name := w.human(account); other.Target != c.Target && !done[name] && can(other, account) {
				done[name] = true
				people[other.Target.Platform]++
			}
		}
	}
	for _, other := range w.r.Copies {
		for _, account := range accounts {
			if other.Target != c.Target && !done[w.human(account)] && can(other, account, known(other)...) {
				groups[other.Target.Platform] = true
			}
		}
	}
	return people, groups
}

// A card names exactly those whose answers count there, as the record judges every account with every membership.
func TestCardNamesResponders(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := audiences(t)
		for _, c := range w.r.Copies {
			line := w.line(c)
			for _, account := range accounts {
				at, _ := ask.ParseEntry(account)
				if at.Platform != c.Target.Platform {
					continue
				}
				all := memberships[at.Platform]
				if c.Target.User != "" && at.Platform == "discord" {
					all = nil // Discord does not report roles in direct messages.
				}
				for n := range 1 << len(all) {
					var groups []string
					for i, g := range all {
						if n>>i&1 == 1 {
							groups = append(groups, g)
						}
					}
					who := w.responder(account, groups...)
					if counts := w.counts(c, who); counts != w.names(c, line, who) {
						t.Fatalf("%s with %q on %+v: counts is %v, and the card mentions %q; %s, requesters %q, links %v", account, groups, c.Target, counts, line, w.r.Policy, w.r.Requesters, w.links)
					}
				}
			}
			w.countsOthers(t, c, line)
		}
	})
}

// countsOthers checks the people whom the card only counts.
func (w *audience) countsOthers(t *rapid.T, c record.Copy, line string) {
	if strings.HasPrefix(line, "Anyone here") {
		return
	}
	people, groups := w.others(c)
	if strings.Contains(line, "can answer here") && !elsewhere.MatchString(line) || strings.HasPrefix(line, "No one can answer here") && !elsewhere.MatchString(line) {
		for _, other := range w.r.Copies {
			if other.Target.User == "" && w.counts(other, w.responder(other.Target.Platform+":9")) {
				return // Anyone else can.
			}
		}
	}
	counted, member := map[string]int{}, map[string]bool{}
	for _, m := range elsewhere.FindAllStringSubmatch(line, -1) {
		n, _ := strconv.Atoi(m[1])
		if strings.HasPrefix(m[2], "g") {
			member[strings.ToLower(m[3])] = true
		} else {
			counted[strings.ToLower(m[3])] += n
		}
	}
	for sentence := range strings.SplitSeq(line, " · ") {
		for _, name := range atom.FindAllString(sentence, -1) {
			if _, platform, found := strings.Cut(sentence, ", on "); found {
				counted[strings.ToLower(platform)]++
			} else if c.Target.User != "" && name[0] == '@' && name != "@"+c.Target.User && !strings.HasPrefix(sentence, "limited to") {
				counted[c.Target.Platform]++
			}
		}
	}
	for _, platform := range []string{"slack", "discord"} {
		if counted[platform] != people[platform] || member[platform] != groups[platform] {
			t.Fatalf("%+v: %d people and groups %v on %s can answer elsewhere, and the card mentions %q; %s, requesters %q, links %v", c.Target, people[platform], groups[platform], platform, line, w.r.Policy, w.r.Requesters, w.links)
		}
	}
}

// Requesters who may not answer can do so again once the request is passed to them. The card excepts the others.
func TestCardExceptsOtherRequesters(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 14, 16, 0, 0, 0, time.UTC)
	place := ask.Place{Platform: "slack", Channel: "C1"}
	for _, test := range []struct {
		name, passTo string
		requesters   []string
		want         string
	}{
		{"another requester", "slack:1", []string{"slack:1", "slack:2"}, "Anyone here can answer, except @3 or @2"},
		{"members of a group only", "slack-group:S1", []string{"slack:1"}, "Anyone here can answer, except @3 or the requester · @1 can answer · limited to: &S1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newAudience(nil)
			w.r = &record.Record{
				ID: "p1", Questions: []ask.Question{{Text: "Go?", Options: []ask.Option{{Label: "Yes"}, {Label: "No"}}}}, Outcome: ask.Outcome{State: ask.Open},
				Policy: ask.PolicyOf(ask.Anyone, ask.NotRequester), Requesters: test.requesters, Due: record.Forever,
				Copies: []record.Copy{{Target: place, State: record.Posted, Ref: reference(place, 0)}}, Schedule: &record.Schedule{PassTo: ask.PolicyOf(test.passTo)},
			}
			pass := ask.Action{Kind: ask.Pass, Question: -1, Option: -1, To: w.responder("slack:1", "slack-group:S1")}
			_, _ = w.r.Judge(record.Act{ID: "1", By: w.responder("slack:3"), Message: w.r.Copies[0].Ref, Action: pass}, record.DraftMode{}, now)
			if line := w.line(w.r.Copies[0]); line != test.want {
				t.Errorf("the card mentions %q; want %q", line, test.want)
			}
		})
	}
}
