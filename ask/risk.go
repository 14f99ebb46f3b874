package ask

// Risk is how much a wrong decision could cost.
type Risk string

// HighRisk adds a step: choosing an option opens a form that repeats what is asked, and only confirming
// it counts. Typed messages do not answer then.
const HighRisk Risk = "high"

// maxRisky is the maximum number of options of a question with a risk: more would not be buttons.
const maxRisky = 5

// Check validates a risk; problems are reported at path. A request with a risk has one question, of which a
// person chooses one option with a button.
func (r Risk) Check(path string, questions []Question) []Problem {
	var c checker
	switch {
	case r == "":
	case r != HighRisk:
		c.add(path, ErrRisk, "%q is not high", shorten(string(r)))
	case !r.Fits(questions):
		c.add(path, ErrRisk, "needs a single question with one to %d options to choose one from, not optional and without notes and confirm", maxRisky)
	}
	return c.problems
}

// Fits reports whether questions can have a risk, see [Risk.Check].
func (r Risk) Fits(questions []Question) bool {
	if len(questions) != 1 {
		return r == ""
	}
	q := questions[0]
	return r == "" || !q.TextOnly() && len(q.Options) <= maxRisky && !q.Optional && !NeedsSubmit(questions)
}
