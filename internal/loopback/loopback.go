// Package loopback recognizes addresses of this machine.
package loopback

import (
	"net"
	"net/netip"
	"strings"
)

// Is reports whether an address is reachable only from this machine: a host with or without a port,
// such as "127.0.0.1:8080", "[::1]" or "localhost". Other names are not resolved, since their addresses
// may change.
func Is(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = address
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && ip.Unmap().IsLoopback()
}
