package digest

import (
	"context"
	"errors"
	"sort"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/internal/inbox"
	"github.com/askbridge/askbridge/bridge/internal/state"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/platform"
)

const (
	// quiet is how long there is no digest after a card notified the same person or channel.
	quiet = time.Hour
	// repeatable is how long after a post of unknown effect it may be repeated: Discord recognizes it for a few minutes
	// (https://docs.discord.com/developers/resources/message#create-message).
	repeatable = 4 * time.Minute
)

// scan finds what waits for each job, in one pass over the open requests and those that ended lately.
func (d *Digests) scan(ctx context.Context, jobs []*job) error {
	now := d.Records.Clock.Now()
	since, index := now.Add(-quiet), inbox.NewIndex()
	open := make([][]*record.Record, len(jobs)) // in the channel of each job
	var fresh []*record.Record
	for _, scan := range []storage.Scan{{Limit: state.BatchSize}, {Ended: true, From: since, Limit: state.BatchSize}} {
		for r, err := range d.Records.All(ctx, scan) {
			if err != nil {
				return err
			}
			if !scan.Ended {
				index.Put(r)
			}
			if changedSince(r, since) {
				fresh = append(fresh, r)
			}
			for n, j := range jobs {
				if inChannel(r, j.place) {
					open[n] = append(open[n], &record.Record{ID: r.ID, Created: r.Created, Deadline: r.Deadline, Risk: r.Risk})
				}
			}
		}
	}
	for n, j := range jobs {
		if j.place.User == "" {
			sort.Slice(open[n], func(a, b int) bool { return inbox.Urgency(open[n][a], open[n][b], now) < 0 })
			for _, r := range open[n] {
				j.waiting = append(j.waiting, r.ID)
			}
		} else {
			if _, ok := d.Platforms.Named[j.place.Platform].(platform.MembershipFinder); !ok {
				j.who.Membership = ask.Member // The platform sends direct messages to members only.
			}
			j.who.Groups = d.People.Accounts.Groups(j.who.Person, nil)
			j.who, _ = d.People.LookUp(ctx, j.who, j.who.Installation, index)
			j.waiting = index.Waiting(j.who, j.who.Installation, now)
		}
		for _, r := range fresh {
			if j.place.User == "" && record.PostedSince(r, j.place, since) || j.place.User != "" && record.NotifiedSince(r, j.who, since) {
				j.notified = true
				break
			}
		}
	}
	return nil
}

// changedSince reports whether a request was made or had a step at or after a time.
func changedSince(r *record.Record, since time.Time) bool {
	if r.Schedule != nil && r.Schedule.Done > 0 && !r.Schedule.Steps[r.Schedule.Done-1].At.Before(since) {
		return true
	}
	return !r.Created.Before(since)
}

// inChannel reports whether an open request has a card in a channel.
func inChannel(r *record.Record, at ask.Place) bool {
	if !r.Open() || r.Held != nil {
		return false
	}
	for _, c := range r.Copies {
		if c.State == record.Posted && c.Within(at) {
			return true
		}
	}
	return false
}

// send posts a digest if something waits, and deletes the one before.
func (d *Digests) send(ctx context.Context, j *job) error {
	if len(j.waiting) == 0 || j.notified {
		d.Log.Debug("no digest", "place", j.place.String(), "waiting", len(j.waiting), "notified", j.notified)
		j.Done = j.at
		return d.release(ctx, j.held)
	}
	m := &message{At: j.at, Shown: j.waiting[:min(len(j.waiting), maxShown)], Who: j.who}
	m.More = len(j.waiting) - len(m.Shown)
	return d.post(ctx, j.held, m, d.Records.Clock.Now())
}

// post posts a message, of which an earlier post may have had an effect since a time. The place is claimed.
func (d *Digests) post(ctx context.Context, h *held, m *message, since time.Time) error {
	card, err := d.card(ctx, h.place, m)
	if err != nil {
		return errors.Join(err, d.release(ctx, h))
	}
	h.Begun, h.Since = m, since
	if err := d.claim(ctx, h); err != nil {
		return err
	}
	var ref platform.MessageRef
	err = d.call(h.place, false, func(p platform.Digester) (err error) {
		ref, err = p.PostDigest(ctx, h.place, card)
		return err
	})
	var pe *platform.Error
	switch errors.As(err, &pe); {
	case err == nil:
		d.Log.Info("digest posted", "place", h.place.String(), "waiting", len(m.Shown)+m.More)
		return d.posted(ctx, h, ref)
	case pe == nil || pe.Kind == platform.Ambiguous:
		return errors.Join(err, d.release(ctx, h)) // It may be posted.
	case pe.Kind == platform.Unreachable || pe.Kind == platform.Refused:
		h.Done = m.At
	}
	h.Begun, h.Since = nil, time.Time{} // It is not posted, and due until it is too late.
	return errors.Join(err, d.release(ctx, h))
}

// posted stores the message that was posted, and deletes the one before.
func (d *Digests) posted(ctx context.Context, h *held, ref platform.MessageRef) error {
	if old := h.Current.Ref; old != (platform.MessageRef{}) {
		h.Old = append(h.Old, old)
	}
	h.Current, h.Done, h.Begun, h.Since = *h.Begun, h.Begun.At, nil, time.Time{}
	h.Current.Ref = ref
	if err := d.claim(ctx, h); err != nil {
		return err
	}
	return d.clean(ctx, h)
}

// clean deletes old messages and releases the place.
func (d *Digests) clean(ctx context.Context, h *held) error {
	var left []platform.MessageRef
	for _, ref := range h.Old {
		err := d.call(h.place, true, func(p platform.Digester) error { return p.DeleteDigest(ctx, ref) })
		if again(err) {
			left = append(left, ref)
		}
		if err != nil {
			d.Log.Info("old digest not deleted", "place", h.place.String(), "error", err)
		}
	}
	h.Old = left
	return d.release(ctx, h)
}

// recover settles a message whose post may have had an effect. Afterwards nothing is begun; otherwise it returns the reason.
func (d *Digests) recover(ctx context.Context, h *held, now time.Time) error {
	if err := d.claim(ctx, h); err != nil {
		return err
	}
	var found []platform.MessageRef
	err := errors.ErrUnsupported
	if finder, ok := d.Platforms.Named[h.place.Platform].(platform.Finder); ok {
		// No circuit breaker notes the error: an app may lack the permission to search.
		found, err = finder.Find(ctx, h.place, h.Begun.id(), h.Begun.At)
	}
	pe, _ := errors.AsType[*platform.Error](err)
	switch {
	case len(found) > 0:
		return d.posted(ctx, h, found[len(found)-1])
	case err == nil && now.Sub(h.Since) < repeatable:
		return d.post(ctx, h, h.Begun, h.Since)
	case again(err) && pe.Kind != platform.Misconfigured && now.Sub(h.Since) < late:
		return errors.Join(err, d.release(ctx, h))
	}
	d.Log.Warn("digest not found after an interrupted post, not repeated", "place", h.place.String(), "error", err)
	h.Done, h.Begun, h.Since = h.Begun.At, nil, time.Time{}
	return d.release(ctx, h)
}

// again reports whether another try may help.
func again(err error) bool {
	pe, ok := errors.AsType[*platform.Error](err)
	return ok && (pe.Kind == platform.Transient || pe.Kind == platform.RateLimited || pe.Kind == platform.Ambiguous || pe.Kind == platform.Misconfigured)
}

var errNoPlatform = errors.New("no platform of that name with digests is configured")

// call makes a call about a place if the circuit breakers allow it.
func (d *Digests) call(at ask.Place, posted bool, f func(p platform.Digester) error) error {
	p, ok := d.Platforms.Named[at.Platform].(platform.Digester)
	if !ok {
		return errNoPlatform
	}
	b := d.Platforms.Breakers[at.Platform]
	if err := b.Allow(time.Now(), "", at, posted); err != nil {
		return err
	}
	err := state.Protect(d.Log, func() error { return f(p) })
	b.Note(time.Now(), "", at, err)
	return err
}
