// Package respond handles the interactions of people: buttons, forms and typed
// messages.
//
// A platform waits three seconds for an acknowledgement. [Handler.Handle] judges the
// act inside the store's compare-and-swap and acknowledges only after it is stored. If
// the store is too slow, the person gets a preliminary note and the act is retried in
// the background. A form is the exception: it opens after at most one short read, and
// its submission is judged again.
package respond
