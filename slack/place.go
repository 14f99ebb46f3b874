package slack

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"
	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/platform"
)

// CheckTarget checks the format of a target's ids.
func (c *Connector) CheckTarget(t ask.Place) error {
	if err := checkTarget(t); err != nil || c.only != nil {
		return err
	}
	if t.Installation == "" {
		named := t
		named.Installation = exampleInstallation
		return unclear(t.String(), named.String())
	}
	return nil
}

// exampleInstallation is the id of a workspace in messages.
const exampleInstallation = "T0123ABCD"

// unclear is the error of a place, person or group that does not name its workspace.
func unclear(text, better string) error {
	return fmt.Errorf("slack: %q does not say in which workspace, and the app can be installed in several: write %s, "+
		"with the id of the workspace or organisation (askbridge slack installations lists them)", text, better)
}

// checkEntry checks whether a person or group names an installation: it must if the app is installed in
// several, and must not otherwise, since nothing would match it.
func (c *Connector) checkEntry(e ask.Entry) error {
	named, bare := e, e
	named.Installation, bare.Installation = exampleInstallation, ""
	switch {
	case c.only != nil && e.Installation != "":
		return fmt.Errorf("slack: %q names a workspace, but this bridge serves one: write %s", e.String(), bare.String())
	case c.only == nil && !installationID.MatchString(e.Installation):
		return unclear(e.String(), named.String())
	}
	return nil
}

func checkTarget(t ask.Place) error {
	switch {
	case t.Platform != Name:
		return fmt.Errorf("slack: target is on %q", t.Platform)
	case t.Installation != "" && !installationID.MatchString(t.Installation):
		return fmt.Errorf("slack: %q is no workspace or organisation; those look like T0123ABCD or E0123ABCD (in the address of Slack in a browser)",
			t.Installation)
	case t.Channel != "" && t.User != "":
		return errors.New("slack: target names a channel and a user; it can be one of them")
	case t.Channel == "" && t.User == "":
		return errors.New("slack: target names neither a channel nor a user")
	case t.User != "" && !userID.MatchString(t.User):
		return fmt.Errorf("slack: %q is no user id; those look like U0123ABCD (profile, three dots, copy member ID)", t.User)
	case t.User != "" && t.Thread != "":
		return errors.New("slack: a thread needs its channel, not a user")
	case t.Channel != "" && !channelID.MatchString(t.Channel):
		return fmt.Errorf("slack: %q is no channel id; those look like C0123ABCD (channel name, About, at the end)", t.Channel)
	case t.Thread != "" && !messageTS.MatchString(t.Thread):
		return fmt.Errorf("slack: %q is no thread; those look like 1712345678.000100", t.Thread)
	}
	return nil
}

// Permalink returns the address of a posted card; "" until auth.test has returned the workspace's
// address. It makes no call. It implements [platform.Linker].
func (c *Connector) Permalink(ctx context.Context, to ask.Place, ref platform.MessageRef) string {
	w, err := c.at(ctx, "chat.getPermalink", ref.Installation)
	if err != nil {
		return ""
	}
	return Permalink(w.self.home().address, ref.Channel, to.Thread, ref.Message)
}

// Permalink returns the address of a message as chat.getPermalink does
// (https://docs.slack.dev/reference/methods/chat.getPermalink), given the workspace's address from
// auth.test and the thread of a reply. It returns "" if an argument other than the thread is empty
// or the workspace's address is not an https URL.
func Permalink(workspace, channel, thread, message string) string {
	at, err := url.Parse(workspace)
	if err != nil || at.Scheme != "https" || at.Host == "" || channel == "" || message == "" {
		return ""
	}
	at = at.JoinPath("archives", channel, "p"+strings.Replace(message, ".", "", 1))
	if thread != "" && thread != message {
		at.RawQuery = "thread_ts=" + url.QueryEscape(thread) + "&cid=" + url.QueryEscape(channel)
	}
	return at.String()
}

// places resolves targets to conversations.
type places struct {
	api       *webAPI
	directory *directory
	direct    *lru.Cache[string, string] // conversation ids of direct messages by user
}

func newPlaces(api *webAPI, directory *directory) *places {
	direct, _ := lru.New[string, string](maxKnown) // New fails only for a size below one.
	return &places{api: api, directory: directory, direct: direct}
}

// of returns the conversation id of a target. A direct message has its own id, which
// chat.update needs; it is looked up once.
func (p *places) of(ctx context.Context, op string, to ask.Place) (string, error) {
	if err := checkTarget(to); err != nil {
		return "", &platform.Error{Platform: Name, Op: op, Kind: platform.Unreachable, Code: "invalid_target", Err: err}
	}
	if err := p.directory.installedIn(ctx, op, to.Installation); err != nil {
		return "", err
	}
	if to.User == "" {
		return to.Channel, nil
	}
	if channel, known := p.direct.Get(to.User); known {
		return channel, nil
	}
	var channel string
	err := p.api.do(ctx, call{op: "conversations.open"}, func(ctx context.Context) error {
		conversation, _, _, err := p.api.sdk().OpenConversationContext(ctx,
			&slackapi.OpenConversationParameters{Users: []string{to.User}})
		if err == nil && (conversation == nil || conversation.ID == "") {
			return fmt.Errorf("%w: no channel", errUnreadable)
		}
		if err == nil {
			channel = conversation.ID
		}
		return err
	})
	if e, ok := errors.AsType[*platform.Error](err); ok && e.Code == "missing_scope" {
		e.Kind = platform.Unreachable // Channels can still be posted to.
	}
	if err != nil {
		return "", err
	}
	p.direct.Add(to.User, channel)
	return channel, nil
}
