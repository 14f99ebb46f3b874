// Package writebuffer gives the memory of write buffers that nobody uses back to the system. The server of HTTP/2 in net/http
// has one of four kilobytes for each stream from its first moment on, so that a call that waits for hours holds it for
// nothing. [Release] leaves the buffer where it is and has the system take the page under it, until something is written.
// Why, and what it gains: docs/decisions/0063-buffers-of-waiting-streams-are-given-back.md.
package writebuffer
