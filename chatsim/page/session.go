package page

import (
	"cmp"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
)

// longPause is the shortest pause between steps that a scene keeps; shorter ones are thinking
// time.
const longPause = 10 * time.Second

// session returns the session as a scene, see chatsim.Scene, and as a test that plays it if the
// host can generate one.
func (h *handler) session(w http.ResponseWriter, _ *http.Request) {
	scene := h.scene()
	out := struct {
		Scene string `json:"scene"`
		Test  string `json:"test,omitempty"`
	}{Scene: scene}
	if a := h.opts.Agent; a != nil && a.Test != nil {
		out.Test = a.Test(scene)
	}
	writeJSON(w, out)
}

// moment is a group of scene lines with the same time.
type moment struct {
	at        time.Time
	lines     []string
	form      string // the submitted form and the person; the app may have rejected it
	private   string // an ephemeral message, instead of lines
	recipient string // the person who received it
}

// play is a scene being written.
type play struct {
	names   map[string]string // names in the scene by platform and id, such as "slack:U0000001"
	moments []moment
	files   []string // file names and bodies, alternating
	asked   []string // texts of all questions
}

// named returns a person's name in the scene.
func (p *play) named(platform, id string) string {
	return cmp.Or(p.names[platform+":"+id], platform+":"+id)
}

func (p *play) at(at time.Time, lines ...string) {
	p.moments = append(p.moments, moment{at: at, lines: lines})
}

// note adds a line for an action outside the chat.
func (h *handler) note(line string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.controlled = append(h.controlled, moment{at: time.Now(), lines: []string{line}})
}

// scene renders the session as a scene.
func (h *handler) scene() string {
	p := &play{names: map[string]string{}}
	for _, c := range h.chats {
		for _, person := range c.People() {
			p.names[c.Platform()+":"+person.ID] = strings.ToLower(strings.Fields(person.Name + " " + person.ID)[0])
		}
	}
	h.mu.Lock()
	p.moments = slices.Clone(h.controlled)
	h.mu.Unlock()
	if h.opts.Agent != nil {
		all, _ := h.opts.Traffic.Since(0)
		p.agents(all, h.opts.Agent.Forms)
	}
	for _, c := range h.chats {
		p.people(c, len(h.chats) > 1)
	}
	sort.SliceStable(p.moments, func(i, j int) bool { return p.moments[i].at.Before(p.moments[j].at) })
	var b strings.Builder
	b.WriteString("-- steps --\n")
	var private []string // messages on all platforms; one that several people received is not private
	for i, m := range p.moments {
		if i > 0 {
			if gap := m.at.Sub(p.moments[i-1].at).Round(time.Second); gap >= longPause {
				fmt.Fprintf(&b, "time passes %s\n", gap)
			}
		}
		for _, line := range m.lines {
			b.WriteString(line + "\n")
		}
		if m.private == "" {
			continue
		}
		verb := "is told"
		if slices.ContainsFunc(private, func(earlier string) bool { return strings.Contains(earlier, m.private) }) {
			verb = "sees"
		}
		private = append(private, m.private)
		fmt.Fprintf(&b, "%s %s %q\n", m.recipient, verb, m.private)
	}
	for i := 0; i < len(p.files); i += 2 {
		fmt.Fprintf(&b, "-- %s --\n%s\n", p.files[i], strings.TrimSuffix(p.files[i+1], "\n"))
	}
	return b.String()
}

// times matches times of day and dates, which differ on every replay.
var times = regexp.MustCompile(`\d:\d\d|\d{4}`)

// people adds people's actions on one platform, and the private messages to them.
func (p *play) people(c Chat, several bool) {
	names := map[string]string{}
	for _, person := range c.People() {
		name := p.named(c.Platform(), person.ID)
		if several {
			name += "@" + c.Platform()
		}
		names[person.ID] = name
	}
	for _, e := range c.Timeline().Events() {
		who, known := names[e.Person]
		switch line := p.does(e); {
		case e.Kind == chatsim.Faulted:
			p.at(e.At, fmt.Sprintf("# A fault was injected in %s: %s. A scene has no such step.", e.Where, e.Text))
		case !known:
		case e.Kind == chatsim.Unacknowledged:
			p.at(e.At, fmt.Sprintf("# The app did not acknowledge the action of %s: %s.", who, e.Text))
		case e.Kind == chatsim.Posted && e.Under == "":
			p.at(e.At, fmt.Sprintf("# %s wrote %q. A scene has no such step.", who, e.Text))
		case e.Kind == chatsim.Attached:
			p.at(e.At, fmt.Sprintf("# %s chose the file %q. A scene has no such step.", who, e.Text))
		case e.Kind == chatsim.Refused && e.Form != "":
			p.refused(who, e)
		case e.Kind == chatsim.Ephemeral:
			if text := visibleLine(c.Seat(e.Person, "", "").Sees(), c.ReadText(e.Text)); text != "" {
				p.moments = append(p.moments, moment{at: e.At, recipient: who, private: text})
			}
		case line != nil:
			m := moment{at: e.At}
			for _, l := range line {
				m.lines = append(m.lines, who+" "+l)
			}
			if e.Kind == chatsim.Submitted {
				m.form = who + " " + e.Form
			}
			p.moments = append(p.moments, m)
		}
	}
}

// does returns the scene lines for an action, without the person's name.
func (p *play) does(e chatsim.Event) []string {
	under := p.under(e)
	switch e.Kind {
	case chatsim.Pressed:
		if e.Where == slacksim.Commands || e.Where == discordsim.Commands {
			return []string{fmt.Sprintf("runs %q", e.Text)}
		}
		return []string{fmt.Sprintf("presses %q%s", e.Text, under)}
	case chatsim.Picked:
		options := e.Options
		if options == nil {
			options = []string{e.Text}
		}
		var out []string
		for _, option := range options {
			out = append(out, fmt.Sprintf("picks %q%s", option, under))
		}
		return out
	case chatsim.Filled:
		return []string{fmt.Sprintf("fills %q%s", e.Text, under)}
	case chatsim.Submitted:
		return []string{"submits"}
	case chatsim.Dismissed:
		return []string{"closes the form"}
	case chatsim.Posted:
		return []string{fmt.Sprintf("replies %q", e.Text)}
	case chatsim.Edited:
		if e.Where != "" { // The button is the program's own.
			return nil
		}
		return []string{fmt.Sprintf("rewrites %q", e.Text)}
	case chatsim.Deleted:
		return []string{"retracts"}
	default:
		return nil
	}
}

// under returns the text above a control if it is a question or a field label.
func (p *play) under(e chatsim.Event) string {
	lines := strings.Split(e.Under, "\n")
	for _, line := range slices.Backward(lines) {
		// Text between backticks is displayed as code, without them.
		shown := func(q string) bool {
			return strings.Contains(line, q) || strings.Contains(line, strings.ReplaceAll(q, "`", ""))
		}
		if slices.ContainsFunc(p.asked, shown) {
			return fmt.Sprintf(" under %q", line)
		}
	}
	if e.Kind == chatsim.Filled && lines[0] != "" {
		return fmt.Sprintf(" under %q", lines[0])
	}
	return ""
}

// refused records that a form stayed open because the client or the app rejected it.
func (p *play) refused(who string, e chatsim.Event) {
	line := who + " is refused"
	for i, m := range slices.Backward(p.moments) {
		if m.form == who+" "+e.Form {
			p.moments[i].lines, p.moments[i].form = []string{line}, ""
			return
		}
	}
	p.at(e.At, line)
}

// visibleLine returns the first line of a text that a person sees and that does not depend on the
// time.
func visibleLine(sees, text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !times.MatchString(line) && strings.Contains(sees, line) {
			return line
		}
	}
	return ""
}
