// Package storetest is the contract of the key-value seam as a suite, for each
// store that has one. The suite of records is in bridge/bridgetest.
package storetest
