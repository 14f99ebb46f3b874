// Package bridgetest is the contract of what stands below the bridge: a conformance
// suite for stores, one for platforms, and [Script], a platform in memory that does what
// a test tells it. Only tests import it.
//
// A store of your own is held to the contract by
//
//	func TestStore(t *testing.T) {
//		bridgetest.TestStore(t, func(t *testing.T) *bridgetest.Backend {
//			return &bridgetest.Backend{Store: mine.New()}
//		})
//	}
//
// and a platform by [TestPlatform], which needs a double of it: [Stage] says what that
// has to do in people's place. Each nil member of [Backend] leaves out what it is for.
package bridgetest
