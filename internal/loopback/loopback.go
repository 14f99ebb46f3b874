// Package loopback tells addresses of this machine from those of others.
package loopback

import (
	"net"
	"net/netip"
	"strings"
)

// Is reports whether an address is reachable from this machine only: a host with or without a port, such as
// "127.0.0.1:8080", "[::1]" or "localhost". Names other than localhost are not looked up, since what they resolve to may
// change.
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
