package ask

import (
	"fmt"
	"strings"
)

// Place is one place where a request is shown: a channel, a thread of a channel, or
// a person's direct messages.
//
//	<platform>[@<installation>]:<channel>[/<thread>]
//	<platform>[@<installation>]:@<person>
//
// is its short form, as in "slack:C0000001", "slack@T0000001:C0000001/1700000000.000100"
// and "discord:@300000000000000002". [ParsePlace] and [Place.String] are the only ones
// who know it.
type Place struct {
	Platform string `json:"platform" doc:"The platform to ask on" example:"slack"`
	// Installation is where the platform's ids hold: a Slack workspace or
	// organisation, a Discord server. Empty means the only one there is.
	Installation string `json:"installation,omitempty" doc:"The Slack workspace or organisation, or the Discord server, that the channel or person has to be of; leave it out for the only one" example:"T0000001"`
	Channel      string `json:"channel,omitempty" doc:"The platform's id of a channel; not beside user" example:"C0000001"`
	Thread       string `json:"thread,omitempty" doc:"The platform's id of a thread of the channel" example:"1700000000.000100"`
	User         string `json:"user,omitempty" doc:"The platform's id of a person, who is asked in a direct message; not beside channel" example:"U0000001"`
}

// personal says of platforms with which letters the ids of people begin, where ids
// tell people from channels; elsewhere a person is written with an @.
// https://docs.slack.dev/reference/objects/user-object says U or W.
var personal = map[string]string{"slack": "UW"}

func tellsPerson(platform, id string) bool { return strings.IndexAny(id, personal[platform]) == 0 }

// ParsePlace reads the short form of a place. An @ before the id says person on every
// platform; Slack's ids tell that also without.
func ParsePlace(s string) (Place, error) {
	prefix, id, ok := cutPrefix(s)
	platform, installation, installed := strings.Cut(prefix, "@")
	id, thread, threaded := strings.Cut(id, "/")
	id, person := strings.CutPrefix(id, "@")
	if !ok || platform == "" || id == "" || installed && installation == "" || threaded && thread == "" {
		return Place{}, fmt.Errorf("%q is not a place such as slack:C0000001, slack:C0000001/<thread> or slack:U0000001", shorten(s))
	}
	p := Place{Platform: platform, Installation: installation}
	if !person && !tellsPerson(platform, id) {
		p.Channel, p.Thread = id, thread
		return p, nil
	}
	if threaded {
		return Place{}, fmt.Errorf("%q names a person, who has no threads", shorten(s))
	}
	p.User = id
	return p, nil
}

// String returns the short form.
func (p Place) String() string {
	var s strings.Builder
	s.WriteString(p.Platform)
	if p.Installation != "" {
		s.WriteString("@" + p.Installation)
	}
	s.WriteByte(':')
	switch {
	case p.User != "" && !tellsPerson(p.Platform, p.User):
		s.WriteString("@" + p.User)
	case p.User != "":
		s.WriteString(p.User)
	default:
		s.WriteString(p.Channel)
	}
	if p.Thread != "" {
		s.WriteString("/" + p.Thread)
	}
	return s.String()
}

// cutPrefix splits what stands before the first colon from the id behind it.
func cutPrefix(s string) (prefix, id string, ok bool) {
	prefix, id, ok = strings.Cut(s, ":")
	return prefix, id, ok && prefix != "" && id != ""
}
