package doctor

import (
	"slices"

	"github.com/askbridge/askbridge/ask"
)

// Visit is what is checked on a platform.
type Visit struct {
	// Channels and People are asked; Responders and Groups may answer.
	Channels, People, Responders []string
	Groups                       []ask.Entry
}

// Each visits all of them once, in order. A person who is asked and may answer counts as asked.
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

// Sorted sorts IDs and removes duplicates.
func Sorted(ids []string) []string {
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Purpose returns why a person is named, and the severity if they cannot be reached.
func Purpose(asked bool) (purpose string, worst State) {
	if asked {
		return "be asked", Broken
	}
	return "answer", Warn
}
