package render

import (
	"github.com/askbridge/askbridge/ask"
)

// room is how much an open card shows of what gathers around its questions, such as what
// people have asked the agent: it grows while the questions stay.
type room struct {
	// talk is how many of the last exchanges with the agent are shown, and talkText the maximum length of each text.
	talk, talkText int
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
	{talk: talkShown, talkText: talkTextShown, steps: ask.MaxSteps + ask.MaxPasses, choices: choicesShown, names: namesShown, least: 500},
	{talk: 1, talkText: talkTextShown / 2, steps: 3, choices: choicesShown, names: namesShown / 2, least: 500},
	{talk: 1, talkText: talkTextShown / 2, steps: 3, choices: choicesShown, names: namesShown / 2, address: addressShown, least: 500},
	{talk: 1, talkText: talkTextShown / 2, steps: 3, choices: choicesShown, names: namesShown / 2, address: addressShown},
	{steps: 1, choices: choicesShown / 2, names: 1, address: addressShown},
}

// The lengths of texts that are shown in full elsewhere, or only need to be recognized, in
// characters.
const (
	agentShown   = 60
	summaryShown = 160
	loneShown    = 700
	contextShown = 400
	typedShown   = 300
	plainShown   = 2400
)

const (
	// talkShown is how many of the last exchanges with the agent a card shows, and talkTextShown the maximum
	// length of each text.
	talkShown     = 3
	talkTextShown = 240
)

// How much of a vote a card shows: the number of choices, and the length of each and of each name.
const (
	choicesShown = 8
	choiceShown  = 60
	voterShown   = 30
)

// namesShown is how many people are named in a row.
const namesShown = 6

// What a closed card shows at most, in characters as sent. Ten questions of
// this size stay below what any platform takes, and share less where it takes
// less.
const (
	askedShown  = 300
	chosenShown = 700
	reasonShown = 600
	// headShown is how long a choice in the first line may be, notChosenShown how much is shown of what was not chosen,
	// and contextKept how much of the context.
	headShown      = 120
	notChosenShown = 120
	contextKept    = 120
	// aboutShown and aboutLines are how much of what a permission covers.
	aboutShown = 300
	aboutLines = 6
)
