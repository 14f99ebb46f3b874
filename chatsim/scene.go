package chatsim

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Scene is a scripted test: what people do, what they must see, and what the agent behind the
// program must get. It is written once and played on any platform, see Play. It is a txtar
// archive:
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
// Every step is retried until it succeeds. These are the steps, with any name of the cast
// instead of dana:
//
//	agent asks FILE [as FORM]           the agent sends the request in the file, in the form of a host if given; FORM may
//	                                    contain query parameters of the call, as in claude?responders=anyone
//	agent cancels "REASON"              the agent withdraws its request
//	agent revises FILE                  the agent replaces its request with the content of the file
//	agent hears "TEXT"                  a person asked the agent exactly this, as in "dana: Why now?"
//	agent replies "TEXT"                the agent replies to the last question
//	agent gets TEXT                     the agent got exactly this; TEXT is a file of the scene or a quoted text;
//	                                    alternatives are separated by "or"
//	dana sees "TEXT"…                   dana sees all of these
//	dana no longer sees "TEXT"…         dana sees none of these
//	dana is told "TEXT"…                dana sees it and no one else does
//	dana presses "LABEL" [under "…"]    a button; "under" gives a text above it, for any kind of control
//	dana picks "OPTION" [under "…"]     an option: a button, an entry of a list or of a menu, depending on the platform
//	dana fills "TEXT" [under "…"]       a field of the open form
//	dana writes "TEXT" under "…"        free text as the answer to a question, wherever it is entered
//	dana replies "TEXT"                 a typed message in reply to the newest card
//	dana rewrites "TEXT"                edits the last message
//	dana retracts                       deletes the last message
//	dana runs "/COMMAND"                a command of the program
//	dana submits                        the open form, or with the button Submit
//	dana is refused ["TEXT"…]           the open form is submitted and stays open, showing all of these
//	dana closes the form                without submitting it
//	dana dismisses ["WORDS"]            the request: with More…, Dismiss… and its form, with or without words for the agent
//	dana is rung once                   dana was notified of one message so far, including through a group or role
//	dana is rung twice                  of two
//	dana is never rung                  of none: live mentions in edits and messages to others do not count
//	time passes 2h                      immediately in a testing/synctest bubble
//	at once                             the indented steps below run concurrently, without retries; a person who comes
//	                                    too late and no longer finds the control is not an error
//
// An agent sends one request; additional agents are agent2, agent3 and so on. Empty lines and
// lines that start with # are ignored.
type Scene struct {
	// Name is the file name, for error messages.
	Name string
	// About is the leading comment of the archive.
	About string
	// Files are the files of the archive other than the steps.
	Files map[string]string

	steps []step
}

// step is one line of a scene.
type step struct {
	line  int
	text  string // source line
	who   string
	verb  verb
	args  []word        // quoted texts and file names
	under []word        // the texts after "under"
	form  string        // the form after "as"
	span  time.Duration // how much time passes
	all   []step        // concurrent steps
}

// Typed reports whether people answer by typed messages in the scene, which must be enabled in
// the program.
func (s *Scene) Typed() bool {
	return slices.ContainsFunc(s.steps, func(st step) bool { return st.verb == replies && !isAgent(st.who) })
}

// Commands reports whether people run the program's commands in the scene, which must be enabled in
// the program.
func (s *Scene) Commands() bool {
	return slices.ContainsFunc(s.steps, func(st step) bool { return st.verb == runs })
}

// verb is the kind of a step.
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
	runs     verb = "runs"

	rungOnce  verb = "is rung once"
	rungTwice verb = "is rung twice"
	neverRung verb = "is never rung"
)

// rings is the number of notifications that each verb asserts.
var rings = map[verb]int{neverRung: 0, rungOnce: 1, rungTwice: 2}

// Subjects that are not people.
const (
	theAgent = "agent"
	theTime  = "time"
)

// isAgent reports whether a name is an agent's: agent, or agent with a number.
func isAgent(who string) bool {
	number, found := strings.CutPrefix(who, theAgent)
	return found && strings.Trim(number, "0123456789") == ""
}

// shape is the syntax of a verb's arguments.
type shape struct {
	least, most int // number of texts
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
	replies: {least: 1, most: 1}, rewrites: {least: 1, most: 1}, retracts: {}, runs: {least: 1, most: 1},
}

// maxTexts is the maximum number of texts in a step.
const maxTexts = 9

var errScene = errors.New("not a scene")

// ParseScene parses a scene. It reports every error with its line.
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
			problems = append(problems, fmt.Errorf("line %d: duplicate file %s", f.line, f.name))
		default:
			s.Files[f.name] = f.body
		}
	}
	if len(s.steps) == 0 && len(problems) == 0 {
		problems = append(problems, errors.New("no steps: they follow a line -- steps --"))
	}
	for _, st := range s.steps {
		problems = append(problems, s.lacks(st)...)
	}
	if len(problems) > 0 {
		return nil, fmt.Errorf("chatsim: %s: %w: %w", name, errScene, errors.Join(problems...))
	}
	return s, nil
}

// lacks reports the files that a step needs but the scene does not contain.
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

// parse parses the steps.
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
			problems = append(problems, fmt.Errorf("line %d: %s: an indented step must follow \"at once\"", line, trimmed))
		case inside && !slices.Contains([]verb{presses, picked, submits, closes, cancels}, st.verb):
			problems = append(problems, fmt.Errorf("line %d: %s: only people's actions can happen at once", line, trimmed))
		case inside:
			last := &steps[len(steps)-1]
			last.all = append(last.all, st)
		default:
			steps = append(steps, st)
		}
	}
	for _, st := range steps {
		if st.verb == atOnce && len(st.all) < 2 {
			problems = append(problems, fmt.Errorf("line %d: \"at once\" needs at least two indented steps", st.line))
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
			return step{}, fmt.Errorf("unexpected %s; texts are in double quotes, file names are not", w.text)
		}
	}
	if n := len(st.args); n < takes.least || n > takes.most {
		return step{}, fmt.Errorf("%q takes %s", string(st.verb), takes)
	}
	if n := len(st.under); into == &st.under && (n == 0 || n > 1 && st.verb != presses) {
		return step{}, errors.New("under needs a text; for a button, one or more")
	}
	return st, nil
}

// String describes the number of texts.
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

// word is a quoted text, or a word between spaces.
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
	line       int // line of its marker
}

// unpack splits a txtar archive.
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
