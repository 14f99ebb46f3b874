package bridgetest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

// Script is a platform in memory that a test scripts. It keeps posted cards, counts
// calls, and fails on cue. Use it to test the engine; use the strict doubles of chatsim
// for everything else.
type Script struct {
	// Unidentified leaves memberships unknown. Otherwise people without one are members.
	// Set it before the bridge runs.
	Unidentified bool
	name         string
	limits       render.Limits

	mu      sync.Mutex
	handler platform.Handler
	ready   chan struct{}
	cards   map[platform.MessageRef]render.Card
	files   map[platform.MessageRef][]ask.File
	names   map[string]string
	order   []platform.MessageRef
	calls   []string
	cues    map[string][]Cue
	clock   int64
}

// Cue scripts one call of a platform.
type Cue struct {
	// Err is the error to return.
	Err error
	// Done makes the call take effect before it fails, like a lost reply.
	Done bool
	// Hold blocks the call until it is closed, if set.
	Hold <-chan struct{}
}

var (
	_ platform.Platform = (*Script)(nil)
	_ platform.Finder   = (*Script)(nil)
	_ platform.Replier  = (*Script)(nil)
	_ platform.Attacher = (*Script)(nil)
	_ platform.Digester = (*Script)(nil)
)

// NewScript returns a platform with a name. The engine treats platforms with
// [render.Limits.SharedDraft] differently, so tests choose.
func NewScript(name string, limits render.Limits) *Script {
	limits.Platform = name
	return &Script{
		name: name, limits: limits, ready: make(chan struct{}),
		cards: map[platform.MessageRef]render.Card{}, files: map[platform.MessageRef][]ask.File{}, cues: map[string][]Cue{},
	}
}

// On scripts the next calls of op ("post", "update", "reply", "find", "attach",
// "attached", "redraw", "inbox" or "delete"), one cue each.
func (s *Script) On(op string, cues ...Cue) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cues[op] = append(s.cues[op], cues...)
}

// Calls returns the calls so far, such as "post C0000001".
func (s *Script) Calls() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// Standing returns the messages with cards, oldest first.
func (s *Script) Standing() []platform.MessageRef {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.order)
}

// Card returns the card of a message.
func (s *Script) Card(ref platform.MessageRef) render.Card {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cards[ref]
}

// Draw replaces a card, like the reply to an interaction.
func (s *Script) Draw(ref platform.MessageRef, c render.Card) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cards[ref] = c
}

// Delete deletes a card, like an administrator.
func (s *Script) Delete(ref platform.MessageRef) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.cards, ref)
	s.order = slices.DeleteFunc(s.order, func(r platform.MessageRef) bool { return r == ref })
}

// Act delivers an interaction to the bridge and returns the reply. It sets ID and Order
// if they are empty; a person without a membership is a member.
func (s *Script) Act(ctx context.Context, i platform.Interaction) *Reply {
	<-s.ready
	s.mu.Lock()
	s.clock++
	if i.ID == "" {
		i.ID = fmt.Sprintf("%s-act-%d", s.name, s.clock)
	}
	if i.Order == 0 {
		i.Order = s.clock
	}
	if i.Person.Platform == "" {
		i.Person.Platform = s.name
	}
	if i.Membership == ask.Unknown && !s.Unidentified {
		i.Membership = ask.Member
	}
	h := s.handler
	s.mu.Unlock()
	r := &Reply{chat: s, at: i.Message}
	r.Err = h(ctx, i, r)
	return r
}

// Name implements [platform.Platform].
func (s *Script) Name() string { return s.name }

// Limits implements [platform.Platform].
func (s *Script) Limits() render.Limits { return s.limits }

// CheckTarget accepts every channel and user except "nowhere".
func (s *Script) CheckTarget(t ask.Place) error {
	if t.Channel == "nowhere" {
		return fmt.Errorf("%q is not a channel", t.Channel)
	}
	return nil
}

// CheckResponder accepts every entry except "nobody".
func (s *Script) CheckResponder(who string) error {
	if who == s.name+":nobody" {
		return fmt.Errorf("%q is not a person", who)
	}
	return nil
}

// Post implements [platform.Platform].
func (s *Script) Post(ctx context.Context, to ask.Place, c render.Card) (platform.MessageRef, error) {
	channel := to.Channel
	if to.User != "" {
		channel = "D-" + to.User
	}
	var ref platform.MessageRef
	err := s.call(ctx, "post", channel, func() {
		s.clock++
		ref = platform.MessageRef{Platform: s.name, Channel: channel, Message: fmt.Sprintf("m%d", s.clock)}
		s.cards[ref] = c
		s.order = append(s.order, ref)
	})
	if err != nil {
		return platform.MessageRef{}, err
	}
	return ref, nil
}

// Update implements [platform.Platform].
func (s *Script) Update(ctx context.Context, ref platform.MessageRef, c render.Card) error {
	gone := false
	err := s.call(ctx, "update", ref.Message, func() {
		if _, ok := s.cards[ref]; !ok {
			gone = true
			return
		}
		s.cards[ref] = c
	})
	if gone && err == nil {
		return &platform.Error{Platform: s.name, Op: "update", Kind: platform.Gone, Code: "message_not_found"}
	}
	return err
}

// Find implements [platform.Finder]: it returns the cards of the channel that no record
// contains, so tests script the results.
func (s *Script) Find(ctx context.Context, to ask.Place, _ string, _ time.Time) ([]platform.MessageRef, error) {
	var found []platform.MessageRef
	err := s.call(ctx, "find", to.Channel, func() {
		for _, ref := range s.order {
			if ref.Channel == to.Channel {
				found = append(found, ref)
			}
		}
	})
	return found, err
}

// Reply implements [platform.Replier].
func (s *Script) Reply(ctx context.Context, _ ask.Place, ref platform.MessageRef, _ render.Card) error {
	return s.call(ctx, "reply", ref.Message, func() {})
}

// Attach implements [platform.Attacher].
func (s *Script) Attach(ctx context.Context, _ ask.Place, ref platform.MessageRef, up platform.Upload) error {
	return s.call(ctx, "attach", ref.Message, func() { s.files[ref] = append(s.files[ref], up.Files...) })
}

// Attached implements [platform.Attacher].
func (s *Script) Attached(ctx context.Context, _ ask.Place, ref platform.MessageRef, up platform.Upload) (found bool, err error) {
	err = s.call(ctx, "attached", ref.Message, func() {
		found = !slices.ContainsFunc(up.Files, func(f ask.File) bool { return !slices.Contains(s.files[ref], f) })
	})
	return found, err
}

// Files returns the files below a message.
func (s *Script) Files(ref platform.MessageRef) []ask.File {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.files[ref])
}

// PostDigest implements [platform.Digester] like Post.
func (s *Script) PostDigest(ctx context.Context, to ask.Place, c render.Card) (platform.MessageRef, error) {
	return s.Post(ctx, to, c)
}

// DeleteDigest implements [platform.Digester].
func (s *Script) DeleteDigest(ctx context.Context, ref platform.MessageRef) error {
	return s.call(ctx, "delete", ref.Message, func() {
		delete(s.cards, ref)
		s.order = slices.DeleteFunc(s.order, func(r platform.MessageRef) bool { return r == ref })
	})
}

// Listen implements [platform.Platform].
func (s *Script) Listen(ctx context.Context, h platform.Handler) error {
	s.mu.Lock()
	s.handler = h
	s.mu.Unlock()
	close(s.ready)
	<-ctx.Done()
	return nil
}

func (s *Script) call(ctx context.Context, op, what string, effect func()) error {
	s.mu.Lock()
	var cue Cue
	if waiting := s.cues[op]; len(waiting) > 0 {
		cue, s.cues[op] = waiting[0], waiting[1:]
	}
	s.calls = append(s.calls, op+" "+what)
	s.mu.Unlock()
	if cue.Hold != nil {
		select {
		case <-cue.Hold:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if cue.Err == nil || cue.Done {
		effect()
	}
	return cue.Err
}

// Reply is what a person received for one interaction.
type Reply struct {
	// Err is the handler's error.
	Err error

	chat *Script
	at   platform.MessageRef

	mu         sync.Mutex
	acks       int
	redrawn    []render.Card
	forms      []render.Form
	ephemerals []platform.Note
	inboxes    []render.Card
}

var _ platform.InboxResponder = (*Reply)(nil)

// Acks returns how often the interaction was acknowledged in any way.
func (r *Reply) Acks() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.acks
}

// EphemeralReplies returns the private notes so far.
func (r *Reply) EphemeralReplies() []platform.Note {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.ephemerals)
}

// Forms returns the opened forms.
func (r *Reply) Forms() []render.Form {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.forms)
}

// Redrawn returns the cards in replies.
func (r *Reply) Redrawn() []render.Card {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.redrawn)
}

// Ack implements [platform.Responder].
func (r *Reply) Ack(context.Context) error { return r.note(func() { r.acks++ }) }

// Redraw implements [platform.Responder].
func (r *Reply) Redraw(ctx context.Context, c render.Card) error {
	if err := r.chat.call(ctx, "redraw", r.at.Message, func() { r.chat.cards[r.at] = c }); err != nil {
		return err
	}
	return r.note(func() { r.acks++; r.redrawn = append(r.redrawn, c) })
}

// OpenForm implements [platform.Responder].
func (r *Reply) OpenForm(_ context.Context, f render.Form) error {
	return r.note(func() { r.acks++; r.forms = append(r.forms, f) })
}

// ReplyEphemeral implements [platform.Responder].
func (r *Reply) ReplyEphemeral(_ context.Context, n platform.Note) error {
	return r.note(func() {
		if r.acks == 0 {
			r.acks++
		}
		r.ephemerals = append(r.ephemerals, n)
	})
}

// ShowInbox implements [platform.InboxResponder].
func (r *Reply) ShowInbox(ctx context.Context, c render.Card) error {
	if err := r.chat.call(ctx, "inbox", c.Request, func() {}); err != nil {
		return err
	}
	return r.note(func() { r.acks++; r.inboxes = append(r.inboxes, c) })
}

// InboxLife implements [platform.InboxResponder]: an inbox shows changes for an hour.
func (r *Reply) InboxLife() time.Duration { return time.Hour }

// Inboxes returns the inboxes shown, oldest first.
func (r *Reply) Inboxes() []render.Card {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.inboxes)
}

func (r *Reply) note(f func()) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	f()
	return nil
}

// PlaceName implements [platform.PlaceNamer].
func (s *Script) PlaceName(_ context.Context, at ask.Place) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.names[at.Channel+at.User]
}

// Call sets the names of channels and people by ID.
func (s *Script) Call(names map[string]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names = names
}
