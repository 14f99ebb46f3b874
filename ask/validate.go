package ask

import (
	"fmt"
	"slices"
	"unicode/utf8"
)

// Validate returns nil, or an [*InvalidError] naming every problem and its path. Rules may be
// nil. The bridge checks separately whether routes, platforms and people exist.
func (r *Request) Validate(rules *Rules) error {
	var c checker
	c.questions(r.Questions, rules)
	c.names(r)
	c.targets(r)
	c.problems = append(c.problems, slices.Concat(CheckResponders("responders", r.Responders), CheckNotify("notify", r.Notify))...)
	c.problems = append(c.problems, slices.Concat(r.Voting.Check("policy"), r.Voting.CheckLabels("policy", r.Questions), r.Replies.Check("replies"))...)
	c.problems = append(c.problems, slices.Concat(CheckHold("hold", r.Hold), CheckLinks("links", r.Links), CheckFiles("files", r.Files), CheckSource("source", r.Source), CheckOrigin("origin", r.Origin), r.Risk.Check("risk", r.Questions))...)
	c.problems = append(c.problems, slices.Concat(r.Schedule.Check("schedule"), r.AskBack.Check("ask_back"))...)
	if r.ExpiresIn < 0 && r.ExpiresIn != Never || r.ExpiresIn > MaxExpiresIn {
		c.add("expires_in", ErrExpiry, "give a duration such as \"30m\" or \"24h\", at most 366 days, or \"never\"")
	}
	switch {
	case r.Same != "" && r.Same != SameSession && r.Same != SameAgent:
		c.add("same", ErrSyntax, "must be session or agent")
	case r.Same == SameSession && r.Session == "":
		c.add("same", ErrSyntax, "needs a session")
	}
	switch {
	case r.Within != 0 && r.Same == "":
		c.add("within", ErrSyntax, "needs same: session or agent")
	case r.Within < 0 || r.Within > MaxWithin:
		c.add("within", ErrSyntax, "must be a time of at most an hour, such as \"10m\"")
	}
	total := utf8.RuneCountInString(r.Context)
	for _, q := range r.Questions {
		total += q.length()
	}
	if total > MaxText {
		c.add("questions", ErrTooLong, "all texts together have %d characters; at most %d are allowed, so shorten descriptions and previews", total, MaxText)
	}
	return c.err()
}

func (q Question) length() int {
	n := utf8.RuneCountInString(q.Text) + utf8.RuneCountInString(q.Header)
	for _, o := range q.Options {
		n += utf8.RuneCountInString(o.Label) + utf8.RuneCountInString(o.Description) + utf8.RuneCountInString(o.Preview)
	}
	return n
}

// Advise lists content that is accepted but will be displayed differently from how it was sent.
// It returns nil if there is none.
func Advise(questions []Question) []Problem {
	var advice []Problem
	for i, q := range questions {
		if n := utf8.RuneCountInString(q.Header); n > HeaderAdvice {
			advice = append(advice, Problem{
				Path:   fmt.Sprintf("questions[%d].header", i),
				Detail: fmt.Sprintf("has %d characters; more than %d may be cut for display", n, HeaderAdvice),
			})
		}
	}
	return advice
}

func (c *checker) questions(questions []Question, rules *Rules) {
	most := rules.maxQuestions()
	switch n := len(questions); {
	case n == 0:
		c.add("questions", ErrNoQuestions, "send at least one question")
	case n > most:
		c.add("questions", ErrTooManyQuestions, "has %d questions; at most %d are allowed", n, most)
	}
	for i, q := range questions {
		c.question(fmt.Sprintf("questions[%d]", i), q, rules)
	}
}

func (c *checker) question(path string, q Question, rules *Rules) {
	if blank(q.Text) {
		c.add(path+".question", ErrEmptyQuestion, "must not be empty")
	}
	if n := utf8.RuneCountInString(q.Header); n > MaxLabel {
		c.add(path+".header", ErrTooLong, "has %d characters; at most %d are allowed", n, MaxLabel)
	}
	least, most := rules.options()
	switch n := len(q.Options); {
	case n == 0 && q.NoOther:
		c.add(path, ErrUnanswerable, "has no options and no free text, so nobody could answer it")
	case n != 0 && (n < least || n > most):
		c.add(path+".options", ErrOptionCount, "%d given; give %d to %d, or none for a text answer", n, least, most)
	}
	first := map[string]int{}
	primary := -1
	for i, o := range q.Options {
		switch o.Style {
		case "", Danger:
		case Primary:
			if primary >= 0 {
				c.add(fmt.Sprintf("%s.options[%d].style", path, i), ErrStyle, "is that of options[%d] too; at most one option is primary", primary)
			}
			primary = i
		default:
			c.add(fmt.Sprintf("%s.options[%d].style", path, i), ErrStyle, "must be primary or danger")
		}
		at := fmt.Sprintf("%s.options[%d].label", path, i)
		seen := visible(o.Label)
		if seen == "" {
			c.add(at, ErrEmptyLabel, "must not be empty")
			continue
		}
		if n := utf8.RuneCountInString(o.Label); n > MaxLabel {
			c.add(at, ErrTooLong, "has %d characters; at most %d are allowed, so move the rest to the description", n, MaxLabel)
		}
		if j, dup := first[seen]; dup {
			c.add(at, ErrDuplicateLabel, "is the same as options[%d].label (%q); labels must differ within a question", j, shorten(o.Label))
			continue
		}
		first[seen] = i
	}
}

func (c *checker) names(r *Request) {
	for _, f := range []struct{ path, value string }{
		{"session", r.Session},
		{"idempotency_key", r.Key},
		{"tool_call_id", r.ToolCallID},
		{"agent", r.Agent},
		{"route", r.Route},
		{"supersedes", r.Supersedes},
	} {
		if len(f.value) > MaxName {
			c.add(f.path, ErrTooLong, "has %d bytes; at most %d are allowed", len(f.value), MaxName)
		}
	}
}

func (c *checker) targets(r *Request) {
	if r.Route != "" && len(r.To) > 0 {
		c.add("route", ErrTarget, "give either to or route, not both")
	}
	if r.To != nil && len(r.To) == 0 {
		c.add("to", ErrTarget, "is empty, so no one would be asked; leave it out for the default or name a place")
	}
	if len(r.To) > MaxTargets {
		c.add("to", ErrTarget, "names %d places; at most %d are allowed", len(r.To), MaxTargets)
	}
	first := map[Place]int{}
	for i, t := range r.To {
		path := fmt.Sprintf("to[%d]", i)
		c.place(path, t)
		if j, dup := first[t]; dup {
			c.add(path, ErrTarget, "is the same place as to[%d]", j)
		} else {
			first[t] = i
		}
	}
}

// place checks the form of a place.
func (c *checker) place(path string, t Place) {
	if t.Platform == "" {
		c.add(path+".platform", ErrTarget, "is required, for example \"slack\"")
	}
	switch {
	case t.Channel == "" && t.User == "":
		c.add(path, ErrTarget, "name a channel or a user")
	case t.Channel != "" && t.User != "":
		c.add(path, ErrTarget, "name a channel or a user, not both")
	case t.Thread != "" && t.Channel == "":
		c.add(path+".thread", ErrTarget, "needs the channel it is in")
	}
	if len(t.Channel)+len(t.Thread)+len(t.User)+len(t.Platform)+len(t.Installation) > MaxName {
		c.add(path, ErrTooLong, "ids together may have at most %d bytes", MaxName)
	}
}

// CheckOrigin validates an origin; problems are reported at path.
func CheckOrigin(path string, o Origin) []Problem {
	if o.IsZero() {
		return nil
	}
	var c checker
	c.place(path, o.Place)
	if len(o.People) > MaxNotify {
		c.add(path+".people", ErrNotify, "has %d entries; at most %d are notified", len(o.People), MaxNotify)
	}
	for i, who := range o.People {
		if e, ok := ParseEntry(who); !ok || e.Word != "" || e.Kind != "" || e.Platform == OnCall || len(who) > MaxName {
			c.add(fmt.Sprintf("%s.people[%d]", path, i), ErrNotify, "%q is not a person such as \"slack:U0000001\"", shorten(who))
		}
	}
	if len(o.Language) > MaxName {
		c.add(path+".language", ErrTooLong, "has %d bytes; at most %d are allowed", len(o.Language), MaxName)
	}
	return c.problems
}
