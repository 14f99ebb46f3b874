package blockkit

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/render"
)

// frame returns a context block for the bridge's own words with the names of agents, people and places.
// Context blocks do not support rich text. A name that mrkdwn would change becomes a separate plain
// text element; everything else is mrkdwn, since only its tokens show people and times.
// https://docs.slack.dev/reference/block-kit/blocks/context-block
func frame(s render.Section) []slackapi.Block {
	var (
		elements []slackapi.MixedElement
		text     strings.Builder
	)
	flush := func() {
		if t := strings.TrimSpace(text.String()); t != "" {
			elements = append(elements, formatted(t))
		}
		text.Reset()
	}
	for _, span := range s.Text {
		out := span.Text
		if len(s.Text) > 1 {
			out = render.Isolate(out)
		}
		if span.URL != "" {
			text.WriteString(masked(span, out))
			continue
		}
		if changed(out) {
			flush()
			if out = strings.TrimSpace(out); out != "" {
				elements = append(elements, plain(out, MaxText))
			}
			continue
		}
		text.WriteString(marked(span, out))
	}
	flush()
	if len(elements) > MaxContext {
		elements = []slackapi.MixedElement{formatted(strings.TrimSpace(alike(s.Text)))}
	}
	if len(elements) == 0 {
		return nil
	}
	return []slackapi.Block{slackapi.NewContextBlock(s.ID, elements...)}
}

// masked returns a text that leads to an address.
// https://docs.slack.dev/messaging/formatting-message-text#linking-urls
func masked(s render.Span, out string) string {
	return "<" + entities.Replace(s.URL) + "|" + entities.Replace(literal(out)) + ">"
}

// marked returns a span as mrkdwn.
// https://docs.slack.dev/messaging/formatting-message-text
func marked(s render.Span, out string) string {
	text := entities.Replace(out)
	switch s.Style {
	case render.Mention, render.Moment:
		return token(s)
	case render.Bold:
		return "*" + text + "*"
	case render.Aside:
		return "_" + text + "_"
	}
	return text
}

// alike returns spans as mrkdwn with look-alikes for formatting characters, for texts that need mrkdwn and
// that people do not copy.
func alike(spans []render.Span) string {
	var b strings.Builder
	for _, s := range spans {
		if s.Style == render.Mention || s.Style == render.Moment {
			b.WriteString(token(s))
			continue
		}
		if s.URL != "" {
			b.WriteString(masked(s, s.Text))
			continue
		}
		b.WriteString(entities.Replace(literal(s.Text)))
	}
	return b.String()
}

// token returns a person or a time as a mrkdwn token.
func token(s render.Span) string {
	if s.Style == render.Moment {
		return "<!date^" + strconv.FormatInt(s.Time.Unix(), 10) + "^" + momentFormat + "|" + moments(s) + ">"
	}
	switch {
	case rings(s.Person):
		return "<@" + s.Person.ID + ">"
	case s.Person.Platform == groupPlatform && groupID.MatchString(s.Person.ID):
		return "<!subteam^" + s.Person.ID + ">"
	}
	return entities.Replace(literal(inWords(s.Person)))
}

var userID = regexp.MustCompile(`^[UW][A-Z0-9]{1,30}$`)

// A user group is mentioned only to notify its members, since a mention notifies all of them: the layout
// has no other mention of it.
// https://docs.slack.dev/messaging/formatting-message-text#mentioning-groups
const groupPlatform = "slack-group"

var groupID = regexp.MustCompile(`^S[A-Z0-9]{1,30}$`)

// rings reports whether a person is shown as a mention, which Slack links and which notifies them of a new
// message.
// https://docs.slack.dev/messaging/formatting-message-text#mentioning-users
func rings(p ask.Person) bool { return userID.MatchString(p.ID) }

// inWords returns the name of a person without a mention.
func inWords(p ask.Person) string {
	return strings.TrimSpace(render.Line(p.Name) + " " + render.Line(p.ID))
}

// momentFormat shows a time in the reader's own time zone.
// https://docs.slack.dev/messaging/formatting-message-text#date-formatting
const momentFormat = "{date_short_pretty}, {time}"

// moments returns a time as text where no token is possible.
func moments(s render.Span) string {
	return cmp.Or(render.Line(s.Text), s.Time.UTC().Format("2 Jan 2006, 15:04 UTC"))
}

// Note returns the blocks of a note to one person, and the text for notifications.
func Note(spans []render.Span) (blocks []slackapi.Block, text string) {
	return body(render.Section{Kind: render.Body, ID: "note", Text: spans}), fallback(spans)
}
