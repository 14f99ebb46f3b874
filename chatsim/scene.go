package chatsim

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Scene is a little play: what people do, what they must see, and what the agent behind the program must get. It is
// written once and played on any platform, see Play. It is a txtar archive of this kind:
//
//	One tap answers a lone question.
//
//	-- steps --
//	agent asks request.json
//	dana sees "Which database?" "Postgres"
//	dana picks "Postgres"
//	dana no longer sees "SQLite"
//	agent gets answer.txt
//	-- request.json --
//	{"questions": [{"question": "Which database?", "options": ["Postgres", "SQLite"]}]}
//	-- answer.txt --
//	Which database?
//	Postgres
//
// Every step waits until it can be done. These are the steps, with any name of the cast in place of dana:
//
//	agent asks FILE [as FORM]           the agent asks what the file says, in a form of its host where one is named; FORM may
//	                                    say what stands beside it in the call, as in claude?responders=anyone
//	agent cancels "REASON"              the agent withdraws its question
//	agent revises FILE                  the agent puts what the file says in the place of what it asks
//	agent hears "TEXT"                  somebody has asked the agent exactly this, as in "dana: Why now?"
//	agent replies "TEXT"                to what it heard last
//	agent gets TEXT                     the agent got exactly this; TEXT is a file of the scene or stands in quotes, and
//	                                    where chance decides there are several, parted by "or"
//	dana sees "TEXT"…                   all of these are in front of dana
//	dana no longer sees "TEXT"…         none of these is
//	dana is told "TEXT"…                dana sees it and nobody else does
//	dana presses "LABEL" [under "…"]    a button; "under" names a text that stands over it, for any kind of control
//	dana picks "OPTION" [under "…"]     an option: a button, an entry of a list or of a menu, whatever the platform has
//	dana fills "TEXT" [under "…"]       a field of the open form
//	dana writes "TEXT" under "…"        words of their own as the answer to a question, wherever they go
//	dana replies "TEXT"                 a message of their own in reply to the newest card
//	dana rewrites "TEXT"                what they wrote last says this now
//	dana retracts                       and is deleted
//	dana submits                        the open form, or with the button Submit
//	dana is refused ["TEXT"…]           the open form is sent and stays open, with all of these in it
//	dana closes the form                without sending it
//	dana dismisses ["WORDS"]            what is asked: with the button Dismiss… and its form, with words for the agent or without
//	dana is rung once                   one message so far has notified dana, be it through a group or role
//	dana is rung twice                  two have
//	dana is never rung                  none has: nothing that is named to dana live in an edit, and no message to others
//	time passes 2h                      in a testing/synctest bubble at once
//	at once                             the indented steps below happen together, without waiting; who comes too late and
//	                                    finds nothing left is no failure
//
// An agent asks one thing; who asks meanwhile is agent2, agent3 and so on. Empty lines and lines that start with # are
// left out.
type Scene struct {
	// Name is that of the file, for messages.
	Name string
	// About is what stands over the first file of the archive.
	About string
	// Files are the files of the archive beside the steps.
	Files map[string]string

	steps []step
}

// step is one line of a scene.
type step struct {
	line  int
	text  string // as it is written
	who   string
	verb  verb
	args  []word        // what stands in quotes, and names of files
	under []word        // what stands behind "under"
	form  string        // what stands behind "as"
	span  time.Duration // how long time passes
	all   []step        // what happens at once
}

// Typed reports whether people answer by writing messages in the scene, which a program has to be told of.
func (s *Scene) Typed() bool {
	return slices.ContainsFunc(s.steps, func(st step) bool { return st.verb == replies && !isAgent(st.who) })
}

// verb says what is done.
type verb string

const (
	asks    verb = "asks"
	cancels verb = "cancels"
	gets    verb = "gets"
	revises verb = "revises"
	hears   verb = "hears"
	replies verb = "replies"
	sees    verb = "sees"
	unsees  verb = "no longer sees"
	isTold  verb = "is told"
	presses verb = "presses"
	picked  verb = "picks"
	fills   verb = "fills"
	writes  verb = "writes"
	submits verb = "submits"
	refused verb = "is refused"
	closes  verb = "closes the form"
	passes  verb = "passes"
	atOnce  verb = "at once"

	dismisses verb = "dismisses"

	rewrites verb = "rewrites"
	retracts verb = "retracts"

	rungOnce  verb = "is rung once"
	rungTwice verb = "is rung twice"
	neverRung verb = "is never rung"
)

// rings is how many messages have rung somebody, by the verb that says so.
var rings = map[verb]int{neverRung: 0, rungOnce: 1, rungTwice: 2}

// The program's side and the clock are no people.
const (
	theAgent = "agent"
	theTime  = "time"
)

// isAgent tells whether a name is that of an agent: agent, or agent with a number.
func isAgent(who string) bool {
	number, found := strings.CutPrefix(who, theAgent)
	return found && strings.Trim(number, "0123456789") == ""
}

// shape is what a verb takes.
type shape struct {
	least, most int // how many texts
	files       bool
	under       bool
	form        bool
}

var agentVerbs = map[verb]shape{
	asks: {least: 1, most: 1, files: true, form: true}, cancels: {least: 1, most: 1}, gets: {least: 1, most: maxTexts, files: true},
	revises: {least: 1, most: 1, files: true}, hears: {least: 1, most: 1}, replies: {least: 1, most: 1},
}

var peopleVerbs = map[verb]shape{
	sees: {least: 1, most: maxTexts}, unsees: {least: 1, most: maxTexts}, isTold: {least: 1, most: maxTexts},
	presses: {least: 1, most: 1, under: true}, picked: {least: 1, most: 1, under: true}, fills: {least: 1, most: 1, under: true},
	submits: {}, refused: {most: maxTexts}, closes: {}, dismisses: {most: 1},
	rungOnce: {}, rungTwice: {}, neverRung: {},
	writes:  {least: 1, most: 1, under: true},
	replies: {least: 1, most: 1}, rewrites: {least: 1, most: 1}, retracts: {},
}

// maxTexts is how many texts a step takes at most.
const maxTexts = 9

var errScene = errors.New("not a scene")

// ParseScene reads a scene. Every mistake is named with its line.
func ParseScene(name string, raw []byte) (*Scene, error) {
	about, files := unpack(string(raw))
	s := &Scene{Name: name, About: strings.TrimSpace(about), Files: map[string]string{}}
	var problems []error
	found := false
	for _, f := range files {
		switch {
		case f.name == "steps" && !found:
			found = true
			s.steps, problems = s.parse(f)
		case f.name == "steps" || s.Files[f.name] != "":
			problems = append(problems, fmt.Errorf("line %d: the file %s stands here twice", f.line, f.name))
		default:
			s.Files[f.name] = f.body
		}
	}
	if len(s.steps) == 0 && len(problems) == 0 {
		problems = append(problems, errors.New("it has no steps: they stand below a line -- steps --"))
	}
	for _, st := range s.steps {
		problems = append(problems, s.lacks(st)...)
	}
	if len(problems) > 0 {
		return nil, fmt.Errorf("chatsim: %s: %w: %w", name, errScene, errors.Join(problems...))
	}
	return s, nil
}

// lacks names the files that a step needs and the scene has not.
func (s *Scene) lacks(st step) []error {
	if !isAgent(st.who) || slices.Contains([]verb{cancels, hears, replies}, st.verb) {
		return nil
	}
	var problems []error
	for _, arg := range st.args {
		if _, isFile := s.Files[arg.text]; !isFile && !arg.quoted {
			problems = append(problems, fmt.Errorf("line %d: there is no file %s in the scene", st.line, arg.text))
		}
	}
	return problems
}

// parse reads the steps.
func (s *Scene) parse(f packed) (steps []step, problems []error) {
	for i, text := range strings.Split(f.body, "\n") {
		line := f.line + 1 + i
		trimmed := strings.TrimSpace(text)
		if trimmed == "" || strings.HasPrefix(trimmed, "#") {
			continue
		}
		st, err := parseStep(trimmed)
		st.line, st.text = line, trimmed
		inside := strings.HasPrefix(text, " ") || strings.HasPrefix(text, "\t")
		switch {
		case err != nil:
			problems = append(problems, fmt.Errorf("line %d: %s: %w", line, trimmed, err))
		case inside && (len(steps) == 0 || steps[len(steps)-1].verb != atOnce):
			problems = append(problems, fmt.Errorf("line %d: %s: an indented step stands below \"at once\"", line, trimmed))
		case inside && !slices.Contains([]verb{presses, picked, submits, closes, cancels}, st.verb):
			problems = append(problems, fmt.Errorf("line %d: %s: only what somebody does can happen at once", line, trimmed))
		case inside:
			last := &steps[len(steps)-1]
			last.all = append(last.all, st)
		default:
			steps = append(steps, st)
		}
	}
	for _, st := range steps {
		if st.verb == atOnce && len(st.all) < 2 {
			problems = append(problems, fmt.Errorf("line %d: at least two indented steps stand below \"at once\"", st.line))
		}
	}
	return steps, problems
}

func parseStep(text string) (step, error) {
	if text == string(atOnce) {
		return step{verb: atOnce}, nil
	}
	who, rest, _ := strings.Cut(text, " ")
	st := step{who: who}
	if who == theTime {
		span, ok := strings.CutPrefix(rest, string(passes)+" ")
		d, err := time.ParseDuration(span)
		if !ok || err != nil || d <= 0 {
			return step{}, errors.New(`time passes like this: time passes 2h30m`)
		}
		st.verb, st.span = passes, d
		return st, nil
	}
	verbs := peopleVerbs
	if isAgent(who) {
		verbs = agentVerbs
	}
	var takes shape
	for v, shape := range verbs {
		if after, ok := strings.CutPrefix(rest+" ", string(v)+" "); ok {
			st.verb, takes, rest = v, shape, after
		}
	}
	if st.verb == "" {
		return step{}, fmt.Errorf("%s can do one of these: %s", who, names(verbs))
	}
	words, err := split(rest)
	if err != nil {
		return step{}, err
	}
	into := &st.args
	for n, w := range words {
		switch {
		case takes.form && n == 1 && w.text == "as" && len(words) == 3:
		case takes.form && n == 2 && len(words) == 3 && words[1].text == "as":
			st.form = w.text
		case w.quoted && st.verb != asks, !w.quoted && takes.files && w.text != "or":
			*into = append(*into, w)
		case w.text == "under" && takes.under && len(st.under) == 0 && into == &st.args:
			into = &st.under
		case w.text == "or" && st.verb == gets:
		default:
			return step{}, fmt.Errorf("%s has no place here; texts stand in double quotes, and names of files do not", w.text)
		}
	}
	if n := len(st.args); n < takes.least || n > takes.most {
		return step{}, fmt.Errorf("%q takes %s", string(st.verb), takes)
	}
	if n := len(st.under); into == &st.under && (n == 0 || n > 1 && st.verb != presses) {
		return step{}, errors.New("behind under stands a text; a button may take several")
	}
	return st, nil
}

// String says how many texts there may be.
func (s shape) String() string {
	switch s.most {
	case 0:
		return "nothing more"
	case 1:
		return "one text"
	}
	return fmt.Sprintf("one to %d texts", s.most)
}

func names(verbs map[verb]shape) string {
	var out []string
	for v := range verbs {
		out = append(out, string(v))
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// word is a text in quotes, or what stands between spaces.
type word struct {
	text   string
	quoted bool
}

func texts(words []word) []string {
	var out []string
	for _, w := range words {
		out = append(out, w.text)
	}
	return out
}

func split(text string) ([]word, error) {
	var words []word
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		if text[0] != '"' {
			w, rest, _ := strings.Cut(text, " ")
			words, text = append(words, word{text: w}), rest
			continue
		}
		quoted, err := strconv.QuotedPrefix(text)
		if err != nil {
			return nil, fmt.Errorf("%s: these quotes do not end", text)
		}
		plain, err := strconv.Unquote(quoted)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", quoted, err)
		}
		words, text = append(words, word{plain, true}), text[len(quoted):]
	}
	return words, nil
}

// packed is one file of a txtar archive.
type packed struct {
	name, body string
	line       int // of its marker
}

// unpack parts a txtar archive.
func unpack(raw string) (about string, files []packed) {
	n := 0
	for line := range strings.Lines(raw) {
		n++
		name, opens := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "-- ")
		name, marks := strings.CutSuffix(name, " --")
		switch {
		case opens && marks:
			files = append(files, packed{name: strings.TrimSpace(name), line: n})
		case len(files) == 0:
			about += line
		default:
			files[len(files)-1].body += line
		}
	}
	return about, files
}
