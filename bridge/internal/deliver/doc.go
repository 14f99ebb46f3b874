// Package deliver makes the calls that records need: posts and updates of cards,
// reminders, files and webhooks.
//
//	Workers.Deliver ──▶ Delivery.attempt ──▶ Posts, Webhooks ──▶ Record.ApplyReport
//	       ▲                                                            │
//	       └────────────── reconciler: Store.Claim ◀── DeliveryDue ─────┘
//
// An attempt is driven by the record alone, so any replica can make the next one. A
// replica that creates a request posts its card at once. If it crashes, its claim
// expires and the reconciler of another replica takes over; it searches for a card
// whose post was not confirmed before it posts again.
package deliver
