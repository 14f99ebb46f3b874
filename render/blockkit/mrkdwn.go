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

// frame is small grey text: the bridge's own words, with the names of agents,
// people and places. Slack knows no rich text there. A name that mrkdwn would
// change stands in a piece of plain text of its own; everything else is mrkdwn,
// whose tokens alone show people and times.
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
		said := span.Text
		if len(s.Text) > 1 {
			said = render.Isolate(said)
		}
		if changed(said) {
			flush()
			if said = strings.TrimSpace(said); said != "" {
				elements = append(elements, plain(said, MaxText))
			}
			continue
		}
		text.WriteString(marked(span, said))
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

// marked is a span as mrkdwn.
// https://docs.slack.dev/messaging/formatting-message-text
func marked(s render.Span, said string) string {
	text := entities.Replace(said)
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

// alike is spans as mrkdwn in which look-alikes stand for what would format:
// where there is no other way, and nothing is copied from.
func alike(spans []render.Span) string {
	var b strings.Builder
	for _, s := range spans {
		if s.Style == render.Mention || s.Style == render.Moment {
			b.WriteString(token(s))
			continue
		}
		b.WriteString(entities.Replace(literal(s.Text)))
	}
	return b.String()
}

// token is something live in mrkdwn.
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

// A user group is named live only where its members are to be told, since that rings each
// of them: the layout has its mention in no other place.
// https://docs.slack.dev/messaging/formatting-message-text#mentioning-groups
const groupPlatform = "slack-group"

var groupID = regexp.MustCompile(`^S[A-Z0-9]{1,30}$`)

// rings tells whether somebody is shown by a mention, which Slack links to them
// and which tells them of a new message.
// https://docs.slack.dev/messaging/formatting-message-text#mentioning-users
func rings(p ask.Person) bool { return userID.MatchString(p.ID) }

// inWords names somebody without telling them.
func inWords(p ask.Person) string {
	return strings.TrimSpace(render.Line(p.Name) + " " + render.Line(p.ID))
}

// momentFormat shows a time in the reader's own time zone.
// https://docs.slack.dev/messaging/formatting-message-text#date-formatting
const momentFormat = "{date_short_pretty}, {time}"

// moments is a time where it cannot be shown so.
func moments(s render.Span) string {
	return cmp.Or(render.Line(s.Text), s.Time.UTC().Format("2 Jan 2006, 15:04 UTC"))
}

// Note returns a private word to one person: its blocks, and the text that
// stands for them in notifications.
func Note(spans []render.Span) (blocks []slackapi.Block, text string) {
	return body(render.Section{Kind: render.Body, ID: "note", Text: spans}), fallback(spans)
}
