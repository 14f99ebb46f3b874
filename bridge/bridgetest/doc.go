// Package bridgetest has the conformance suites of the engine's contracts, and test
// doubles for tests of the engine. Only tests import it.
//
//	func TestStore(t *testing.T) {
//		bridgetest.TestStore(t, func(t *testing.T) *bridgetest.Backend {
//			return &bridgetest.Backend{Store: mystore.New()}
//		})
//	}
//
// [TestStore] tests a store and skips what a nil field of [Backend] is for. [TestPlatform] tests a platform with a double of its
// service, which a [Stage] describes. [Script] is a platform that a test scripts, and
// [NewFaulty] a store that a test makes fail.
package bridgetest
