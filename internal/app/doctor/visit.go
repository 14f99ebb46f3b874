package doctor

import (
	"slices"

	"github.com/askbridge/askbridge/ask"
)

// Visit is what an examination looks at on a platform.
type Visit struct {
	// Channels and People are asked; Responders and Groups may answer.
	Channels, People, Responders []string
	Groups                       []ask.Entry
}

// Each goes to all of them, in order and to each once. A person who is asked and may answer is asked.
func (v *Visit) Each(channel func(id string), person func(id string, asked bool), group func(ask.Entry)) {
	for _, id := range v.Channels {
		channel(id)
	}
	for _, id := range v.People {
		person(id, true)
	}
	for _, id := range v.Responders {
		if !slices.Contains(v.People, id) {
			person(id, false)
		}
	}
	for _, g := range v.Groups {
		group(g)
	}
}

// Sorted puts ids in order and leaves out what stands there twice.
func Sorted(ids []string) []string {
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Purpose says what a person is there for, and how bad it is when they cannot.
func Purpose(asked bool) (purpose string, worst State) {
	if asked {
		return "be asked", Broken
	}
	return "answer", Warn
}
