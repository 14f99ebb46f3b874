package slack

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/askbridge/askbridge/platform"
)

// Command is the app's slash command, and EventHome the event when a person opens its Home tab
// (https://docs.slack.dev/reference/events/app_home_opened).
const (
	Command   = "/askbridge"
	EventHome = "app_home_opened"
)

const (
	// homeTab is the type of the view on the Home tab, and its name in the event.
	homeTab = "home"
	// inboxMark is the value of the controls of an inbox in an ephemeral message.
	inboxMark = "inbox"
)

// inInbox reports whether the used control, or the one that opened the form, is in an inbox.
func (p *payload) inInbox() bool {
	if p.Type == viewSubmission {
		_, _, ok := p.View.inbox()
		return ok
	}
	return p.View.Type == homeTab || p.Container.Ephemeral && p.used().Value == inboxMark
}

// stampedInInbox appends to a form's private_metadata that it was opened in an inbox, when, and where that can be
// replaced. Slack returns a form's metadata to the app alone.
func stampedInInbox(token, pressed, address string) string {
	return strings.Join([]string{token, inboxMark, pressed, address}, stampMark)
}

// inbox parses the output of stampedInInbox. The address is empty for the Home tab.
func (v *view) inbox() (pressed, address string, ok bool) {
	parts := strings.Split(v.PrivateMetadata, stampMark)
	if len(parts) != 4 || parts[1] != inboxMark {
		return "", "", false
	}
	return parts[2], parts[3], true
}

// typedCommand contains the members of a slash command that are used
// (https://docs.slack.dev/interactivity/implementing-slash-commands).
type typedCommand struct {
	Command    string `json:"command"`
	Text       string `json:"text"`
	User       string `json:"user_id"`
	Team       string `json:"team_id"`
	Enterprise string `json:"enterprise_id"`
	App        string `json:"api_app_id"`
	Wide       truth  `json:"is_enterprise_install"`
	// Trigger and ReplyURL are credentials: never log them.
	Trigger  string `json:"trigger_id"`
	ReplyURL string `json:"response_url"`
}

// inboxRef is the reference of an act in an inbox, which is no posted message.
func inboxRef() platform.MessageRef { return platform.MessageRef{Platform: Name} }

// commandOf returns a slash command that arrived as a form as JSON, or false for another form.
func commandOf(form []byte) ([]byte, bool) {
	if _, ok := field(form, "command"); !ok {
		return nil, false
	}
	values, err := url.ParseQuery(string(form))
	if err != nil {
		return nil, false
	}
	members := map[string]string{}
	for name := range values {
		members[name] = values.Get(name)
	}
	raw, err := json.Marshal(members)
	return raw, err == nil
}
