// Package packages builds and tries the release artifacts, as far as this works without a network: archives and
// packages by goreleaser, the unit with systemd's own checks, the packages in a temporary root, the chart with
// Helm, and the manual with mandoc. "make packages" runs it.
package packages
