package platform

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/render"
)

// Finder is a Platform that can search for a card if the reply to its post was
// lost.
type Finder interface {
	// Find returns the cards of a request in a place that were posted at or after
	// since, by the store's clock, oldest first. An error means that the search was
	// impossible.
	Find(ctx context.Context, to ask.Place, requestID string, since time.Time) ([]MessageRef, error)
}

// Mentioner is a Platform that reports who was not notified of a new card.
type Mentioner interface {
	// PostMentioning is Post. It also returns the entries of [render.Card.Tells] that the
	// message cannot notify, as far as the platform reports it, and why.
	PostMentioning(ctx context.Context, to ask.Place, c render.Card) (MessageRef, []Missed, error)
}

// Reminder is a Platform that can post reminders below a card.
type Reminder interface {
	// Remind posts a message below a card that notifies [render.Card.Tells], and returns
	// it. Step distinguishes it from other reminders below the same card. When the request
	// ends, the bridge replaces the message with [Platform.Update].
	Remind(ctx context.Context, to ask.Place, ref MessageRef, c render.Card, step int) (MessageRef, error)
	// Reminded returns the reminder of that step if it exists and was posted at or after
	// since, by the store's clock, or else the zero reference. An error means that the
	// search was impossible.
	Reminded(ctx context.Context, to ask.Place, ref MessageRef, step int, since time.Time) (MessageRef, error)
}

// Attacher is a Platform that can upload files below a card.
type Attacher interface {
	// Attach uploads files below a card in one message that notifies no one.
	Attach(ctx context.Context, to ask.Place, ref MessageRef, up Upload) error
	// Attached reports whether that message exists. An error means that the search was
	// impossible.
	Attached(ctx context.Context, to ask.Place, ref MessageRef, up Upload) (bool, error)
}

// Upload is a message with files below a card.
type Upload struct {
	// Request and Code are the request's ID and short code.
	Request, Code string
	// Text is the text of the message. It contains the code and the digest of each file.
	// Names and digests are in backticks; the rest contains no markup.
	Text  string
	Files []ask.File
}

// NamedIn reports whether a text contains the digest of every file, as Text does.
func (up Upload) NamedIn(text string) bool {
	return !slices.ContainsFunc(up.Files, func(f ask.File) bool { return !strings.Contains(text, f.Attachment().SHA256) })
}

// Linker is a Platform whose messages have addresses.
type Linker interface {
	// Permalink returns the https address that opens a posted message, or "" if it is
	// unknown. It makes at most one short call per channel and caches the result, so that
	// showing a request costs no call.
	Permalink(ctx context.Context, to ask.Place, ref MessageRef) string
}

// PlaceNamer is a Platform that knows the names of its channels and people.
type PlaceNamer interface {
	// PlaceName returns the name of the channel of a place, such as "#deploys", or of its person, such as
	// "Dana"; "" while it is unknown. It does not wait for the platform: it may look up in the background
	// what it does not know, so that it knows it the next time.
	PlaceName(ctx context.Context, at ask.Place) string
}

// Replier is a Platform that can post the outcome below a card that can no longer
// be edited.
type Replier interface {
	// Reply posts below a card. A card inside a thread has no thread of its own.
	Reply(ctx context.Context, to ask.Place, ref MessageRef, c render.Card) error
}

// Readier is a Platform that knows whether it is connected.
type Readier interface {
	// Ready returns an error if the platform can neither receive interactions nor
	// post. It does no I/O.
	Ready() error
}

// Checker is a Platform that can verify its credentials.
type Checker interface {
	// Check asks the platform whether the credentials are valid, in one or two cheap
	// calls, and updates the result of Ready. It returns nil or an [*Error].
	//
	// The bridge calls it after a call failed with [Misconfigured], at most once in 15
	// seconds, since that error may concern a single place; and repeatedly while Check
	// or Ready return an error of that kind, with pauses of one to eight seconds, or as
	// long as a [RateLimited] error demands. So Check must call the platform each time,
	// even if the connector rejects other calls while its credentials are invalid.
	Check(ctx context.Context) error
}

// Namer is a Platform whose interactions may lack the person's display name.
type Namer interface {
	// NameOf returns the display name of a person, or "" if it is unknown. The bridge
	// calls it after an interaction, for cards on other platforms.
	NameOf(ctx context.Context, p ask.Person) string
}

// Grouper is a Platform with groups of people, written in
// [ask.Request.Responders] as "<prefix>:<id>". CheckResponder also receives these
// entries.
type Grouper interface {
	// Prefixes returns the prefixes of group entries, such as "discord-role".
	Prefixes() []string
}

// GroupFinder is a Grouper whose interactions do not contain the person's groups.
type GroupFinder interface {
	Grouper
	// GroupsOf returns the groups in among to which the person belongs. It leaves out
	// groups that it cannot look up and returns the reason as an error.
	GroupsOf(ctx context.Context, p ask.Person, among []string) ([]string, error)
}

// InstallationFinder is a Platform whose message references do not name their installation.
type InstallationFinder interface {
	// InstallationOf returns the installation that a card belongs to, or "" if that is unknown. ref is
	// zero for a card that is not posted.
	InstallationOf(to ask.Place, ref MessageRef) string
}

// ThreadFinder is a Platform whose threads are channels of their own, so the thread
// of a place may belong to another channel than the place's.
type ThreadFinder interface {
	// ParentOf returns the ID of the channel to which a thread belongs. It may cache
	// the result, since a thread never moves. An error of kind [Unreachable] means that
	// the ID is not a thread's.
	ParentOf(ctx context.Context, thread string) (channel string, err error)
}

// MembershipFinder is a Platform whose interactions do not always contain the
// person's membership of the installation.
type MembershipFinder interface {
	// MembershipOf returns the person's membership. The bridge calls it before it
	// replies to the person, and only if the result decides whether they may answer, so
	// it should cache. An error means that the membership is unknown for now.
	MembershipOf(ctx context.Context, i Interaction) (ask.Membership, error)
}

// MessageReceiver is a Platform that receives typed messages. Its responders to an
// interaction with a [TypedMessage] implement [Announcer].
type MessageReceiver interface {
	// ReceivesMessages returns an error that explains to the caller why typed messages do not
	// arrive, or nil. It does no I/O.
	ReceivesMessages() error
}

// MessageDater is a [MessageReceiver] that knows when a message was written, so that a message
// cannot answer a card that was posted after it.
type MessageDater interface {
	// SentAt returns when a message was first sent, by the platform's clock. It
	// returns the zero time if the message ID does not contain a time.
	SentAt(message string) time.Time
}

// StatusShower is a Platform whose threads can show whether the agent there works or waits.
type StatusShower interface {
	// ShowsStatus reports whether this is switched on. It does no I/O.
	ShowsStatus() bool
	// ShowWaiting shows in a thread that the agent waits for people, or that it does not any
	// more. An [*Error] of another kind than [Transient], [Ambiguous] and [RateLimited] means
	// that a retry would fail too.
	ShowWaiting(ctx context.Context, thread ask.Place, waiting bool) error
}

// Rate is a rate limit: one event per Every, with bursts of up to Burst events. The
// zero value is no limit.
type Rate struct {
	Every time.Duration
	Burst int
}

// Pace is how fast a platform accepts new cards.
type Pace struct {
	// Channel limits each channel, All the whole connection.
	Channel, All Rate
}

// Pacer is a Platform that declares how fast it accepts new cards, so that the
// bridge queues bursts of requests instead of having them rejected.
type Pacer interface {
	Pace() Pace
}

// Digester is a Platform that can post digests and delete them when the next one replaces them.
type Digester interface {
	// PostDigest is Post to exactly this place: a message for one person is never posted
	// anywhere else.
	PostDigest(ctx context.Context, to ask.Place, c render.Card) (MessageRef, error)
	// DeleteDigest deletes one.
	DeleteDigest(ctx context.Context, ref MessageRef) error
}

// ZoneFinder is a Platform that knows the time zones of people.
type ZoneFinder interface {
	// ZoneOf returns the person of a direct message, as interactions name them, and their
	// IANA time zone. The zone is "" if it cannot be looked up. It caches.
	ZoneOf(ctx context.Context, to ask.Place) (p ask.Person, zone string, err error)
}
