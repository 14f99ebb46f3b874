package record

import (
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// A process that posts a reminder crashes, and the request ends.
func TestUnrecordedReminderIsSoughtAfterEnd(t *testing.T) {
	t.Parallel()
	r := scheduled(reminded)
	must(t, r.Tick(minute(10)), begin(Announcing, r, minute(10)), r.Withdraw(ask.Cancelled, "enough", minute(11)))
	c := &r.Copies[0]
	if got := leaseOf(r); got != Lease {
		t.Errorf("the lease is %s while the reminder may be on its way, want %s", got, Lease)
	}
	Drawn{Revision: r.Revision, Begun: minute(11)}.write(r, c, minute(11))
	if _, err := r.ApplyReport(Report{}, minute(12)); err != nil || r.DeliveryDue.IsZero() {
		t.Fatalf("the reminder is not sought: %v", err)
	}
	if Announcing.Wants(r, *c, false) {
		t.Error("a process that has not claimed the record posts the reminder")
	}
	if _, doubted := Announcing.Left(r, true, minute(12)); len(doubted) != 1 {
		t.Error("the reminder is not sought by the process that claims the record")
	}
	NotAnnounced{Steps: 1, Doubted: true}.write(r, c, minute(12))
	if !Announcing.Wants(r, *c, true) {
		t.Error("the reminder is not sought again after a failed search")
	}
	Announced{Steps: 1, Reminder: MessageRef{Platform: "slack", Channel: "C1", Message: "2"}}.write(r, c, minute(13))
	if Announcing.Wants(r, *c, true) || len(OutdatedReminders(r)) != 1 || !Behind(r) {
		t.Errorf("the reminder that was found is not edited: %+v", r.Reminders)
	}
}

func TestUnrecordedReminderIsSoughtForAnHour(t *testing.T) {
	t.Parallel()
	r := scheduled(reminded)
	must(t, r.Tick(minute(10)), begin(Announcing, r, minute(10)), r.Withdraw(ask.Cancelled, "enough", minute(11)))
	NotAnnounced{Steps: 1, Doubted: true}.write(r, &r.Copies[0], minute(11).Add(soughtFor+time.Second))
	if Announcing.Wants(r, r.Copies[0], true) {
		t.Error("the reminder is sought forever")
	}
}

func TestReminderIsEditedUntilItSucceeds(t *testing.T) {
	t.Parallel()
	ref := MessageRef{Platform: "slack", Channel: "C1", Message: "2"}
	ended := func() *Record {
		r := scheduled(reminded)
		must(t, r.Tick(minute(10)), begin(Announcing, r, minute(10)))
		c := &r.Copies[0]
		for range 2 { // The second report is late.
			Announced{Steps: 1, Reminder: ref}.write(r, c, minute(10))
		}
		if len(r.Reminders) != 1 || OutdatedReminders(r) != nil {
			t.Fatalf("reminders of the open request: %+v, outdated: %+v", r.Reminders, OutdatedReminders(r))
		}
		must(t, r.Withdraw(ask.Cancelled, "enough", minute(11)))
		Drawn{Revision: r.Revision, Begun: minute(11)}.write(r, c, minute(11))
		return r
	}
	r := ended()
	report := func(edit ReminderEdit, now time.Time) {
		t.Helper()
		if _, err := r.ApplyReport(Report{Reminders: []*ReminderEdit{&edit}}, now); err != nil {
			t.Fatal(err)
		}
	}
	report(ReminderEdit{Ref: ref, Failed: &Failure{Wait: 30 * time.Second}}, minute(11))
	if next, postponed := NextAttempt(r); !postponed || !next.Equal(minute(11).Add(30*time.Second)) || Behind(r) || r.DeliveryDue.Before(next) {
		t.Errorf("the next edit is at %s, and a takeover at %s", next, r.DeliveryDue)
	}
	report(ReminderEdit{Ref: ref}, minute(12))
	if r.Reminders != nil || !r.DeliveryDue.IsZero() {
		t.Errorf("after the edit reminders are left: %+v, due at %s", r.Reminders, r.DeliveryDue)
	}
	r = ended()
	for range maxAttempts + 1 {
		report(ReminderEdit{Ref: ref, Failed: &Failure{}}, minute(12))
	}
	if r.Reminders != nil {
		t.Errorf("the reminder is edited forever: %+v", r.Reminders)
	}
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}
