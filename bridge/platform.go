package bridge

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/render"
)

// Platform is a place where people can be asked. Rarer abilities are the optional
// interfaces below. [github.com/askbridge/askbridge/bridge/bridgetest.TestPlatform] is the
// contract as a suite.
type Platform interface {
	// Name is the platform's name in targets and people's ids, such as "slack".
	Name() string
	// Limits tells the layout what a message of this platform may hold.
	Limits() render.Limits
	// CheckTarget returns nil or an error that says what is wrong with the
	// target's ids. It does no I/O.
	CheckTarget(t ask.Place) error
	// CheckResponder does the same for one entry of [ask.Request.Responders]
	// that names this platform.
	CheckResponder(who string) error
	// Post shows a card and returns where it stands. Errors are of type
	// [*PlatformError]. It must not retry on its own: the bridge owns time.
	Post(ctx context.Context, to ask.Place, c render.Card) (MessageRef, error)
	// Update updates a card that Post returned or an interaction named.
	Update(ctx context.Context, ref MessageRef, c render.Card) error
	// Listen receives interactions and hands each to h until ctx ends, in as
	// many goroutines as it likes; it returns nil after all of them have. A
	// platform that receives them through its own HTTP handler just waits. While it
	// listens, a second call fails.
	Listen(ctx context.Context, h Handler) error
}

// Finder is a Platform that can look for a card whose post was accepted but
// whose reply was lost.
type Finder interface {
	// Find returns the places where cards of the request stand in the target, posted
	// no earlier than since by the store's clock: oldest first, none when there are
	// none. An error means that nobody can tell.
	Find(ctx context.Context, to ask.Place, requestID string, since time.Time) ([]MessageRef, error)
}

// Teller is a Platform that can say whom a new card could not tell.
type Teller interface {
	// PostTelling is Post. It also returns those of [render.Card.Tells], by their
	// entries, whom the message cannot ring as far as the platform says, and why.
	PostTelling(ctx context.Context, to ask.Place, c render.Card) (MessageRef, []Missed, error)
}

// Reminder is a Platform that can tell people again of a card that stands.
type Reminder interface {
	// Remind posts a message below a card, which rings [render.Card.Tells]. Step tells it
	// from others below the same card.
	Remind(ctx context.Context, to ask.Place, ref MessageRef, c render.Card, step int) error
	// Reminded reports whether the message of that step stands there, posted no earlier
	// than since by the store's clock. An error means that nobody can tell.
	Reminded(ctx context.Context, to ask.Place, ref MessageRef, step int, since time.Time) (bool, error)
}

// Attacher is a Platform that can upload files below a card that stands.
type Attacher interface {
	// Attach uploads files below a card, all of them in one message, which rings nobody.
	Attach(ctx context.Context, to ask.Place, ref MessageRef, up Upload) error
	// Attached reports whether that message stands there. An error means that nobody can
	// tell.
	Attached(ctx context.Context, to ask.Place, ref MessageRef, up Upload) (bool, error)
}

// Upload are files on their way below a card.
type Upload struct {
	// Request and Code are the request's id and short code.
	Request, Code string
	// Text is what the message says beside the files: the bridge's own words, with the code
	// and each digest in them. Names and digests stand in backticks, and nothing else of it
	// formats anywhere.
	Text  string
	Files []ask.File
}

// NamedIn reports whether a text names every file by its digest, as Text does.
func (up Upload) NamedIn(text string) bool {
	return !slices.ContainsFunc(up.Files, func(f ask.File) bool { return !strings.Contains(text, f.Attachment().SHA256) })
}

// Replier is a Platform that can say how a request ended below a card that
// cannot be edited any more.
type Replier interface {
	// Reply posts below a card that Post put there; a card in a thread has no
	// thread of its own.
	Reply(ctx context.Context, to ask.Place, ref MessageRef, c render.Card) error
}

// Readier is a Platform that knows whether it can hear people.
type Readier interface {
	// Ready returns nil, or why nobody can be heard or told anything right now.
	// It does no I/O.
	Ready() error
}

// Namer is a Platform whose interactions may lack the name that people see.
type Namer interface {
	// NameOf returns the name by which people know the person, or "" when nobody
	// can tell. The bridge asks behind an act, for cards on other platforms.
	NameOf(ctx context.Context, p ask.Person) string
}

// Grouper is a Platform that knows groups of people by name, written in
// [ask.Request.Responders] as "<prefix>:<id>". CheckResponder is given those
// entries too.
type Grouper interface {
	// Prefixes returns what stands before the colon, such as "discord-role".
	Prefixes() []string
}

// GroupFinder is a Grouper whose interactions do not say which groups the
// person belongs to.
type GroupFinder interface {
	Grouper
	// GroupsOf returns those of the groups that the person belongs to. Groups
	// that cannot be looked up are left out, and the error says why.
	GroupsOf(ctx context.Context, p ask.Person, among []string) ([]string, error)
}

// ThreadFinder is a Platform whose threads are channels of their own, so that a
// target's thread need not lie in the target's channel.
type ThreadFinder interface {
	// ParentOf returns the id of the channel that a thread belongs to. It may
	// remember: a thread never moves. Errors are of type [*PlatformError]; one of the kind
	// [Unreachable] means that the id is no thread's, be it another channel's.
	ParentOf(ctx context.Context, thread string) (channel string, err error)
}

// MembershipFinder is a Platform whose interactions do not always say how the
// person belongs to the installation.
type MembershipFinder interface {
	// MembershipOf returns how the person belongs. It is asked only when the
	// answer decides, before the person is answered, so it should remember what it
	// learns. An error means that nobody can tell now.
	MembershipOf(ctx context.Context, i Interaction) (ask.Membership, error)
}

// Handler decides what an interaction means. It returns once the person has
// been answered through the Responder; work that outlives the answer goes on
// elsewhere. A non-nil error is for the log: the person has already been told.
type Handler func(ctx context.Context, i Interaction, r Responder) error

// Responder answers one interaction. Its first call acknowledges, which each
// platform demands within three seconds; the bridge calls at most one of the
// first three, then any number of ephemeral replies.
type Responder interface {
	// Ack says "received" and leaves the card or closes the form.
	Ack(ctx context.Context) error
	// Redraw acknowledges with the new card. Only platforms whose Limits say
	// RedrawInReply are asked to.
	Redraw(ctx context.Context, c render.Card) error
	// OpenForm acknowledges by opening a form. A form can only be the first
	// thing that happens, within three seconds of the click.
	OpenForm(ctx context.Context, f render.Form) error
	// ReplyEphemeral tells this person alone, and acknowledges when nothing has yet.
	// A note with Fields keeps a submitted form open and says beside each
	// question what is wrong with it, where the platform can.
	ReplyEphemeral(ctx context.Context, n Note) error
}

// Note is a private word to one person. Its text is the bridge's own, with any
// agent or person text already in it; the platform escapes it.
type Note struct {
	Text string
	// Language is what it is in, and what the platform adds to it should be in; English
	// where it is empty.
	Language string
	// Who names people to show behind the text, in the words of [render.Who]; the
	// zero policy names nobody.
	Who ask.Policy
	// Fields maps question indexes of a submitted form to what is wrong there.
	Fields map[int]string
	// Hint tells that what the person typed answers nothing: it may be left unsaid where too
	// many have to be told at once.
	Hint bool
}

// Interaction is one act of a person, as a platform delivered and vouched for
// it (signature, application and workspace are checked before it gets here).
type Interaction struct {
	// ID is unique per act and the same in every delivery of it.
	ID string
	// Order says when the person acted, by the platform's own clock: by the time
	// that stands in the signed act or, where it carries none, inside the span that
	// the signature proves, or as long after an earlier act as has passed since. It
	// grows with time on one platform, and every delivery of an act has the same one
	// or a smaller one, never a later: a repeated delivery must not look newer than
	// what the person did since.
	Order  int64
	Person ask.Person
	// Language is the person's own, as a locale such as "de" or "pt-BR", where the platform
	// says so.
	Language string
	// Groups are the groups that the platform says the person belongs to,
	// written as in [ask.Request.Responders].
	Groups []string
	// Bot marks those who may never answer.
	Bot bool
	// Membership is how the person belongs to the installation that was asked, as
	// far as the platform knows without asking anybody. "anyone" lets only an
	// [ask.Member] pass, and nobody passes while it is [ask.Unknown], except the
	// person whom a direct message was sent to. A platform that learns the rest by
	// a look-up gives [ask.Insider] and is a [MembershipFinder].
	Membership ask.Membership
	// Token is the control or form that was used.
	Token render.Token
	// Message is where it was used; zero when the platform does not say.
	Message MessageRef
	// Said is a message that the person typed in place of using a control; nil for a
	// control. Token, Picks and Texts are empty then, and Message is the message itself.
	Said *Said
	// Picks holds the options selected on the surface when the person acted,
	// for each question shown there with lists; nil when there are none.
	Picks map[int][]int
	// Texts holds what was typed into a submitted form, by question.
	Texts map[int]string
	// Notes holds what was written there beside answers, by question.
	Notes map[int]string
	// Chosen is the person whom they chose in a submitted form that asks for one, with what
	// the platform tells of that person; nil for nobody.
	Chosen *ask.Responder
	// Opened is the Order of the act that opened the submitted form; zero when the
	// platform does not say.
	Opened int64
}

// Said is what a person typed, or did with what they had typed. The platform has checked
// that it is a person of ours, and taken its own signs off the text: escapes, and the
// bot's name in front of it.
type Said struct {
	// To is the message that it replies to, such as a card or the first of a thread;
	// empty for none.
	To string
	// Text is what it says.
	Text string
	// At is when the person wrote that, by the platform's own clock; zero where it does not say.
	At time.Time
	// Addressed tells that it is meant for the bot: it names the bot, replies to it, or
	// is a direct message.
	Addressed bool
	// Edited tells that it said something else before; Deleted that it is gone, or is said
	// to the bot no more, where the person need not be known.
	Edited, Deleted bool
	// Withheld tells that the platform keeps what it says from the bot.
	Withheld bool
}

// Hearer is a Platform that hears what people type. Its responders to an interaction with
// a [Said] implement [Announcer].
type Hearer interface {
	// Hears returns nil, or why typed messages do not arrive, in words for whoever asks.
	// It does no I/O.
	Hears() error
}

// Dater is a [Hearer] that tells when a message was written, so that no message means a card below it.
type Dater interface {
	// Written returns when a message was written first, by the platform's own clock; zero where its id
	// does not tell.
	Written(message string) time.Time
}

// Announcer is a [Responder] that can say something below a message, for all who read
// there. It rings nobody.
type Announcer interface {
	Announce(ctx context.Context, text string) error
}

// act returns what the person did. It reports false for a control that only
// changes what they see; then the action has no kind.
func (i Interaction) act() (record.Act, bool) {
	action, ok := i.Token.Action(i.Picks, i.Texts)
	action.Notes = i.Notes
	action.Since = i.Opened
	if i.Chosen != nil {
		action.To = *i.Chosen
	}
	by := ask.Responder{Person: i.Person, Groups: i.Groups, Membership: i.Membership, Bot: i.Bot}
	return record.Act{ID: i.ID, Order: i.Order, Message: i.Message, By: by, Action: action}, ok
}
