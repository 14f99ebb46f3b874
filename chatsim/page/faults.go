package page

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/askbridge/askbridge/chatsim"
)

// Control is an operation on the host's program that the page offers.
type Control struct {
	Name  string `json:"name"`
	Label string `json:"label"`
	About string `json:"about"`
	// Skip means that the operation moves the program's clock. The page shows it next to the requests and not among the faults.
	Skip bool `json:"-"`
	// Step is the equivalent line of a scene; "" if there is none.
	Step string `json:"-"`
	// Do performs the operation and describes the result in a sentence.
	Do func(ctx context.Context) (string, error) `json:"-"`
}

// fault is an injectable failure of a platform.
type fault struct {
	Name  string `json:"name"`
	Label string `json:"label"`
	About string `json:"about"`
	// Button means that the fault needs no parameters, so the page has a button for it.
	Button bool `json:"button"`

	calls bool // applies to a call of the app instead of an interaction
	make  func(faultWanted) chatsim.Fault
}

// faultWanted is a fault request of the control API.
type faultWanted struct {
	Platform string
	Fault    string
	Control  string  // a host control instead of a fault
	Target   string  // a method, a route or a kind of interaction; by default the next call
	Times    int     // number of repetitions: 1 by default, -1 for always
	Seconds  float64 // for a rate limit and a delay
	Status   int     // for a server error
	Word     string  // for a refusal: the platform's error code
}

// pause returns the duration of the fault.
func (w faultWanted) pause(otherwise time.Duration) time.Duration {
	if w.Seconds > 0 {
		return time.Duration(w.Seconds * float64(time.Second))
	}
	return otherwise
}

const (
	// faultRetry is the default retry delay of a rate limit.
	faultRetry = 5 * time.Second
	// faultDelay is the default delay of a response.
	faultDelay = 4 * time.Second
)

// faults are the faults of every platform.
var faults = []fault{
	{"rate", "Rate limit", "The app's next call is rejected with a retry time of 5 seconds.", true, true, func(w faultWanted) chatsim.Fault {
		return chatsim.RateLimit(w.pause(faultRetry))
	}},
	{"error", "Server error", "The app's next call fails with status 503 and has no effect.", true, true, func(w faultWanted) chatsim.Fault {
		return chatsim.Status(cmp.Or(w.Status, http.StatusServiceUnavailable))
	}},
	{"lost", "Lost reply", "The app's next call takes effect, but the connection breaks before the response.", true, true, func(faultWanted) chatsim.Fault {
		return chatsim.LoseReply()
	}},
	{"slow", "Slow answer", "The response to the app's next call is delayed by 4 seconds.", true, true, func(w faultWanted) chatsim.Fault {
		return chatsim.Delay(w.pause(faultDelay))
	}},
	{"hang", "No answer", "The app's next call gets no response.", false, true, func(faultWanted) chatsim.Fault { return chatsim.Hang() }},
	{"refuse", "Refusal", "The app's next call fails with an error code of the platform.", false, true, func(w faultWanted) chatsim.Fault {
		return chatsim.Refuse(w.Word)
	}},
	{"twice", "Double delivery", "The next interaction is delivered twice at the same time.", true, false, func(faultWanted) chatsim.Fault {
		return chatsim.Twice()
	}},
	{"drop", "Lost press", "The next interaction is never delivered.", true, false, func(faultWanted) chatsim.Fault { return chatsim.Drop() }},
	{"deaf", "Lost acknowledgement", "The acknowledgement of the next interaction is lost.", true, false, func(faultWanted) chatsim.Fault {
		return chatsim.LoseReply()
	}},
}

// socketFault closes the app's open connections.
const socketFault = "sockets"

// faults lists the available and the pending faults.
func (h *handler) faults(w http.ResponseWriter, _ *http.Request) {
	type platform struct {
		Platform string   `json:"platform"`
		Waiting  []string `json:"waiting"`
		Sockets  int      `json:"sockets"`
	}
	out := struct {
		Faults    []fault    `json:"faults"`
		Platforms []platform `json:"platforms"`
		Controls  []Control  `json:"controls"`
	}{Faults: faults, Platforms: []platform{}, Controls: append([]Control{}, h.controls(false)...)}
	for _, c := range h.chats {
		out.Platforms = append(out.Platforms, platform{c.Platform(), worded(c.WaitingFaults()), c.Sockets()})
	}
	writeJSON(w, out)
}

// worded describes pending faults with the page's labels, and with their target if they have
// one.
func worded(waiting []string) []string {
	out := []string{}
	for _, cue := range waiting {
		name, target, _ := strings.Cut(cue, " at ")
		for _, f := range faults {
			if own := f.target(faultWanted{}); f.make(faultWanted{}).Name() == name && (own == target || f.calls && target != interactions) {
				cue = f.Label
				if own != target {
					cue += " at " + target
				}
				break
			}
		}
		out = append(out, cue)
	}
	return out
}

// fault injects a fault on a platform, or runs a control of the host.
func (h *handler) fault(w http.ResponseWriter, r *http.Request) {
	var want faultWanted
	if !readAction(w, r, &want) {
		return
	}
	c := h.chat(want.Platform)
	i := slices.IndexFunc(faults, func(f fault) bool { return f.Name == want.Fault })
	n := slices.IndexFunc(h.opts.Controls, func(c Control) bool { return c.Name == want.Control })
	message := ""
	switch {
	case want.Status != 0 && (want.Status < 400 || want.Status > 599):
		http.Error(w, "status must be an HTTP error status from 400 to 599.", http.StatusBadRequest)
		return
	case n >= 0 && want.Control != "":
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), actTime)
		defer cancel()
		h.note(cmp.Or(h.opts.Controls[n].Step, fmt.Sprintf("# %s. A scene has no such step.", h.opts.Controls[n].Label)))
		var err error
		if message, err = h.opts.Controls[n].Do(ctx); err != nil {
			message = fmt.Sprintf("Failed: %v", err)
		}
	case c != nil && want.Fault == socketFault:
		c.DropSockets()
	case c != nil && i >= 0:
		c.Fault(faults[i].target(want), faults[i].wanted(want))
	default:
		http.Error(w, "No such platform, fault or control.", http.StatusNotFound)
		return
	}
	writeJSON(w, map[string]string{"says": message})
}

// target returns the target of a fault.
func (f fault) target(w faultWanted) string {
	switch {
	case w.Target != "":
		return w.Target
	case f.calls:
		return chatsim.Any
	default:
		return interactions
	}
}

// wanted returns the fault with the requested repetitions.
func (f fault) wanted(w faultWanted) chatsim.Fault {
	made := f.make(w)
	switch {
	case w.Times < 0:
		return made.Always()
	case w.Times > 0:
		return made.Times(w.Times)
	default:
		return made
	}
}

// controls returns the controls that skip ahead, or the others.
func (h *handler) controls(skip bool) []Control {
	return slices.DeleteFunc(slices.Clone(h.opts.Controls), func(c Control) bool { return c.Skip != skip })
}

// clearFaults removes the pending faults of one platform, or of all.
func (h *handler) clearFaults(w http.ResponseWriter, r *http.Request) {
	platform := r.URL.Query().Get("platform")
	if platform != "" && h.chat(platform) == nil {
		http.Error(w, "No such platform.", http.StatusNotFound)
		return
	}
	for _, c := range h.chats {
		if platform == "" || c.Platform() == platform {
			c.ClearFaults()
		}
	}
	writeJSON(w, map[string]string{"says": ""})
}

// interactions is both doubles' fault target for all interactions.
const interactions = "interactions"

// readAction parses the JSON of a request, or responds with an error.
func readAction(w http.ResponseWriter, r *http.Request, into any) bool {
	if !isJSON(r) {
		http.Error(w, "The Content-Type must be application/json.", http.StatusUnsupportedMediaType)
		return false
	}
	body := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxAction))
	body.DisallowUnknownFields()
	err := body.Decode(into)
	if err == nil {
		return true
	}
	message := "The body must be a JSON object of at most 256 KiB."
	if name, isUnknown := strings.CutPrefix(err.Error(), "json: unknown field "); isUnknown {
		message = "Unknown member " + name + "; GET api/openapi.json lists the members."
	}
	http.Error(w, message, http.StatusBadRequest)
	return false
}
