package bridgetest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

// Stage is a platform under test with a double of its service and people who use it.
type Stage struct {
	Platform platform.Platform
	// Place exists; Nowhere is well formed but does not exist.
	Place, Nowhere ask.Place
	// Wrong are places and people with malformed IDs.
	Wrong       []ask.Place
	WrongPeople []string
	// Dana and Sam are people with these names who can see the place.
	Dana, Sam ask.Person
	// Press makes a person press a button of the newest card whose label ends with
	// label. Fill fills in and submits the open form. Sees returns what is on the
	// person's screen as text: the newest card, private notes with the people they name
	// as @Sam, and the open form. Every button, including Cancel of the form, is its
	// label in square brackets.
	Press func(ctx context.Context, who ask.Person, label string) error
	Fill  func(ctx context.Context, who ask.Person, text string) error
	Sees  func(who ask.Person) string
	// Delete deletes a message. LoseReply makes the next post succeed while its reply is
	// lost.
	Delete    func(ref platform.MessageRef)
	LoseReply func()
	// Settle returns when the platform listens and is idle.
	Settle func()
}

// TestPlatform tests the contract of [platform.Platform]. Every subtest sets up its own
// stage, optionally in a synctest bubble; around runs the subtest with it.
func TestPlatform(t *testing.T, around func(t *testing.T, f func(t *testing.T, s *Stage))) {
	t.Helper()
	for _, tt := range []struct {
		name string
		run  func(t *testing.T, p *played)
	}{
		{"ids are checked without a call", idsAreChecked},
		{"a card is where it was posted", cardsStand},
		{"a card is updated in place", cardsAreUpdated},
		{"a post to nowhere fails", postToNowhere},
		{"a card that was deleted is gone", deletedIsGone},
		{"a lost reply is found again", lostIsFound},
		{"an interaction has person, control and message", actsSayAll},
		{"acts have ids of their own and grow in order", actsAreOrdered},
		{"a note is seen by one person", notesArePrivate},
		{"a form comes back with what was typed", formsComeBack},
		{"it listens once", listensOnce},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			around(t, func(t *testing.T, s *Stage) {
				p := &played{Stage: s}
				p.listen(t)
				tt.run(t, p)
			})
		})
	}
}

// played is a stage whose platform listens.
type played struct {
	*Stage

	mu     sync.Mutex
	answer platform.Handler
	acts   []platform.Interaction
}

func (p *played) listen(t *testing.T) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() {
		over <- p.Platform.Listen(ctx, func(ctx context.Context, i platform.Interaction, r platform.Responder) error {
			p.mu.Lock()
			p.acts = append(p.acts, i)
			answer := p.answer
			p.mu.Unlock()
			if answer == nil {
				return r.Ack(ctx)
			}
			return answer(ctx, i, r)
		})
	}()
	t.Cleanup(func() {
		stop()
		if err := <-over; err != nil {
			t.Errorf("Listen = %v", err)
		}
	})
	p.Settle()
	if r, ok := p.Platform.(platform.Readier); ok {
		if err := r.Ready(); err != nil {
			t.Fatalf("Ready = %v", err)
		}
	}
}

func (p *played) then(answer platform.Handler) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answer = answer
}

func (p *played) heard() []platform.Interaction {
	p.Settle()
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.acts)
}

// subject returns a question on a card.
func subject() render.Subject {
	return render.Subject{
		ID: "p0conformance", Agent: "deploy-bot", Eligible: ask.Eligible{Anyone: true}, Outcome: ask.Outcome{State: ask.Open},
		Questions: []ask.Question{{Text: "Which database?", Header: "Database", Options: []ask.Option{{Label: "Postgres"}, {Label: "SQLite"}}}},
	}
}

func (p *played) card(s render.Subject) render.Card { return render.Layout(s, p.Platform.Limits()) }

func (p *played) post(t *testing.T) platform.MessageRef {
	t.Helper()
	ref, err := p.Platform.Post(t.Context(), p.Place, p.card(subject()))
	if err != nil {
		t.Fatalf("post: %v", err)
	}
	return ref
}

func (p *played) press(t *testing.T, who ask.Person, label string) {
	t.Helper()
	if err := p.Press(t.Context(), who, label); err != nil {
		t.Fatalf("press %q: %v", label, err)
	}
}

func (p *played) sees(t *testing.T, who ask.Person, text string, want bool) {
	t.Helper()
	p.Settle()
	if got := p.Sees(who); strings.Contains(got, text) != want {
		t.Errorf("%s sees %q: %t, want %t, in:\n%s", who.ID, text, !want, want, got)
	}
}

// kind checks a platform's error.
func (p *played) kind(t *testing.T, err error, want platform.Kind) {
	t.Helper()
	pe, ok := errors.AsType[*platform.Error](err)
	if !ok || pe.Kind != want || pe.Platform != p.Platform.Name() || pe.Code == "" {
		t.Errorf("got %#v, want a PlatformError of %q with the kind %q and a code", err, p.Platform.Name(), want)
	}
}

func idsAreChecked(t *testing.T, p *played) {
	for _, good := range []ask.Place{p.Place, p.Nowhere} {
		if err := p.Platform.CheckTarget(good); err != nil || good.Platform != p.Platform.Name() {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range p.Wrong {
		if p.Platform.CheckTarget(bad) == nil {
			t.Errorf("the target %+v is accepted", bad)
		}
	}
	if err := p.Platform.CheckResponder(p.Dana.Key()); err != nil {
		t.Error(err)
	}
	for _, bad := range p.WrongPeople {
		if p.Platform.CheckResponder(bad) == nil {
			t.Errorf("the responder %q is accepted", bad)
		}
	}
}

func cardsStand(t *testing.T, p *played) {
	ref := p.post(t)
	if ref.Platform != p.Platform.Name() || ref.Channel == "" || ref.Message == "" {
		t.Errorf("the card is at %+v", ref)
	}
	p.sees(t, p.Dana, "Which database?", true)
	p.sees(t, p.Sam, "[SQLite]", true)
}

func cardsAreUpdated(t *testing.T, p *played) {
	ref := p.post(t)
	s := subject()
	s.Outcome = ask.Outcome{
		State: ask.Answered, By: p.Dana, At: time.Now(),
		Answers: []ask.Answer{{Question: "Which database?", Header: "Database", Selected: []string{"SQLite"}, By: p.Dana, At: time.Now()}},
	}
	for range 2 {
		if err := p.Platform.Update(t.Context(), ref, p.card(s)); err != nil {
			t.Fatalf("update: %v", err)
		}
	}
	p.sees(t, p.Sam, "[SQLite]", false)
	p.sees(t, p.Sam, "SQLite", true)
}

func postToNowhere(t *testing.T, p *played) {
	_, err := p.Platform.Post(t.Context(), p.Nowhere, p.card(subject()))
	p.kind(t, err, platform.Unreachable)
}

func deletedIsGone(t *testing.T, p *played) {
	ref := p.post(t)
	p.Delete(ref)
	p.kind(t, p.Platform.Update(t.Context(), ref, p.card(subject())), platform.Gone)
}

func lostIsFound(t *testing.T, p *played) {
	p.LoseReply()
	since := time.Now()
	_, err := p.Platform.Post(t.Context(), p.Place, p.card(subject()))
	p.kind(t, err, platform.Ambiguous)
	finder, ok := p.Platform.(platform.Finder)
	if !ok {
		return
	}
	found, err := finder.Find(t.Context(), p.Place, subject().ID, since)
	if err != nil || len(found) != 1 {
		t.Fatalf("found %v, %v", found, err)
	}
	p.press(t, p.Dana, "SQLite")
	if acts := p.heard(); len(acts) != 1 || acts[0].Message != found[0] {
		t.Errorf("found %+v, and the act came from %+v", found[0], acts)
	}
	if other, err := finder.Find(t.Context(), p.Place, "p0another", since); err != nil || len(other) != 0 {
		t.Errorf("another request's card is at %v, %v", other, err)
	}
}

func actsSayAll(t *testing.T, p *played) {
	ref := p.post(t)
	p.press(t, p.Dana, "SQLite")
	acts := p.heard()
	if len(acts) != 1 {
		t.Fatalf("%d acts arrived", len(acts))
	}
	i := acts[0]
	want := render.Token{Request: subject().ID, Verb: render.Choose, Question: 0, Option: 1}
	if i.ID == "" || i.Order <= 0 || i.Person.Key() != p.Dana.Key() || i.Person.Name == "" || i.Token != want || i.Message != ref || i.Bot || i.Membership == ask.Unknown || i.Membership == ask.Outsider {
		t.Errorf("the act is %+v; it needs an id, an order, a person of a name, a membership, the token %+v and the message %+v", i, want, ref)
	}
}

func actsAreOrdered(t *testing.T, p *played) {
	p.post(t)
	for _, who := range []ask.Person{p.Dana, p.Sam, p.Dana} {
		p.press(t, who, "Postgres")
	}
	acts := p.heard()
	if len(acts) != 3 {
		t.Fatalf("%d acts arrived", len(acts))
	}
	for n := range acts[1:] {
		if acts[n].ID == acts[n+1].ID || acts[n].Order >= acts[n+1].Order {
			t.Errorf("act %d is %s of %d, the next %s of %d", n, acts[n].ID, acts[n].Order, acts[n+1].ID, acts[n+1].Order)
		}
	}
}

func notesArePrivate(t *testing.T, p *played) {
	const note = "Only for you, *really* <!channel> @everyone."
	p.post(t)
	p.then(func(ctx context.Context, _ platform.Interaction, r platform.Responder) error {
		return r.ReplyEphemeral(ctx, platform.Note{Text: note, Who: ask.Eligible{Who: []ask.Answerer{{Person: p.Sam}}}})
	})
	p.press(t, p.Dana, "SQLite")
	p.sees(t, p.Dana, "Only for you", true)
	p.sees(t, p.Dana, "@Sam", true)
	p.sees(t, p.Sam, "Only for you", false)
}

func formsComeBack(t *testing.T, p *played) {
	p.post(t)
	p.then(func(ctx context.Context, i platform.Interaction, r platform.Responder) error {
		if i.Token.Verb == render.OpenText {
			return r.OpenForm(ctx, render.WriteForm(subject(), 0))
		}
		return r.Ack(ctx)
	})
	p.press(t, p.Dana, "Other…")
	p.Settle()
	p.sees(t, p.Dana, "[Cancel]", true)
	p.sees(t, p.Sam, "[Cancel]", false)
	if err := p.Fill(t.Context(), p.Dana, "MySQL, *of course*"); err != nil {
		t.Fatal(err)
	}
	acts := p.heard()
	last := acts[len(acts)-1]
	if last.Token.Verb != render.SubmitText || last.Texts[0] != "MySQL, *of course*" || last.Person.Key() != p.Dana.Key() {
		t.Errorf("the form came back as %+v", last)
	}
	p.sees(t, p.Dana, "[Cancel]", false)
}

func listensOnce(t *testing.T, p *played) {
	if err := p.Platform.Listen(t.Context(), func(context.Context, platform.Interaction, platform.Responder) error { return nil }); err == nil {
		t.Error("a second Listen is accepted")
	}
}
