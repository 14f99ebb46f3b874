// Package inbox shows people what waits for them, on platforms with responders of type
// [platform.InboxResponder].
//
//	opened, pressed ─▶ Inbox ─▶ respond.Handler ─▶ record
//	                     │                           │ followed
//	                     ▼                           ▼
//	                   views ◀──── names ──────── index ◀── store, once
//
// [Inbox] turns an act in an inbox into the same act on the card of the request, so that
// nothing is judged twice. The index holds what is needed to find a person's requests without
// reading them. It is filled when the first person opens an inbox and dropped once no inbox has
// been open for a while: a bridge without inboxes keeps none. It takes changes a fraction of a
// second late, and reads only records that this process has not stored itself meanwhile. A
// change redraws the open inboxes of the people that the request names, several changes once.
package inbox
