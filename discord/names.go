package discord

import (
	"context"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/render"
)

// names are the names of channels and people, as Discord sent them last.
type names struct{ known *cache }

// PlaceName returns the name of a channel, with a # in front, or of a person. It makes no call, since those for
// unknown channels count against the bot: names come with what is looked up anyway, such as for an address of
// [Connector.Permalink], from the gateway and with interactions. It implements [platform.PlaceNamer].
func (n names) PlaceName(_ context.Context, at ask.Place) string {
	id := at.Channel
	if at.User != "" {
		id = at.User
	}
	name, _ := n.known.Get(id)
	return name
}

func (n names) channel(id, name string) {
	if name = render.Cut(render.Line(name), maxName, nil); name != "" {
		n.known.Add(id, "#"+name)
	}
}

func (n names) person(id, name string) {
	if name != "" {
		n.known.Add(id, name)
	}
}
