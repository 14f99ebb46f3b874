// Package storetest is the conformance suite for key-value stores. The suite for records is in
// bridge/bridgetest.
package storetest
