package page

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/askbridge/askbridge/chatsim"
)

// Chat is one platform's double as the page shows it. Slack and Discord make one.
type Chat interface {
	// Platform names what is doubled, and with it the script that draws it: "slack" or "discord".
	Platform() string
	// People are those whose place one can take, in the order of the switch.
	People() []Person
	// Snapshot returns all that one person's client shows, ready for JSON.
	Snapshot(person string) any
	// Watch returns a channel that is closed at the next change of anything a Snapshot shows.
	Watch() <-chan struct{}
	// Timeline tells what happened so far.
	Timeline() *chatsim.Timeline
	// Ledger holds the rules that were broken.
	Ledger() *chatsim.Ledger
	// Traffic holds what crossed between the program and the platform.
	Traffic() *chatsim.Traffic
	// Message returns what the platform holds of a message, ready for JSON; nil when there is none.
	Message(id string) any
	// ReadText is what a text in the platform's markup reads like.
	ReadText(markup string) string
	// Fault makes the next matching call go wrong, ClearFaults forgets those that wait, and WaitingFaults names them.
	Fault(target string, f chatsim.Fault)
	ClearFaults()
	WaitingFaults() []string
	// Sockets counts the connections that the program holds open; DropSockets breaks them.
	Sockets() int
	DropSockets()
	// Seat takes the place of anybody in front of the platform, of one channel or one message of it where those are named.
	Seat(person, channel, message string) chatsim.Seat
	// Everybody lists all people with an account who are no bots.
	Everybody() []Person
	// State tells what there is.
	State() State
	// PutPerson, PutChannel and PutRole add something to the platform or change what has this id, and return the id.
	PutPerson(p Account) (string, error)
	PutChannel(c Channel) (string, error)
	PutRole(r Role) (string, error)
	// Deliver says where things of this kind are posted; "" sends them over the program's own connection.
	Deliver(ctx context.Context, kind, url string) error
	// Now is the platform's time, Advance puts it forward, and Reset makes the platform what it was at first.
	Now() time.Time
	Advance(d time.Duration)
	Reset()
	// Files lists what was uploaded to the platform.
	Files() []chatsim.File
	// Coverage says how much of the platform the double knows.
	Coverage() chatsim.Coverage
	// Act does what a person does, through their seat. It returns when the platform knows how it went.
	Act(ctx context.Context, a Action) error
}

// traffic is how many exchanges are kept for each platform.
const traffic = 500

// Person is somebody whose place one can take.
type Person struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Action is one thing a person does.
type Action struct {
	Platform string            `json:"platform"`
	Person   string            `json:"person"`
	Do       Verb              `json:"do"`
	Channel  string            `json:"channel,omitempty"` // where the message is
	Message  string            `json:"message,omitempty"` // the message the control is on; "" for the open form
	Control  string            `json:"control,omitempty"` // as a seat names it
	Under    []string          `json:"under,omitempty"`   // texts that stand over the control, where several have its name
	Text     string            `json:"text,omitempty"`    // what to say
	Option   string            `json:"option,omitempty"`  // which option to pick
	Options  []string          `json:"options,omitempty"` // which options are to be the chosen ones
	File     *Upload           `json:"file,omitempty"`    // which file to choose
	Fields   map[string]string `json:"fields,omitempty"`  // text to fill in before anything else, by control
}

// Upload is a file that somebody chooses; its content is base64 in JSON.
type Upload struct {
	Name    string `json:"name"`
	Content []byte `json:"content"`
}

// Verb says what is done.
type Verb string

// What a person can do.
const (
	Press      Verb = "press"       // use a button
	Pick       Verb = "pick"        // change a choice
	Fill       Verb = "fill"        // only fill in the fields
	Submit     Verb = "submit"      // send the open form
	Dismiss    Verb = "dismiss"     // close the open form
	DismissAll Verb = "dismiss all" // close every open form, where forms stand above each other
	PickAll    Verb = "pick all"    // change several choices at once, where a menu sends them together
	Say        Verb = "say"         // write a message, in reply to another one where that is named
	Attach     Verb = "attach"      // choose a file for a field of the open form; Discord
	Vote       Verb = "vote"        // vote in the poll of a message, or take the vote back; Discord
	OpenHome   Verb = "open home"   // look at the app's Home tab; Slack
	Command    Verb = "command"     // use a command of the app: with the fields as its options on Discord, with the text behind it on Slack
)

// errVerb means that a request names something nobody can do.
var errVerb = errors.New("nobody can do that on this platform")

// act does what people can do on every platform.
func act(ctx context.Context, seat chatsim.Seat, a Action) error {
	for _, control := range slices.Sorted(maps.Keys(a.Fields)) {
		if err := seat.Fill(ctx, control, a.Fields[control]); err != nil {
			return err
		}
	}
	switch a.Do {
	case Press:
		return seat.Press(ctx, a.Control, a.Under...)
	case Pick:
		return seat.Pick(ctx, a.Control, a.Option)
	case Fill:
		return nil
	case Submit:
		return seat.Submit(ctx)
	case Dismiss:
		return seat.Dismiss(ctx)
	default:
		return fmt.Errorf("page: %q: %w", a.Do, errVerb)
	}
}

// outcome is one word for how an action went, and what to tell the person where the chat itself does not show it.
func outcome(err error) (word, says string) {
	switch {
	case err == nil:
		return "done", ""
	case errors.Is(err, chatsim.ErrUnacknowledged):
		return "unacknowledged", ""
	case errors.Is(err, chatsim.ErrFormRejected):
		return "rejected", ""
	case errors.Is(err, chatsim.ErrNotThere):
		return "gone", "That is no longer there."
	default:
		return "failed", fmt.Sprintf("That did not work: %v", err)
	}
}
