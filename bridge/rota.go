package bridge

import (
	"time"
)

// Rota returns who is on call. It must not block: it reads its sources in advance.
type Rota interface {
	// OnCall returns the people on call at a time: accounts such as "slack:U0000001",
	// and names in [Options.People]. The list may be empty. Callers of the bridge see
	// its error, so that must not contain secrets.
	OnCall(at time.Time) ([]string, error)
	// Everybody returns all people that OnCall can return, for validation.
	Everybody() []string
}

// Turns is a [Rota] of members who take turns in order.
type Turns struct {
	Members []string
	// From is the start of the first member's first turn; before it no one is on call. A
	// turn takes Days days and ends at the same time of day in the time zone of From.
	From time.Time
	Days int
}

// OnCall returns the member whose turn it is. If a time of day occurs twice, a turn ends
// at the first.
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

// onClock returns the local wall-clock time as if it were UTC.
func onClock(at time.Time) time.Time {
	_, offset := at.Zone()
	return at.UTC().Add(time.Duration(offset) * time.Second)
}

// Everybody returns the members.
func (t Turns) Everybody() []string { return t.Members }
