// Package collector tunes Go's garbage collector for a bridge: a small heap that makes garbage quickly under load, and many
// callers that wait without allocating. [Tune] is the only entry point. It costs and saves what
// docs/decisions/0068-what-tricks-cost.md lists.
package collector
