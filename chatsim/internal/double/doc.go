// Package double contains the shared implementation of the platform doubles: the service a
// double runs as, the search for a control, and JSON helpers.
package double
