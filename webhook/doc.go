// Package webhook calls agents when their requests end, with a signed POST to the address that they gave.
//
//	{"type":"request.answered","timestamp":"2026-03-15T12:00:00Z","data":{…the request as in the HTTP API…}}
//
// It follows Standard Webhooks 1.0
// (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md): webhook-id is the same in
// every attempt, so that a receiver can deduplicate; webhook-timestamp is the time of the attempt; webhook-signature has one
// signature per secret, so that secrets can be rotated without a gap. A 2xx is success, 410 ends the attempts, Retry-After
// is honored, and the bridge retries other failures for about three days. After that the call is dead and can be listed and
// replayed.
//
// The agent chooses the address, so it is untrusted: only https, without credentials, redirects or a proxy from the
// environment, and never an address of this machine or its private network, checked after name resolution just before the
// connection is made. Up to 64 kB of the response are read and discarded.
//
// # Receivers
//
// A receiver first verifies the signature of the exact bytes of the body: with [Verify] in Go, verify_webhook and
// verifyWebhook in the SDKs for Python and TypeScript, or any library for Standard Webhooks. It stores the event, responds
// with 2xx within eight seconds, and processes it afterwards; it accepts and ignores a webhook-id that it has seen. During a
// rotation it accepts both secrets.
package webhook
