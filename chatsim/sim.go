package chatsim

// TB is the part of *testing.T that a double needs, so that programs can link a double without
// the testing package.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Cleanup(func())
}

// Sim is the common interface of the doubles.
type Sim interface {
	// Platform returns the platform's name: "slack" or "discord".
	Platform() string
	// Person returns the seat of the person with this id.
	Person(id string) Seat
	// Timeline returns the events so far.
	Timeline() *Timeline
	// Ledger returns the broken rules.
	Ledger() *Ledger
	// Fault makes the next matching calls fail.
	Fault(target string, f Fault)
	// Close stops the double and everything it started.
	Close() error
}

// Guard closes the double when the test ends and fails the test for every unexpected violation,
// and for every expected one that did not occur.
func Guard(tb TB, sim Sim) {
	tb.Helper()
	tb.Cleanup(func() {
		tb.Helper()
		if err := sim.Close(); err != nil {
			tb.Errorf("%s double: close: %v", sim.Platform(), err)
		}
		for _, v := range sim.Ledger().Unexpected() {
			tb.Errorf("%s double: rule broken: %v", sim.Platform(), v)
		}
		for _, rule := range sim.Ledger().Missing() {
			tb.Errorf("%s double: expected the rule %q to be broken, and it was not", sim.Platform(), rule)
		}
	})
}
