// Package packages makes what is released, as far as that needs no network, and tries it: archives and packages by
// goreleaser, the unit under systemd's own judges, the packages in a throw-away root, the chart by Helm, the manual by
// mandoc. "make packages" runs it.
package packages
