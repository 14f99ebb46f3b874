package codec

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/internal/rawjson"
)

// The formats of records. A new one comes only when older builds must not touch
// a newer record, and only records that need it are written in it; a new member
// alone does not, since older builds keep members that they do not know.
const (
	// layeredPolicy: several lists say who may answer, all of which have to let
	// somebody pass. Builds before it knew one list, and would let more people pass.
	layeredPolicy = 2
	// voted: several people decide. Builds before it would end the request with the
	// first answer.
	voted = 3
	// led: what a request says of who is told and when, and of what messages can answer,
	// stands in the record. Builds before it would tell other people, leave out what is to
	// happen later, and forget in which message somebody has voted;
	// end at once what people can undo; decide and leave nothing for auditors; allow for
	// a time what the agent would ask again all the same; take a press that was meant
	// for what the agent has revised, and lose what people ask it; or take away what
	// stands on the card.
	led = 4
	// partial: questions may be left unanswered or have notes. Builds before it would
	// demand every answer, and lose what was skipped or noted.
	partial = led
	// deliberate: a choice counts only once it is submitted. Builds before it would take
	// one tap for the decision.
	deliberate = 5
	// passable: people can pass the request on. Builds before it would let those answer who
	// have, and not those to whom it was passed on.
	passable = deliberate
	// sealed: all but the tenant is encrypted. Builds before it would find an empty record.
	sealed = deliberate
	// filed: nobody can answer before the files of the request stand below its card. Builds
	// before it would let people approve what they have not been shown.
	filed = deliberate
	// enclosed: a card shows the beginning of a file, and says so. Builds before it would
	// show that as if it were all.
	enclosed = 6
	// refiled: the agent has revised what is enclosed. Builds before it would take the file
	// of what was asked before for the one that has to stand there.
	refiled = 7
	// newest is the newest format that this build reads.
	newest = refiled
)

// formatOf is the oldest format that can hold the record; zero stands for the
// first.
func formatOf(r *bridge.Record) int {
	switch {
	case r.Revised > 0 && slices.ContainsFunc(r.Files, ask.Attachment.OfContext):
		return refiled
	case slices.ContainsFunc(r.Files, func(f ask.Attachment) bool { return f.Unshown > 0 }):
		return enclosed
	case slices.ContainsFunc(r.Questions, func(q ask.Question) bool { return q.Confirm }):
		return deliberate
	case r.Schedule != nil && !r.Schedule.PassTo.IsZero():
		return passable
	case len(r.Files) > 0:
		return filed
	case r.Schedule != nil, r.Trail != nil:
		return led
	case r.Audience != nil, r.Hold != 0:
		return led
	case len(r.Links) > 0:
		return led
	case r.Replies.On():
		return led
	case r.Permit != nil, r.Revised != 0, r.AskBack.On(), r.Receipt != nil:
		return led
	case ask.Partial(r.Questions):
		return partial
	case r.Voting != nil:
		return voted
	case r.Policy.Layered():
		return layeredPolicy
	}
	return 0
}

// Entry is a version of a record as this build sees it, with the members that a
// newer build wrote and this one only carries. Once made it never changes, so
// it is handed on by pointer.
type Entry struct {
	Rec   bridge.Record
	Extra map[string]json.RawMessage
	// write tells the write that made this version from every other one. Only
	// Redis needs it, and keeps it beside the record.
	Write string
}

// Token names this version of the record and no other. A number alone would
// not: after a failover that lost a write, two versions can have the same one.
func (e *Entry) Token() string {
	version := strconv.FormatInt(e.Rec.Version, 10)
	if e.Write == "" {
		return version
	}
	return version + "." + e.Write
}

// members are the names this build knows.
var members = func() map[string]bool {
	known := map[string]bool{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[stored]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		known[name] = true
	}
	return known
}()

// Decode reads the stored form of the record with the id, which is in clear.
func Decode(id string, data []byte) (*Entry, error) { return Form{}.Decode(id, data) }

// read reads what is stored, if this build can.
func read(data []byte) (s stored, err error) {
	err = json.Unmarshal(data, &s)
	if s.Format > newest {
		return s, fmt.Errorf("%w: it has format %d, this one reads up to %d", bridge.ErrTooNew, s.Format, newest)
	}
	if err != nil {
		return s, fmt.Errorf("decode record: %w", err)
	}
	return s, nil
}

// entryOf is the record of an id, with the members that this build does not know.
func entryOf(id string, s *stored, data []byte) *Entry {
	var extra map[string]json.RawMessage
	for name, value := range rawjson.Members(data) {
		if members[name] {
			continue
		}
		if extra == nil {
			extra = map[string]json.RawMessage{}
		}
		extra[name] = slices.Clone(value)
	}
	return &Entry{Rec: s.record(id), Extra: extra}
}

// TenantOf reads the tenant out of an encoded record.
func TenantOf(data []byte) string {
	var r struct {
		Tenant string `json:"te"`
	}
	_ = json.Unmarshal(data, &r) // Whoever loads the record learns what is wrong with it.
	return r.Tenant
}

// First runs f on a copy of r and returns it as version 1.
func First(r *bridge.Record, f bridge.Transition, now time.Time) (*Entry, error) {
	e := &Entry{Rec: r.Clone()}
	if e.Rec.Created.IsZero() {
		e.Rec.Created = now
	}
	return e, e.become(r.ID, 1, f, now)
}

// Apply runs f on a copy of e and returns it as the next version.
func (e *Entry) Apply(f bridge.Transition, now time.Time) (*Entry, error) {
	next := &Entry{Rec: e.Rec.Clone(), Extra: e.Extra}
	return next, next.become(e.Rec.ID, e.Rec.Version+1, f, now)
}

// become runs f on the record and makes it a version. Its moments get the
// precision and the zone that they will have when they are read again.
func (e *Entry) become(id string, version int64, f bridge.Transition, now time.Time) error {
	r := &e.Rec
	if err := f(r, now); err != nil {
		return err
	}
	r.ID, r.Version, r.Changed = id, version, now
	for _, t := range []*time.Time{&r.Created, &r.Changed, &r.Deadline, &r.Due, &r.DeliveryDue, &r.EndedAt, &r.HandedAt} {
		*t = MicrosOf(*t).Time()
	}
	return nil
}

// Micros is a moment in microseconds since 1970, the unit of Redis TIME; zero
// is none. Scores of sorted sets hold it exactly until the year 2255, and
// [record.Forever] too.
type Micros int64

// MicrosOf is a moment as it is stored.
func MicrosOf(t time.Time) Micros {
	if t.IsZero() {
		return 0
	}
	return Micros(t.UnixMicro())
}

// Time is the moment, in UTC.
func (m Micros) Time() time.Time {
	if m == 0 {
		return time.Time{}
	}
	return time.UnixMicro(int64(m)).UTC()
}

// Until is how long it takes from now to m: at least nothing, at most what a
// Duration can say.
func (m Micros) Until(now Micros) time.Duration {
	const most = Micros(math.MaxInt64 / time.Microsecond)
	return time.Duration(min(max(m-now, 0), most)) * time.Microsecond
}
