package deliver

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/internal/words"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

// Cards lays records out for the platforms.
type Cards struct {
	Platforms *Platforms
	Marks     Marks
	People    record.People
}

// nameWait bounds the look-up of a name for a card on another platform.
const nameWait = 2 * time.Second

// introduce returns a copy of the record in which people who acted on one platform have
// their display names, if a card on another platform shows them. The stored record keeps
// the names of the interactions.
func (cs *Cards) introduce(ctx context.Context, r *record.Record) *record.Record {
	decided := r.VisibleOutcome()
	namer, ok := cs.Platforms.Named[decided.By.Platform].(platform.Namer)
	if !ok || !slices.ContainsFunc(r.Copies, func(c record.Copy) bool { return c.Target.Platform != decided.By.Platform && record.NeedsCall(r, c) }) {
		return r
	}
	ctx, cancel := context.WithTimeout(ctx, nameWait)
	defer cancel()
	withName := func(p ask.Person) ask.Person {
		if p.Platform == decided.By.Platform && p.ID != "" {
			p.Name = cmp.Or(namer.NameOf(ctx, p), p.Name)
		}
		return p
	}
	shown := *r
	o := &shown.Outcome
	if r.Held != nil {
		shown.Held = new(*r.Held)
		o = &shown.Held.Outcome
	}
	o.Answers = slices.Clone(o.Answers)
	for i, a := range o.Answers {
		o.Answers[i].By, o.Answers[i].NotesBy = withName(a.By), withName(a.NotesBy)
	}
	for _, unanswered := range []*[]ask.Unanswered{&o.Skipped, &o.Left} {
		*unanswered = slices.Clone(*unanswered)
		for i, u := range *unanswered {
			(*unanswered)[i].By, (*unanswered)[i].NotesBy = withName(u.By), withName(u.NotesBy)
		}
	}
	o.By = withName(o.By)
	return &shown
}

// layOut lays out all cards before the first call, so that a record that cannot be laid
// out fails as a whole. Copies with a result need no card.
func (cs *Cards) layOut(r *record.Record, results []record.Result) map[look]render.Card {
	drawn := map[look]render.Card{}
	for n, c := range r.Copies {
		name := c.Target.Platform
		if p, ok := cs.Platforms.Named[name]; ok && results[n] == nil {
			key := cs.lookOf(r, c)
			if _, done := drawn[key]; !done {
				drawn[key] = render.Layout(cs.Subject(r, p, c), p.Limits())
			}
		}
	}
	return drawn
}

// named converts entries of people and groups for a card.
func named(entries []string) []ask.Person {
	all := make([]ask.Person, len(entries))
	for n, who := range entries {
		e, _ := ask.ParseEntry(who)
		all[n] = e.Person()
	}
	return all
}

// look is everything in which the cards of two copies can differ.
type look struct {
	platform, user string
	direct, plain  bool
	step           int
	filing         render.Filing
}

func (cs *Cards) lookOf(r *record.Record, c record.Copy) look {
	l := look{platform: c.Target.Platform, plain: c.Plain}
	if r.Open() { // Only an open card names who may answer.
		l.user, l.direct, l.step, l.filing = c.Target.User, cs.Platforms.Direct(c.Target), c.Step, filing(r, c)
	}
	return l
}

// firstOf returns the first question without a choice, whose page the card shows.
func firstOf(left []int) int {
	if len(left) == 0 {
		return 0
	}
	return left[0]
}

// receiptOf returns what a closed card shows about the agent's acknowledgement.
func receiptOf(r *record.Record) (render.Receipt, time.Time) {
	switch {
	case r.Receipt == nil, !record.DecidedByPeople(r):
		return "", time.Time{}
	case r.Receipt.Instead != "":
		return render.ReceiptInstead, r.Receipt.TakenAt
	case !r.Receipt.TakenAt.IsZero():
		return render.ReceiptTaken, r.Receipt.TakenAt
	case r.Receipt.Missing:
		return render.ReceiptMissing, time.Time{}
	}
	return render.ReceiptWaits, time.Time{}
}

// filing returns the state of the files below a card.
func filing(r *record.Record, c record.Copy) render.Filing {
	switch {
	case record.ShowsEverything(r, c):
		return render.FilesStand
	case c.Filing == record.Unfilable:
		return render.FilesMissing
	}
	return render.FilesDue
}

// Eligible returns who can answer on a copy.
func (cs *Cards) Eligible(r *record.Record, c record.Copy) ask.Eligible {
	return record.Eligible(r, c, cs.People, func(name string) bool {
		p, ok := cs.Platforms.Named[name]
		return ok && p.Limits().ChannelGroups
	})
}

// Subject returns what the card of a copy is laid out from.
func (cs *Cards) Subject(r *record.Record, p platform.Platform, c record.Copy) render.Subject {
	s := render.Subject{
		ID: r.ID, Language: r.Language, Agent: r.Agent, Context: r.Context, Links: r.Links, Source: r.Source, Requesters: named(r.Requesters), Files: r.Files, Filing: filing(r, c), Questions: r.Questions,
		Vote: r.Standing(), Asked: r.Created, Deadline: r.Deadline, Outcome: r.VisibleOutcome(), Plain: c.Plain, Direct: cs.Platforms.Direct(c.Target),
	}
	if r.Open() { // A closed card has no controls, and does not say who can answer.
		s.Mark, s.Eligible = cs.Marks.of(r.ID), cs.Eligible(r, c)
	}
	s.Handed, s.HandedAt, s.Joined = r.Handed, r.HandedAt, r.Joined
	if record.NamesRecipients(r, c) && c.Target.User == "" {
		s.Notify = named(record.Recipients(r, c))
	}
	if r.Schedule != nil {
		for n, step := range r.Schedule.Steps {
			shown := render.Step{Do: step.Do, At: step.At, Done: n < r.Schedule.Done, Added: named(step.Added), Places: len(step.Places)}
			if p := step.Pass; p != nil {
				shown.By, shown.To = p.By, p.To
			}
			s.Steps = append(s.Steps, shown)
		}
		s.Passes = !r.Schedule.PassTo.IsZero()
		s.Claims = r.Schedule.Claimable()
		if c := r.Schedule.Claim; c != nil {
			s.Claim = &render.Claim{By: c.By, At: c.At, Until: c.Until}
		}
	}
	s.Revised, s.RevisedAt = r.Revised, r.RevisedAt
	s.Confirms = r.Risk != ""
	s.AskBack, s.AskBackEnds = r.AskBack.On(), r.AskBack == ask.AskBackEnd
	s.Wordless, s.Permission, s.Permit = r.Wordless, r.Permission, r.Permit
	for _, asked := range r.AskedBack {
		s.AskedBack = append(s.AskedBack, asked.AskedBack)
	}
	if s.Receipt, s.TakenAt = receiptOf(r); s.Receipt == render.ReceiptInstead {
		s.Instead = r.Receipt.Instead
	}
	if r.Replies.On() {
		s.Typing = &render.Typing{Strict: r.Strict(), Own: r.Replies.Mode == ask.RepliesText}
		if s.Typing.Strict || c.Target.Thread != "" || s.Direct { // Other cards can be open in the same thread or conversation.
			s.Typing.Code = r.Code()
		}
	}
	if p.Limits().SharedDraft && r.Voting == nil {
		s.Draft = r.Drafts[p.Name()]
		s.At = firstOf(s.Draft.Left(r.Questions))
	}
	wonAt := r.WonAt
	if r.Held != nil {
		s.Held, wonAt = &render.Held{For: r.Hold, Until: r.Held.Until, Number: int(r.Held.Revision)}, r.Held.WonAt
	}
	switch at := wonAt.Platform; {
	case s.Outcome.By.Platform == ask.API:
		s.Place = words.In(r.Language).End.OverAPI
	case at != "" && at != p.Name():
		s.Place = at
	}
	return s
}
