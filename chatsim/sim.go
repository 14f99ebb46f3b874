package chatsim

// TB is the part of *testing.T that a double needs. Programs can link a double without linking the testing package.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Cleanup(func())
}

// Sim is what every double can do, whatever the platform.
type Sim interface {
	// Platform names what is doubled: "slack" or "discord".
	Platform() string
	// Person takes the seat of the person with this id.
	Person(id string) Seat
	// Timeline tells what happened so far.
	Timeline() *Timeline
	// Ledger holds the rules that were broken.
	Ledger() *Ledger
	// Fault makes the next matching calls go wrong.
	Fault(target string, f Fault)
	// Close ends the double and everything it started.
	Close() error
}

// Guard closes the double when the test ends and fails the test for every violation that was not expected, and for
// every expected one that never came.
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
