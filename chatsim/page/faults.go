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

// Control is something that a host lets one do to its program from the page.
type Control struct {
	Name  string `json:"name"`
	Label string `json:"label"`
	About string `json:"about"`
	// Step is the line of a scene that does the same; "" where there is none.
	Step string `json:"-"`
	// Do does it and says in a sentence what came of it.
	Do func(ctx context.Context) (string, error) `json:"-"`
}

// fault is something that can go wrong on a platform.
type fault struct {
	Name  string `json:"name"`
	Label string `json:"label"`
	About string `json:"about"`
	// Button says that it needs nothing more to be said, and so the page has a button for it.
	Button bool `json:"button"`

	calls bool // it meets a call of the app, and else what a person does
	make  func(faultWanted) chatsim.Fault
}

// faultWanted is what a call of the control API says about a fault.
type faultWanted struct {
	Platform string
	Fault    string
	Control  string  // of the host, in place of a fault
	Target   string  // a method, a route or a kind of interaction; whatever comes next unless set
	Times    int     // how often it happens: once unless set, and -1 for always
	Seconds  float64 // for a rate limit and a slow answer
	Status   int     // for a server error
	Word     string  // for a refusal: the platform's word or code
}

// pause is how long the fault is to take.
func (w faultWanted) pause(otherwise time.Duration) time.Duration {
	if w.Seconds > 0 {
		return time.Duration(w.Seconds * float64(time.Second))
	}
	return otherwise
}

const (
	// faultRetry is how long a rate-limited call is told to wait.
	faultRetry = 5 * time.Second
	// faultDelay is how late a slow answer comes.
	faultDelay = 4 * time.Second
)

// faults are those of every platform.
var faults = []fault{
	{"rate", "Rate limit", "The app's next call is told to come back in 5 seconds.", true, true, func(w faultWanted) chatsim.Fault {
		return chatsim.RateLimit(w.pause(faultRetry))
	}},
	{"error", "Server error", "The app's next call is answered with 503, and nothing is done.", true, true, func(w faultWanted) chatsim.Fault {
		return chatsim.Status(cmp.Or(w.Status, http.StatusServiceUnavailable))
	}},
	{"lost", "Lost reply", "The app's next call is done, and the connection breaks before the answer.", true, true, func(faultWanted) chatsim.Fault {
		return chatsim.LoseReply()
	}},
	{"slow", "Slow answer", "The app's next call is answered 4 seconds later.", true, true, func(w faultWanted) chatsim.Fault {
		return chatsim.Delay(w.pause(faultDelay))
	}},
	{"hang", "No answer", "The app's next call is never answered.", false, true, func(faultWanted) chatsim.Fault { return chatsim.Hang() }},
	{"refuse", "Refusal", "The app's next call is refused with a word or code of the platform.", false, true, func(w faultWanted) chatsim.Fault {
		return chatsim.Refuse(w.Word)
	}},
	{"twice", "Double delivery", "What somebody does next reaches the app two times at once.", true, false, func(faultWanted) chatsim.Fault {
		return chatsim.Twice()
	}},
	{"drop", "Lost press", "What somebody does next never reaches the app.", true, false, func(faultWanted) chatsim.Fault { return chatsim.Drop() }},
	{"deaf", "Lost acknowledgement", "The app does not get to acknowledge what somebody does next.", true, false, func(faultWanted) chatsim.Fault {
		return chatsim.LoseReply()
	}},
}

// socketFault breaks the connections that the app holds open.
const socketFault = "sockets"

// faults tells what can go wrong where, and what waits for its moment.
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
	}{Faults: faults, Platforms: []platform{}, Controls: append([]Control{}, h.opts.Controls...)}
	for _, c := range h.chats {
		out.Platforms = append(out.Platforms, platform{c.Platform(), worded(c.WaitingFaults()), c.Sockets()})
	}
	writeJSON(w, out)
}

// worded tells faults that wait by what the page calls them, with their target where they have one of their own.
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

// fault makes something go wrong: a fault on a platform, or a control of the host.
func (h *handler) fault(w http.ResponseWriter, r *http.Request) {
	var want faultWanted
	if !readAction(w, r, &want) {
		return
	}
	c := h.chat(want.Platform)
	i := slices.IndexFunc(faults, func(f fault) bool { return f.Name == want.Fault })
	n := slices.IndexFunc(h.opts.Controls, func(c Control) bool { return c.Name == want.Control })
	says := ""
	switch {
	case want.Status != 0 && (want.Status < 400 || want.Status > 599):
		http.Error(w, "status is that of a failure, from 400 to 599.", http.StatusBadRequest)
		return
	case n >= 0 && want.Control != "":
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), actTime)
		defer cancel()
		h.note(cmp.Or(h.opts.Controls[n].Step, fmt.Sprintf("# %s. A scene has no such step.", h.opts.Controls[n].Label)))
		var err error
		if says, err = h.opts.Controls[n].Do(ctx); err != nil {
			says = fmt.Sprintf("That did not work: %v", err)
		}
	case c != nil && want.Fault == socketFault:
		c.DropSockets()
	case c != nil && i >= 0:
		c.Fault(faults[i].target(want), faults[i].wanted(want))
	default:
		http.Error(w, "There is no such platform, fault or control.", http.StatusNotFound)
		return
	}
	writeJSON(w, map[string]string{"says": says})
}

// target is what a fault meets.
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

// wanted is the fault, as often as it is wanted.
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

// clearFaults forgets what waits on one platform, or on all.
func (h *handler) clearFaults(w http.ResponseWriter, r *http.Request) {
	platform := r.URL.Query().Get("platform")
	if platform != "" && h.chat(platform) == nil {
		http.Error(w, "There is no such platform.", http.StatusNotFound)
		return
	}
	for _, c := range h.chats {
		if platform == "" || c.Platform() == platform {
			c.ClearFaults()
		}
	}
	writeJSON(w, map[string]string{"says": ""})
}

// interactions is what both doubles call whatever people do, as the target of a fault.
const interactions = "interactions"

// readAction reads the JSON that the page posts, and answers where it is none.
func readAction(w http.ResponseWriter, r *http.Request, into any) bool {
	if !isJSON(r) {
		http.Error(w, "An action is application/json.", http.StatusUnsupportedMediaType)
		return false
	}
	body := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxAction))
	body.DisallowUnknownFields()
	err := body.Decode(into)
	if err == nil {
		return true
	}
	says := "An action is a JSON object of at most 256 KiB."
	if name, isUnknown := strings.CutPrefix(err.Error(), "json: unknown field "); isUnknown {
		says = "There is no member " + name + " here; GET api/openapi.json lists them."
	}
	http.Error(w, says, http.StatusBadRequest)
	return false
}
