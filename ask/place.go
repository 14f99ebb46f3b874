package ask

import (
	"fmt"
	"regexp"
	"strings"
)

// Place is where a request is shown: a channel, a thread of a channel, or a person's direct
// messages. Its short form, the same on every platform, is
//
//	<platform>[@<installation>]:<channel>[/<thread>]
//	<platform>[@<installation>]:@<person>
//
// as in "slack:C0000001", "slack@T0000001:C0000001/1700000000.000100" and
// "discord:@300000000000000002". The @ is optional for ids that look like a Slack user id: U or
// W followed by capitals and digits. A channel id of that form is written with a # before it.
// Only [ParsePlace] and [Place.String] know this syntax.
type Place struct {
	Platform string `json:"platform" doc:"The platform to ask on" example:"slack"`
	// Installation is the scope of the platform's ids: a Slack workspace or organization, or a
	// Discord server. Empty means the only one.
	Installation string `json:"installation,omitempty" doc:"The Slack workspace or organisation, or the Discord server, that the channel or person has to be of; leave it out for the only one" example:"T0000001"`
	Channel      string `json:"channel,omitempty" doc:"The platform's channel id; cannot be combined with user" example:"C0000001"`
	Thread       string `json:"thread,omitempty" doc:"The platform's id of a thread of the channel" example:"1700000000.000100"`
	User         string `json:"user,omitempty" doc:"The platform's id of a person, who is asked in a direct message; cannot be combined with channel" example:"U0000001"`
}

// personal matches ids that are recognizable as a person's: Slack's are U or W followed by
// capitals and digits (https://docs.slack.dev/reference/objects/user-object).
var personal = regexp.MustCompile(`^[UW][A-Z0-9]+$`)

// ParsePlace parses the short form of a place.
func ParsePlace(s string) (Place, error) {
	prefix, id, ok := cutPrefix(s)
	platform, installation, installed := strings.Cut(prefix, "@")
	id, thread, threaded := strings.Cut(id, "/")
	id, person := strings.CutPrefix(id, "@")
	if !ok || platform == "" || id == "" || installed && installation == "" || threaded && thread == "" {
		return Place{}, fmt.Errorf("%q is not a place such as slack:C0000001, slack:C0000001/<thread> or slack:U0000001", shorten(s))
	}
	p := Place{Platform: platform, Installation: installation}
	if !person && !personal.MatchString(id) {
		if marked(id) {
			id = id[1:]
		}
		p.Channel, p.Thread = id, thread
		return p, nil
	}
	if threaded {
		return Place{}, fmt.Errorf("%q names a person, who has no threads", shorten(s))
	}
	p.User = id
	return p, nil
}

// marked reports whether an id has a # prefix that marks it as a channel.
func marked(id string) bool {
	return strings.HasPrefix(id, "#") && personal.MatchString(strings.TrimLeft(id, "#"))
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
	case p.User != "" && !personal.MatchString(p.User):
		s.WriteString("@" + p.User)
	case marked("#" + p.Channel):
		s.WriteString("#" + p.Channel)
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

// cutPrefix splits s at the first colon.
func cutPrefix(s string) (prefix, id string, ok bool) {
	prefix, id, ok = strings.Cut(s, ":")
	return prefix, id, ok && prefix != "" && id != ""
}
