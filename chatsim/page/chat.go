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

// Chat is one platform's double as the page shows it. Use Slack or Discord to create one.
type Chat interface {
	// Platform returns the platform's name, which also selects the script that draws it:
	// "slack" or "discord".
	Platform() string
	// People lists the people one can act as, in the order of the switcher.
	People() []Person
	// Snapshot returns everything one person's client displays, ready to encode as JSON.
	Snapshot(person string) any
	// Watch returns a channel that is closed at the next change of a Snapshot.
	Watch() <-chan struct{}
	// Timeline returns the events so far.
	Timeline() *chatsim.Timeline
	// Ledger returns the broken rules.
	Ledger() *chatsim.Ledger
	// Traffic returns the recorded traffic between the program and the platform.
	Traffic() *chatsim.Traffic
	// Message returns the platform's data of a message, ready to encode as JSON; nil if it does
	// not exist.
	Message(id string) any
	// ReadText returns the displayed text of the platform's markup.
	ReadText(markup string) string
	// Fault makes the next matching call fail, ClearFaults removes the pending faults, and
	// WaitingFaults lists them.
	Fault(target string, f chatsim.Fault)
	ClearFaults()
	WaitingFaults() []string
	// Sockets returns the number of open connections of the program; DropSockets closes them.
	Sockets() int
	DropSockets()
	// Seat returns the seat of any person, restricted to a channel or a message if given.
	Seat(person, channel, message string) chatsim.Seat
	// Everybody lists all accounts that are not bots.
	Everybody() []Person
	// State returns the platform's people, channels and settings.
	State() State
	// PutPerson, PutChannel and PutRole add an entity or change the one with its id, and return
	// the id.
	PutPerson(p Account) (string, error)
	PutChannel(c Channel) (string, error)
	PutRole(r Role) (string, error)
	// Deliver sets the URL that this kind of delivery is posted to; "" sends it over the
	// program's own connection.
	Deliver(ctx context.Context, kind, url string) error
	// Now returns the platform's time, Advance moves it forward, and Reset restores the initial
	// state.
	Now() time.Time
	Advance(d time.Duration)
	Reset()
	// Files lists the uploaded files.
	Files() []chatsim.File
	// Coverage lists which parts of the platform the double implements.
	Coverage() chatsim.Coverage
	// Act performs a person's action through their seat. It returns when the result is known.
	Act(ctx context.Context, a Action) error
}

// traffic is the number of exchanges kept per platform.
const traffic = 500

// Person is a person one can act as.
type Person struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Action is one action of a person.
type Action struct {
	Platform string            `json:"platform"`
	Person   string            `json:"person"`
	Do       Verb              `json:"do"`
	Channel  string            `json:"channel,omitempty"` // the channel of the message
	Message  string            `json:"message,omitempty"` // the message with the control; "" for the open form
	Control  string            `json:"control,omitempty"` // the name that a seat uses
	Under    []string          `json:"under,omitempty"`   // texts above the control, if its name is ambiguous
	Text     string            `json:"text,omitempty"`    // the text of a message
	Option   string            `json:"option,omitempty"`  // the option to pick
	Options  []string          `json:"options,omitempty"` // the options to select
	File     *Upload           `json:"file,omitempty"`    // the file to choose
	Fields   map[string]string `json:"fields,omitempty"`  // texts to fill in first, by control
}

// Upload is a chosen file; its content is base64 in JSON.
type Upload struct {
	Name    string `json:"name"`
	Content []byte `json:"content"`
}

// Verb is the kind of an action.
type Verb string

// The kinds of actions.
const (
	Press      Verb = "press"       // press a button
	Pick       Verb = "pick"        // change a selection
	Fill       Verb = "fill"        // only fill in the fields
	Submit     Verb = "submit"      // submit the open form
	Dismiss    Verb = "dismiss"     // close the open form
	DismissAll Verb = "dismiss all" // close all stacked forms
	PickAll    Verb = "pick all"    // change several selections that a menu sends together
	Say        Verb = "say"         // write a message, as a reply if a message is given
	Attach     Verb = "attach"      // choose a file for a field of the open form; Discord
	Vote       Verb = "vote"        // toggle a vote in the poll of a message; Discord
	OpenHome   Verb = "open home"   // open the app's Home tab; Slack
	Command    Verb = "command"     // run a command of the app: with the fields as its options on Discord, with the text as its argument on Slack
)

// errVerb means that the platform does not support an action.
var errVerb = errors.New("the platform does not support this action")

// act performs the actions that every platform supports.
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

// outcome returns a result code for an action, and a message for the person if the chat does
// not show the result.
func outcome(err error) (code, message string) {
	switch {
	case err == nil:
		return "done", ""
	case errors.Is(err, chatsim.ErrUnacknowledged):
		return "unacknowledged", ""
	case errors.Is(err, chatsim.ErrFormRejected):
		return "rejected", ""
	case errors.Is(err, chatsim.ErrNotThere):
		return "gone", "This is no longer available."
	default:
		return "failed", fmt.Sprintf("Failed: %v", err)
	}
}
