// Package webhook tells agents how their requests ended, by a signed POST to the address they gave.
//
//	{"type":"request.answered","timestamp":"2026-03-15T12:00:00Z","data":{…the request as the HTTP API shows it…}}
//
// It follows Standard Webhooks 1.0
// (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md): webhook-id is the same in
// every attempt, so that a receiver can tell a repetition; webhook-timestamp is the attempt's; webhook-signature has one
// signature for each secret, so that secrets can be changed without a gap. A 2xx is success, 410 ends it, Retry-After is
// honoured, and the bridge repeats the rest for about three days. Then the call is dead, can be listed and replayed.
//
// An address is the agent's word, so it is not trusted: only https, no login in it, no redirects, no proxy from the
// environment, and never an address of this machine or its private network, looked at after the name was resolved and
// just before the connection is made. The reply is read up to 64 kB and thrown away.
//
// # Receivers
//
// A receiver looks at the signature before anything else, over the very bytes that came in: [Verify] does in Go,
// verify_webhook and verifyWebhook in the SDKs for Python and TypeScript, and so does every library of Standard Webhooks. It
// answers 2xx within eight seconds, once it has what it was told where it stays, and does what is to be done afterwards; a
// webhook-id that it has already it takes again and passes over. While a secret is replaced, it knows both.
package webhook
