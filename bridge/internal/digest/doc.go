// Package digest posts digests: at configured times one message for a person or a channel that lists the requests that
// wait there.
//
//	every minute ─▶ Digests ─▶ load ─▶ due? ─▶ claim ─▶ scan ─▶ begin ─▶ post ─▶ store ─▶ delete the previous one
//	                              └──▶ outdated? ─▶ claim ─▶ edit ─▶ store
//
// The state of each place is one value next to the records, changed by compare-and-swap. A replica claims a place
// before it works on it, and stores what it is about to post before it posts. If it dies in between, the next one
// searches for the message; if it finds none, it posts again only as long as the platform recognizes a repeated post.
//
// A new message notifies and an edit does not, on either platform. So each digest is a new message, and the one before it
// is deleted.
package digest
