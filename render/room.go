package render

import "github.com/askbridge/askbridge/ask"

// room is how much an open card shows of what gathers around its questions, such as what
// people have asked the agent: it grows while the questions stay.
type room struct {
	// talk is how many exchanges are shown, the last of them, and said how much of each text.
	talk, said int
	// steps are how many steps of the schedule are shown, choices how many of a vote, and
	// names how many people in a row.
	steps, choices, names int
	// address is how much of each link's address is shown; zero shows it whole.
	address int
	// least is how short a text of a question may be cut to have all that on the card.
	least int
}

// addressShown is how much of an address is shown where the whole of it would take the room of what
// is asked.
const addressShown = 100

// rooms are one step after the other, until the card fits.
var rooms = []room{
	{talk: talkShown, said: saidShown, steps: ask.MaxSteps + ask.MaxPasses, choices: choicesShown, names: namesShown, least: 500},
	{talk: 1, said: saidShown / 2, steps: 3, choices: choicesShown, names: namesShown / 2, least: 500},
	{talk: 1, said: saidShown / 2, steps: 3, choices: choicesShown, names: namesShown / 2, address: addressShown, least: 500},
	{talk: 1, said: saidShown / 2, steps: 3, choices: choicesShown, names: namesShown / 2, address: addressShown},
	{steps: 1, choices: choicesShown / 2, names: 1, address: addressShown},
}

// few are the steps that the room has place for: what comes next, behind what was last. The
// others are counted.
func (r room) few(steps []Step) (shown []Step, more int) {
	next := 0
	for next < len(steps) && steps[next].Done {
		next++
	}
	first := max(0, min(next-r.steps/2, len(steps)-r.steps))
	shown = steps[first:min(len(steps), first+r.steps)]
	return shown, len(steps) - len(shown)
}
