package ask

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/askbridge/askbridge/internal/spelling"
)

// DecodeRequest parses a request from JSON in the variants that agents produce: the whole text
// or "questions" inside a JSON string, "multiSelect" as "multi_select", "multiple" or
// "allowMultiple", options as objects or bare strings, quoted booleans, numeric labels. The
// text may be UTF-8 or UTF-16 with a byte order mark. The paths of unknown members are returned
// so that the caller can report them. A duplicate member is an error, see [CheckMembers]. The
// running time is linear in the size of the input.
//
// It returns an [*InvalidError] naming every member it could not parse. It does not validate:
// call [Request.Validate] on the result.
func DecodeRequest(data []byte) (Request, []string, error) {
	d := decoder{}
	r := d.request(d.whole(data))
	return r, d.ignored, d.err()
}

// DecodeQuestions parses only the questions, from an array, a single question object, an object
// with a "questions" member, or a JSON string of any of these. It is otherwise like
// [DecodeRequest].
func DecodeQuestions(data []byte) ([]Question, []string, error) {
	d := decoder{}
	questions := d.questions("questions", d.whole(data), maxWrappers)
	return questions, d.ignored, d.err()
}

func (d *decoder) request(data []byte) Request {
	var r Request
	m, ok := d.object("", data)
	if !ok {
		return r
	}
	r.Session = d.text("session", m.take("session"))
	r.Key = d.text("idempotency_key", m.take("idempotency_key"))
	r.ToolCallID = d.text("tool_call_id", m.take("tool_call_id", "toolCallId"))
	r.Agent = d.text("agent", m.take("agent"))
	r.Context = d.text("context", m.take("context"))
	r.Language = d.text("language", m.take("language"))
	r.Files = d.files("files", m.take("files"))
	r.Links = d.links("links", m.take("links"))
	r.Source = d.source("source", m.take("source"))
	r.Supersedes = d.text("supersedes", m.take("supersedes"))
	r.Webhook = d.text("webhook", m.take("webhook"))
	r.Route = d.text("route", m.take("route"))
	r.To = d.targets("to", m.take("to"))
	r.Origin = d.origin("origin", m.take("origin"))
	r.Responders = d.entries("responders", m.take("responders"))
	r.Notify = NormalNotify(d.entries("notify", m.take("notify")))
	r.Voting = d.voting("policy", m.take("policy"))
	r.Replies = d.replies("replies", m.take("replies"))
	r.Schedule = d.schedule("schedule", m.take("schedule"))
	r.ExpiresIn = d.duration("expires_in", m.take("expires_in"))
	r.Same = Same(d.text("same", m.take("same")))
	r.Within = d.span("within", m.take("within"))
	r.Hold = d.hold("hold", m.take("hold"))
	r.Risk = Risk(d.text("risk", m.take("risk")))
	r.AskBack = d.askBack("ask_back", m.take("ask_back"))
	r.Deaf = d.flag("deaf", m.take("deaf"))
	r.Receipts = d.flag("receipts", m.take("receipts"))
	r.Questions = d.questions("questions", m.take("questions"), maxWrappers)
	d.rest("", m)
	return r
}

// maxWrappers is the maximum nesting depth of objects with a "questions" member. Models send
// one, rarely two; each costs another pass over the rest.
const maxWrappers = 3

func (d *decoder) questions(path string, data json.RawMessage, wrappers int) []Question {
	data = d.unquote(path, data)
	if empty(data) {
		return nil
	}
	if data[0] == '{' {
		m, ok := d.object(path, data)
		if !ok {
			return nil
		}
		if inner, wrapped := m["questions"]; wrapped && wrappers > 0 {
			return d.questions(path, inner, wrappers-1)
		} else if wrapped {
			d.add(path, ErrSyntax, "must be a list of questions, not objects inside objects")
			return nil
		}
		return []Question{d.question(path+"[0]", data)}
	}
	items, ok := d.array(path, data, "a list of questions")
	if !ok {
		return nil
	}
	questions := make([]Question, len(items))
	for i, item := range items {
		questions[i] = d.question(fmt.Sprintf("%s[%d]", path, i), item)
	}
	return questions
}

// separators removes the characters that separate the words of a type.
var separators = strings.NewReplacer("_", "", "-", "")

func (d *decoder) question(path string, data json.RawMessage) Question {
	var q Question
	if data = d.unquote(path, data); len(data) > 0 && data[0] == '"' {
		q.Text = d.text(path, data)
		return q
	}
	m, ok := d.object(path, data)
	if !ok {
		return q
	}
	q.Text = d.text(path+".question", m.take("question"))
	q.Header = d.text(path+".header", m.take("header"))
	q.MultiSelect = d.several(path, m)
	q.NoOther = d.flag(path+".noOther", m.take("noOther", "no_other"))
	q.Optional = d.flag(path+".optional", m.take("optional"))
	q.Notes = d.flag(path+".notes", m.take("notes"))
	q.Confirm = d.flag(path+".confirm", m.take("confirm"))
	q.Options = d.options(path+".options", m.take("options"))
	kind := d.text(path+".type", m.take("type"))
	if yes := YesNo(q.Text); strings.EqualFold(separators.Replace(kind), "yesno") && q.Options == nil {
		q.Options, q.NoOther = yes.Options, true
	}
	d.rest(path, m)
	return q
}

// several parses whether people may pick several options, under any of the usual names. Two
// names that disagree are an error, since picking one of them could turn several choices into
// one.
func (d *decoder) several(path string, m members) bool {
	var names []string
	for name := range m {
		if name == "multiSelect" || spelling.Several(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	several := false
	for n, name := range names {
		is := d.flag(path+"."+name, m.take(name))
		if n > 0 && is != several {
			d.add(path+"."+name, ErrSyntax, "contradicts %s; send one of them", names[0])
		}
		several = several || is
	}
	return several
}

func (d *decoder) options(path string, data json.RawMessage) []Option {
	data = d.unquote(path, data)
	if empty(data) {
		return nil
	}
	items, ok := d.array(path, data, "a list of options")
	if !ok {
		return nil
	}
	options := make([]Option, len(items))
	for i, item := range items {
		at := fmt.Sprintf("%s[%d]", path, i)
		if item = bytes.TrimSpace(item); len(item) > 0 && item[0] != '{' {
			options[i].Label = d.text(at+".label", item)
			continue
		}
		m, ok := d.object(at, item)
		if !ok {
			continue
		}
		options[i] = Option{
			Label:       d.text(at+".label", m.take("label")),
			Description: d.text(at+".description", m.take("description")),
			Preview:     d.text(at+".preview", m.take("preview")),
			Style:       Style(d.text(at+".style", m.take("style"))),
		}
		d.rest(at, m)
	}
	return options
}

func (d *decoder) targets(path string, data json.RawMessage) []Place {
	data = d.unquote(path, data)
	if empty(data) {
		return nil
	}
	items := []json.RawMessage{data}
	if data[0] != '{' {
		var ok bool
		if items, ok = d.array(path, data, "a list of targets"); !ok {
			return nil
		}
	}
	targets := make([]Place, len(items))
	for i, item := range items {
		at := fmt.Sprintf("%s[%d]", path, i)
		m, ok := d.object(at, item)
		if !ok {
			continue
		}
		targets[i] = d.place(at, m)
		d.rest(at, m)
	}
	return targets
}

// place parses the members of a place.
func (d *decoder) place(path string, m members) Place {
	return Place{
		Platform:     d.text(path+".platform", m.take("platform")),
		Installation: d.text(path+".installation", m.take("installation")),
		Channel:      d.text(path+".channel", m.take("channel")),
		Thread:       d.text(path+".thread", m.take("thread")),
		User:         d.text(path+".user", m.take("user")),
	}
}

func (d *decoder) origin(path string, data json.RawMessage) (o Origin) {
	if data = d.unquote(path, data); empty(data) {
		return o
	}
	m, ok := d.object(path, data)
	if !ok {
		return o
	}
	o.Place = d.place(path, m)
	o.People = d.entries(path+".people", m.take("people"))
	o.Language = d.text(path+".language", m.take("language"))
	d.rest(path, m)
	return o
}

func (d *decoder) duration(path string, data json.RawMessage) time.Duration {
	text := d.text(path, data)
	if text == "" {
		return 0
	}
	span, err := ParseExpiry(text)
	if err != nil {
		d.add(path, ErrExpiry, "%q is not a duration such as \"30m\" or \"24h\", nor \"never\"", shorten(text))
	}
	return span
}

// ParseExpiry parses a duration such as "30m", "24h" or "2d", or "never", which returns
// [Never]. Anything else, including zero and negative durations, is an error that matches
// [ErrExpiry].
func ParseExpiry(text string) (time.Duration, error) {
	if text == "never" {
		return Never, nil
	}
	span, err := ParseSpan(text)
	if err != nil || span <= 0 {
		return 0, fmt.Errorf("%w: %q is not a duration such as \"30m\", nor \"never\"", ErrExpiry, shorten(text))
	}
	return span, nil
}

// ParseSpan parses a duration such as "90s", "24h" or "2d": the syntax of [time.ParseDuration]
// plus whole days. Values above the 292 years that a [time.Duration] can hold are capped. Zero
// and negative values are valid.
func ParseSpan(text string) (time.Duration, error) {
	days, ok := strings.CutSuffix(text, "d")
	if !ok {
		return time.ParseDuration(text)
	}
	const day = 24 * time.Hour
	n, err := strconv.ParseInt(days, 10, 64)
	most := int64(math.MaxInt64 / day)
	return time.Duration(max(min(n, most), -most)) * day, err
}
