package webhook

import (
	"errors"
	"fmt"
	"net/netip"
	"syscall"
)

// errInside means an internal address, which agents must not make the bridge call.
var errInside = errors.New("webhook: the address belongs to this machine or a private network")

// inside are the special-purpose networks that netip has no method for
// (https://www.iana.org/assignments/iana-ipv4-special-registry, https://www.iana.org/assignments/iana-ipv6-special-registry).
var inside = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"), // carrier-grade NAT
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"),
	netip.MustParsePrefix("192.88.99.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"),
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("2001::/23"), // includes Teredo
	netip.MustParsePrefix("2001:db8::/32"),
	netip.MustParsePrefix("2002::/16"), // IPv4 inside 6to4
	netip.MustParsePrefix("3fff::/20"),
}

// given is the IPv6 global unicast space
// (https://www.iana.org/assignments/ipv6-address-space). Other addresses are local, or contain an IPv4 address, like those
// of NAT64.
var given = netip.MustParsePrefix("2000::/3")

// public reports whether an address is on the public internet.
func public(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("") // A prefix contains no address with a zone.
	if !ip.IsGlobalUnicast() || ip.IsPrivate() || ip.Is6() && !given.Contains(ip) {
		return false
	}
	for _, p := range inside {
		if p.Contains(ip) {
			return false
		}
	}
	return true
}

// guard refuses connections to internal addresses. It runs after name resolution and before anything is sent, so DNS
// rebinding has no effect.
func guard(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("webhook: %w", err)
	}
	if !public(at.Addr()) {
		return errInside
	}
	return nil
}
