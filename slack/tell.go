package slack

import (
	"context"
	"errors"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

// PostMentioning is Post with a report of the people who were not notified. Slack accepts mentions
// of unknown people silently, so unknown people are looked up asynchronously after the post. It
// implements [platform.Mentioner].
func (c *Connector) PostMentioning(ctx context.Context, to ask.Place, card render.Card) (platform.MessageRef, []platform.Missed, error) {
	ref, err := c.Post(ctx, to, card)
	if err != nil {
		return ref, nil, err
	}
	w, err := c.at(ctx, "users.info", ref.Installation)
	if err != nil {
		return ref, nil, nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, handleTime, errCallTimeout)
	defer cancel()
	var missed []platform.Missed
	for _, who := range w.directory.local(card).Tells {
		if why := w.directory.untold(ctx, who); why != "" {
			missed = append(missed, platform.Missed{Who: who.Key(), Why: why})
		}
	}
	return ref, missed, nil
}

// untold returns why a mention notifies no one, or "" if unknown.
// https://docs.slack.dev/reference/methods/users.info#errors
// https://docs.slack.dev/reference/methods/usergroups.list
func (d *directory) untold(ctx context.Context, who ask.Person) string {
	if who.Platform == GroupPrefix {
		f := d.handles.get(ctx, allGroups, func(f fact[map[string]string]) bool {
			return time.Since(f.at) < handleLife || time.Since(f.failed) < handleLife || f.value[who.ID] != "" && recent(f)
		})
		if _, known := f.value[who.ID]; !known && time.Since(f.at) < handleLife {
			return "there is no such user group, or it is disabled"
		}
		return ""
	}
	f := d.people.get(ctx, who.ID, recent)
	switch {
	case isUnknown(f.err) && f.at.IsZero():
		return "Slack knows no such person"
	case f.value.gone && !f.at.IsZero():
		return "the account is deactivated, or another company's"
	}
	return ""
}

// isUnknown reports whether Slack does not know the person.
func isUnknown(err error) bool {
	e, ok := errors.AsType[*platform.Error](err)
	return ok && (e.Code == "user_not_found" || e.Code == "user_not_visible")
}
