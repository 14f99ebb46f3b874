package bridgetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/platform"
)

// Backend is an empty store under test, with what the suite may do behind its
// back. The parts of the suite that need a nil function are left out.
type Backend struct {
	Store storage.Store
	// Another opens a second handle on the same records.
	Another func(t *testing.T) storage.Store
	// Advance moves the clock of every handle ahead.
	Advance func(d time.Duration)
	// Retention is how long the store keeps ended records. Needed with Advance.
	Retention time.Duration
	// Evict removes a record and leaves its index entries.
	Evict func(id string)
	// Amend rewrites the JSON of a stored record, as a newer build would.
	Amend func(id string, edit func(data []byte) []byte)
}

// TestStore is the contract of [storage.Store]. Every subtest opens an empty
// backend of its own, whose cleanup is up to open.
func TestStore(t *testing.T, open func(t *testing.T) *Backend) {
	t.Helper()
	tests := []struct {
		name string
		run  func(t *testing.T, b *Backend)
	}{
		{"create stores version one", createStores},
		{"create passes the transition's error on", createRefused},
		{"create of a known id returns the first record", createExists},
		{"load of an unknown id", loadUnknown},
		{"change stores the next version", changeStores},
		{"change of an unknown id", changeUnknown},
		{"change with nothing to write", changeUnchanged},
		{"change that fails", changeRefused},
		{"every field survives", everyFieldSurvives},
		{"callers share nothing with the store", nothingShared},
		{"many writers lose no update", manyWriters},
		{"many creators make one record", manyCreators},
		{"a cancelled context", cancelledContext},
		{"due in order with the time to the next", dueInOrder},
		{"due follows the record", dueFollows},
		{"claims are leased", claimLeased},
		{"a claim holds while its field is unchanged", claimStands},
		{"competing claimants share the work", claimCompeting},
		{"scan of open records resumes among ties", scanOpen},
		{"scan of ended records resumes", scanEnded},
		{"scan of one tenant", scanTenant},
		{"the index of a tenant follows the record", tenantFollows},
		{"watchers receive every change", watchHears},
		{"a closed store refuses", closedRefuses},
		{"a second handle sees the same records", secondHandle},
		{"a second handle wakes watchers", secondHandleWakes},
		{"handles race", handlesRace},
		{"time passes", timePasses},
		{"a moment passes", momentPasses},
		{"ended records are dropped in the end", retentionPurges},
		{"an ended record that is left to deliver is kept", undeliveredStays},
		{"an evicted record does not wedge the indexes", evicted},
		{"members of a newer build are kept", unknownKept},
		{"a record too new is refused with a reason", tooNew},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.run(t, open(t))
		})
	}
}

// sample returns an open record that is due in an hour.
func sample(id string) record.Record {
	return record.Record{
		ID: id, Session: "s1", ToolCallID: "toolu_01", Agent: "deploy-bot", Fingerprint: "f1",
		Questions: []ask.Question{{
			Text: "Which database?", Header: "Database",
			Options: []ask.Option{{Label: "Postgres", Description: "<Managed> & nice"}, {Label: "SQLite"}},
		}},
		Policy:  ask.PolicyOf("anyone"),
		Outcome: ask.Outcome{State: ask.Open},
		Copies:  []record.Copy{{Target: ask.Place{Platform: "slack", Channel: "C1"}, State: record.Pending}},
	}
}

// dueIn makes a record due, and sets its deadline.
func dueIn(d time.Duration) record.Transition {
	return func(r *record.Record, now time.Time) error {
		r.Deadline = now.Add(d)
		r.Due = r.Deadline
		return nil
	}
}

// lagIn marks the outside world as behind.
func lagIn(d time.Duration) record.Transition {
	return func(r *record.Record, now time.Time) error {
		r.DeliveryDue = now.Add(d)
		return nil
	}
}

// end closes a record.
func end(r *record.Record, now time.Time) error {
	r.Outcome = ask.Outcome{State: ask.Cancelled, At: now, Reason: "test"}
	r.Due, r.DeliveryDue, r.EndedAt = time.Time{}, time.Time{}, now
	return nil
}

// count adds one; it is the transition whose loss would show.
func count(r *record.Record, _ time.Time) error {
	r.Revision++
	return nil
}

func create(t *testing.T, s storage.Store, id string, f record.Transition) record.Record {
	t.Helper()
	r, err := s.Create(t.Context(), sample(id), f)
	if err != nil {
		t.Fatalf("create %s: %v", id, err)
	}
	return r
}

func change(t *testing.T, s storage.Store, id string, f record.Transition) record.Record {
	t.Helper()
	r, err := s.Change(t.Context(), id, f)
	if err != nil {
		t.Fatalf("change %s: %v", id, err)
	}
	return r
}

func load(t *testing.T, s storage.Store, id string) record.Record {
	t.Helper()
	r, err := s.Load(t.Context(), id)
	if err != nil {
		t.Fatalf("load %s: %v", id, err)
	}
	return r
}

// same compares records; an empty list is as good as none.
func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func is(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("%s: error %v, want %v", what, err, want)
	}
}

// eventually waits for a condition that other goroutines or servers bring
// about.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	late := time.After(15 * time.Second)
	for !ok() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("still waiting: %s", what)
		}
	}
}

func createStores(t *testing.T, b *Backend) {
	var now time.Time
	got := create(t, b.Store, "a1", func(r *record.Record, at time.Time) error {
		now = at
		r.Deadline, r.Due, r.DeliveryDue = at.Add(time.Hour), at.Add(time.Hour), at
		return nil
	})
	want := sample("a1")
	want.Version, want.Created, want.Changed = 1, now, now
	want.Deadline, want.Due, want.DeliveryDue = now.Add(time.Hour), now.Add(time.Hour), now
	same(t, "created", got, want)
	same(t, "loaded", load(t, b.Store, "a1"), want)
	if skew := time.Since(now).Abs(); b.Advance == nil && skew > time.Minute {
		t.Errorf("the store's time is %v away from ours", skew)
	}
}

func createRefused(t *testing.T, b *Backend) {
	no := errors.New("no")
	for _, refusal := range []error{no, storage.ErrUnchanged} {
		_, err := b.Store.Create(t.Context(), sample("a1"), func(*record.Record, time.Time) error { return refusal })
		is(t, "create", err, refusal)
		_, err = b.Store.Load(t.Context(), "a1")
		is(t, "load", err, storage.ErrNotFound)
	}
	want := create(t, b.Store, "a1", dueIn(time.Hour))
	got, err := b.Store.Create(t.Context(), sample("a1"), func(*record.Record, time.Time) error { return no })
	is(t, "create again", err, storage.ErrExists)
	same(t, "existing", got, want)
}

func createExists(t *testing.T, b *Backend) {
	want := create(t, b.Store, "a1", dueIn(time.Hour))
	other := sample("a1")
	other.Agent = "somebody else"
	got, err := b.Store.Create(t.Context(), other, lagIn(0))
	is(t, "create again", err, storage.ErrExists)
	same(t, "existing", got, want)
	same(t, "loaded", load(t, b.Store, "a1"), want)
	batch, err := b.Store.Claim(t.Context(), time.Minute, 10)
	if err != nil || len(batch.IDs) != 0 {
		t.Errorf("claim: %v, %v; the second create must not touch an index", batch, err)
	}
}

func loadUnknown(t *testing.T, b *Backend) {
	_, err := b.Store.Load(t.Context(), "a1")
	is(t, "load", err, storage.ErrNotFound)
}

func changeStores(t *testing.T, b *Backend) {
	before := create(t, b.Store, "a1", dueIn(time.Hour))
	var now time.Time
	got := change(t, b.Store, "a1", func(r *record.Record, at time.Time) error {
		now = at
		same(t, "shown to the transition", *r, before)
		r.Revision = 7
		r.ID, r.Version, r.Changed = "mine", 99, time.Unix(1, 0)
		r.Drafts = map[string]ask.Draft{"slack:U1": {0: {Selected: []int{1}, Order: 4}}}
		r.Copies[0].State = record.Posted
		return nil
	})
	want := before.Clone()
	want.Version, want.Changed, want.Revision = 2, now, 7
	want.Drafts = map[string]ask.Draft{"slack:U1": {0: {Selected: []int{1}, Order: 4}}}
	want.Copies[0].State = record.Posted
	same(t, "changed", got, want)
	same(t, "loaded", load(t, b.Store, "a1"), want)
	if now.Before(before.Changed) {
		t.Errorf("the store's time went back from %v to %v", before.Changed, now)
	}
	for i := range 5 {
		if r := change(t, b.Store, "a1", count); r.Version != int64(3+i) {
			t.Errorf("version %d, want %d", r.Version, 3+i)
		}
	}
}

func changeUnknown(t *testing.T, b *Backend) {
	_, err := b.Store.Change(t.Context(), "a1", func(*record.Record, time.Time) error {
		t.Error("the transition ran without a record")
		return nil
	})
	is(t, "change", err, storage.ErrNotFound)
}

func changeUnchanged(t *testing.T, b *Backend) {
	want := create(t, b.Store, "a1", dueIn(time.Hour))
	got, err := b.Store.Change(t.Context(), "a1", func(r *record.Record, _ time.Time) error {
		r.Revision = 9
		r.Copies[0].State = record.Lost
		return fmt.Errorf("nothing to do: %w", storage.ErrUnchanged)
	})
	is(t, "change", err, storage.ErrUnchanged)
	same(t, "returned", got, want)
	same(t, "loaded", load(t, b.Store, "a1"), want)
}

func changeRefused(t *testing.T, b *Backend) {
	want := create(t, b.Store, "a1", dueIn(time.Hour))
	no := errors.New("no")
	got, err := b.Store.Change(t.Context(), "a1", func(r *record.Record, _ time.Time) error {
		r.Revision, r.Due = 9, time.Time{}
		return no
	})
	is(t, "change", err, no)
	same(t, "returned", got, want)
	same(t, "loaded", load(t, b.Store, "a1"), want)
}

func everyFieldSurvives(t *testing.T, b *Backend) {
	at := time.Date(2030, 1, 2, 3, 4, 5, 678901000, time.UTC)
	who := ask.Person{Platform: "slack", ID: "U1", Name: "Ada <&> \u2028"}
	ref := platform.MessageRef{Platform: "slack", Channel: "C1", Message: "1712.0001"}
	full := record.Record{
		ID: "k1", Tenant: "t", Session: "s", ToolCallID: "tc", Agent: "ag", Context: "cx", Fingerprint: "fp",
		Questions: []ask.Question{
			{Text: "T", Header: "H", MultiSelect: true, NoOther: true, Options: []ask.Option{{Label: "l", Description: "d", Preview: "p"}, {Label: "ünï"}}},
			{Text: "free"},
		},
		Policy: ask.PolicyOf("slack:U1", "anyone"), Deadline: at,
		Outcome: ask.Outcome{
			State: ask.Answered, By: who, At: at, Reason: "why",
			Answers: []ask.Answer{{Index: 1, Question: "T", Header: "H", Selected: []string{"l"}, Other: "o", Notes: "n", By: who, At: at}},
		},
		Winner: "w", WonAt: ref,
		Drafts: map[string]ask.Draft{"slack:U1": {0: {Selected: []int{0, 1}, Other: "x", Order: 12}}, "discord": {}},
		Copies: []record.Copy{{
			Target: ask.Place{Platform: "slack", Channel: "C1", Thread: "th", User: "U9"}, State: record.Delayed, Ref: ref,
			Rendered: 3, Plain: true, Ambiguous: true, Adopted: true, Problem: "pr", RetryAt: at,
		}},
		Revision: 4, Attempts: 2, Due: record.Forever, DeliveryDue: at,
	}
	got, err := b.Store.Create(t.Context(), full, func(*record.Record, time.Time) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	full.Version, full.Created, full.Changed = 1, got.Created, got.Changed
	same(t, "created", got, full)
	same(t, "loaded", load(t, b.Store, "k1"), full)
	ended := change(t, b.Store, "k1", func(r *record.Record, now time.Time) error {
		r.EndedAt = now
		return nil
	})
	full.Version, full.Changed, full.EndedAt = 2, ended.Changed, ended.EndedAt
	same(t, "ended", load(t, b.Store, "k1"), full)
}

func nothingShared(t *testing.T, b *Backend) {
	spoil := func(r record.Record) {
		r.Copies[0].State = record.Lost
		r.Drafts["slack:U2"] = ask.Draft{}
	}
	draft := func(r *record.Record, _ time.Time) error {
		r.Drafts = map[string]ask.Draft{"slack:U1": {0: {Other: "mine"}}}
		return nil
	}
	mine := sample("a1")
	created, err := b.Store.Create(t.Context(), mine, draft)
	if err != nil {
		t.Fatal(err)
	}
	want := created.Clone()
	mine.Copies[0].State = record.Lost
	spoil(created)
	spoil(load(t, b.Store, "a1"))
	same(t, "loaded", load(t, b.Store, "a1"), want)
	changed := change(t, b.Store, "a1", count)
	want = changed.Clone()
	spoil(changed)
	idle, err := b.Store.Change(t.Context(), "a1", func(*record.Record, time.Time) error { return storage.ErrUnchanged })
	is(t, "idle change", err, storage.ErrUnchanged)
	spoil(idle)
	same(t, "loaded", load(t, b.Store, "a1"), want)
}

func cancelledContext(t *testing.T, b *Backend) {
	create(t, b.Store, "a1", dueIn(time.Hour))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := b.Store.Load(ctx, "a1")
	is(t, "load", err, context.Canceled)
	_, err = b.Store.Change(ctx, "a1", count)
	is(t, "change", err, context.Canceled)
	_, err = b.Store.Create(ctx, sample("a2"), count)
	is(t, "create", err, context.Canceled)
	if r := load(t, b.Store, "a1"); r.Version != 1 {
		t.Errorf("version %d after a cancelled change, want 1", r.Version)
	}
}
