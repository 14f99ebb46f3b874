package page

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/askbridge/askbridge/chatsim"
)

// Control is something that a host lets one do to its program from the page.
type Control struct {
	Name  string `json:"name"`
	Label string `json:"label"`
	About string `json:"about"`
	// Do does it and says in a sentence what came of it.
	Do func(ctx context.Context) (string, error) `json:"-"`
}

// fault is something that goes wrong on a platform when a button is pressed.
type fault struct {
	Name  string `json:"name"`
	Label string `json:"label"`
	About string `json:"about"`

	calls bool // it meets a call of the app, and else what a person does
	what  chatsim.Fault
}

// faultRetry is how long a rate-limited call is told to wait.
const faultRetry = 5 * time.Second

// faults are those of every platform.
var faults = []fault{
	{"rate", "Rate limit", "The app's next call is told to come back in 5 seconds.", true, chatsim.RateLimit(faultRetry)},
	{"error", "Server error", "The app's next call is answered with 503, and nothing is done.", true, chatsim.Status(http.StatusServiceUnavailable)},
	{"lost", "Lost reply", "The app's next call is done, and the connection breaks before the answer.", true, chatsim.LoseReply()},
	{"slow", "Slow answer", "The app's next call is answered 4 seconds later.", true, chatsim.Delay(4 * time.Second)},
	{"twice", "Double delivery", "What somebody does next reaches the app two times at once.", false, chatsim.Twice()},
	{"drop", "Lost press", "What somebody does next never reaches the app.", false, chatsim.Drop()},
	{"deaf", "Lost acknowledgement", "The app does not get to acknowledge what somebody does next.", false, chatsim.LoseReply()},
}

// socketFault breaks the connections that the app holds open.
const socketFault = "sockets"

// troubles tells what can go wrong where, and what waits for its moment.
func (h *handler) troubles(w http.ResponseWriter, _ *http.Request) {
	type platform struct {
		Platform string   `json:"platform"`
		Waiting  []string `json:"waiting"`
		Sockets  int      `json:"sockets"`
	}
	out := struct {
		Faults    []fault    `json:"faults"`
		Platforms []platform `json:"platforms"`
		Controls  []Control  `json:"controls"`
	}{Faults: faults, Controls: append([]Control{}, h.opts.Controls...)}
	for _, c := range h.chats {
		out.Platforms = append(out.Platforms, platform{c.Platform(), c.WaitingFaults(), c.Sockets()})
	}
	writeJSON(w, out)
}

// trouble makes something go wrong: a fault on a platform, the end of all waiting faults there, or a control of the
// host.
func (h *handler) trouble(w http.ResponseWriter, r *http.Request) {
	var want struct{ Platform, Fault, Control string }
	if !readAction(w, r, &want) {
		return
	}
	c := h.chat(want.Platform)
	i := slices.IndexFunc(faults, func(f fault) bool { return f.Name == want.Fault })
	n := slices.IndexFunc(h.opts.Controls, func(c Control) bool { return c.Name == want.Control })
	says := ""
	switch {
	case n >= 0 && want.Control != "":
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), actTime)
		defer cancel()
		var err error
		if says, err = h.opts.Controls[n].Do(ctx); err != nil {
			says = fmt.Sprintf("That did not work: %v", err)
		}
	case c != nil && want.Fault == "clear":
		c.ClearFaults()
	case c != nil && want.Fault == socketFault:
		c.DropSockets()
	case c != nil && i >= 0:
		target := chatsim.Any
		if !faults[i].calls {
			target = interactions
		}
		c.Fault(target, faults[i].what)
	default:
		http.Error(w, "There is no such platform, fault or control.", http.StatusNotFound)
		return
	}
	writeJSON(w, map[string]string{"says": says})
}

// interactions is what both doubles call whatever people do, as the target of a fault.
const interactions = "interactions"

// readAction reads the JSON that the page posts, and answers where it is none.
func readAction(w http.ResponseWriter, r *http.Request, into any) bool {
	if !isJSON(r) {
		http.Error(w, "An action is application/json.", http.StatusUnsupportedMediaType)
		return false
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxAction)).Decode(into); err != nil {
		http.Error(w, "An action is a JSON object of at most 256 KiB.", http.StatusBadRequest)
		return false
	}
	return true
}
