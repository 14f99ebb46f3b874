// Package intake accepts new requests: it validates them, combines the rules of
// request, route and token into one policy, deduplicates, stores, and starts posting.
//
// Everything that depends on the configuration is resolved here and copied into the
// record, so that a change of the configuration does not affect open requests.
package intake
