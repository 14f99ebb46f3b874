package bridge

import (
	"time"
)

// Rota knows who is on call when. It must not block: it reads its sources ahead of time.
type Rota interface {
	// OnCall returns the people on call at a moment: accounts such as "slack:U0000001", and names of
	// [Options.People]. The list may be empty. It returns an error if it cannot tell; callers of the bridge see that
	// error, so it must not contain secrets.
	OnCall(at time.Time) ([]string, error)
	// Everybody returns all people that OnCall can return, for a check.
	Everybody() []string
}

// Turns is a [Rota] of members who take turns, in their order.
type Turns struct {
	Members []string
	// From is when the first member's first turn begins: before it nobody is on call. Each
	// turn takes Days days, and ends at the same time of day by the clocks of From's zone.
	From time.Time
	Days int
}

// OnCall returns the member whose turn it is. Where clocks show a time of day twice, a turn ends
// with the first.
func (t Turns) OnCall(at time.Time) ([]string, error) {
	if at.Before(t.From) || len(t.Members) == 0 || t.Days < 1 {
		return nil, nil
	}
	at = at.In(t.From.Location())
	shown := onClock(at)
	if setBack, _ := at.ZoneBounds(); !setBack.IsZero() {
		if before := onClock(setBack.Add(-1)); before.After(shown) {
			shown = before
		}
	}
	turn := int64(shown.Sub(onClock(t.From))/(24*time.Hour)) / int64(t.Days)
	return t.Members[turn%int64(len(t.Members)):][:1], nil
}

// onClock is what a clock in the zone of a moment shows then, as if it stood in UTC.
func onClock(at time.Time) time.Time {
	_, offset := at.Zone()
	return at.UTC().Add(time.Duration(offset) * time.Second)
}

// Everybody returns the members.
func (t Turns) Everybody() []string { return t.Members }
