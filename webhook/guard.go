package webhook

import (
	"errors"
	"fmt"
	"net/netip"
	"syscall"
)

// errInside means an address that no agent may make us call.
var errInside = errors.New("webhook: the address belongs to this machine or a private network")

// inside are the networks that are nobody's business outside: what netip does not name itself
// (https://www.iana.org/assignments/iana-ipv4-special-registry, https://www.iana.org/assignments/iana-ipv6-special-registry).
var inside = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"), // shared by carriers
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"),
	netip.MustParsePrefix("192.88.99.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"),
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("2001::/23"), // Teredo among others
	netip.MustParsePrefix("2001:db8::/32"),
	netip.MustParsePrefix("2002::/16"), // IPv4 inside 6to4
	netip.MustParsePrefix("3fff::/20"),
}

// given is all of IPv6 from which addresses of the open internet are given out
// (https://www.iana.org/assignments/ipv6-address-space). What is outside is for one network alone, or holds an IPv4
// address, as those of NAT64 do.
var given = netip.MustParsePrefix("2000::/3")

// public reports whether an address is one of the open internet.
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

// guard refuses a connection to an address inside, after the name was resolved and before anything is sent: so it does
// not matter what the name resolved to a moment ago.
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
