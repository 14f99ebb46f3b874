package api

import (
	"fmt"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// ParseTarget reads the short form of a place, as [ask.Place.String] writes it:
// "slack:C0000001", "slack:C0000001/1700000000.000100" for a thread and
// "slack:U0000001" for a person. An @ before the id says person on any platform,
// as in "discord:@300000000000000002": Discord's ids do not tell.
func ParseTarget(s string) (ask.Place, error) {
	platform, place, ok := strings.Cut(s, ":")
	place, thread, threaded := strings.Cut(place, "/")
	id, person := strings.CutPrefix(place, "@")
	if !ok || platform == "" || id == "" || threaded && thread == "" {
		return ask.Place{}, fmt.Errorf("%q is not a place such as slack:C0000001, slack:C0000001/<thread> or slack:U0000001", s)
	}
	// https://docs.slack.dev/reference/objects/user-object says U or W.
	if person || platform == "slack" && slices.Contains([]byte("UW"), id[0]) {
		if threaded {
			return ask.Place{}, fmt.Errorf("%q names a person, who has no threads", s)
		}
		return ask.Place{Platform: platform, User: id}, nil
	}
	return ask.Place{Platform: platform, Channel: id, Thread: thread}, nil
}
