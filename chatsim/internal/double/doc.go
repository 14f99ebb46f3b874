// Package double is what the doubles of all platforms are built from and whoever uses one need not see: the service a
// double runs as, how a person finds a control, and what JSON needs.
package double
