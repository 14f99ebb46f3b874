// Package bridgetest is the contract of what stands below the bridge: a
// conformance suite for stores, and [Script], a platform in memory that does
// what a test tells it. Only tests import it.
package bridgetest
