package api

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/internal/loopback"
	"github.com/askbridge/askbridge/internal/tokentext"
)

// admit identifies the caller. A token issued by this bridge is verified even if none is
// required.
func (s *service) admit(rt *route, r *http.Request) (*access.Caller, error) {
	gate := s.entrance.Load().gate
	token, ok := bearer(r)
	if who := gate.Anonymous(); who != nil {
		if p := s.checkLocal(r); p != nil {
			return nil, p
		}
		if !ok || gate.Tokens() == nil || !tokentext.Is(token) {
			return who, nil
		}
	} else if p := s.checkHost(r); p != nil {
		return nil, p
	}
	if who, err := s.session(rt, r); who != nil || err != nil {
		return who, err
	}
	if !ok {
		return nil, s.stranger(r, "send your token as \"Authorization: Bearer <token>\"")
	}
	if !tokentext.Is(token) {
		return gate.Identify(r.Context(), token, s.remote(r)) // The gate is not consulted.
	}
	ctx, stop := budgetBefore(r.Context())
	defer stop()
	return gate.Identify(ctx, token, s.remote(r))
}

// stranger returns the error for an unidentified caller.
func (s *service) stranger(r *http.Request, reason string) error {
	return s.entrance.Load().gate.Stranger(s.remote(r), reason)
}

// remote returns the caller's address: the nearest one that is not a trusted proxy.
func (s *service) remote(r *http.Request) string {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	at := peer.Addr().Unmap()
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		if !s.trusts(at) {
			break
		}
		next, err := netip.ParseAddr(strings.TrimSpace(hop))
		if err != nil {
			break
		}
		at = next.Unmap()
	}
	return at.String()
}

func (s *service) trusts(at netip.Addr) bool {
	return slices.ContainsFunc(s.opts.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(at) })
}

// checkHost rejects calls under unknown host names, such as one that a web page bound to our
// address.
func (s *service) checkHost(r *http.Request) *failure {
	if len(s.opts.Hosts) == 0 || loopback.Is(r.Host) {
		return nil
	}
	name := r.Host
	if host, _, err := net.SplitHostPort(name); err == nil {
		name = host
	}
	if slices.ContainsFunc(s.opts.Hosts, func(known string) bool { return strings.EqualFold(known, name) }) {
		return nil
	}
	return problem(http.StatusMisdirectedRequest, "the API is not served under this host name; the operator can add it under hosts")
}

func bearer(r *http.Request) (string, bool) {
	sent := r.Header.Values("Authorization")
	if len(sent) != 1 {
		return "", false
	}
	scheme, token, _ := strings.Cut(sent[0], " ")
	token = strings.TrimSpace(token)
	return token, strings.EqualFold(scheme, "Bearer") && token != ""
}

// checkLocal protects the API without tokens. A page in a local browser that rebound its name
// to our address (DNS rebinding) sends its own name as Host, and cross-origin posts are
// recognized by the browser's headers. A proxy may send any Host and is recognized by the
// headers it adds.
func (s *service) checkLocal(r *http.Request) *failure {
	if !loopback.Is(r.Host) {
		return problem(http.StatusForbidden, "without agent tokens the bridge answers under loopback names only, such as localhost")
	}
	if name := forwarded(r.Header); name != "" {
		return problem(http.StatusForbidden, "this call came through a proxy, as its header %s shows; without agent tokens only direct calls are served", name)
	}
	if err := s.cross.Check(r); err != nil {
		return problem(http.StatusForbidden, "calls from pages of other origins are refused")
	}
	return nil
}

// forwarded returns the name of a header that only proxies send, or "".
func forwarded(h http.Header) string {
	for name := range h {
		if strings.HasPrefix(name, "X-Forwarded-") || slices.Contains(proxyHeaders, name) {
			return name
		}
	}
	return ""
}

// proxyHeaders are the forwarding headers of proxies, tunnels and CDNs: RFC 7239 and RFC 9110,
// and those of nginx, Cloudflare, Fastly and others.
var proxyHeaders = []string{
	"Forwarded", "Via", "X-Real-Ip", "X-Client-Ip", "X-Cluster-Client-Ip", "X-Original-Host", "X-Original-Url", "True-Client-Ip",
	"Cf-Connecting-Ip", "Cf-Ray", "Cdn-Loop", "Fastly-Client-Ip", "Fly-Client-Ip", "Tailscale-User-Login", "Ngrok-Trace-Id", "X-Envoy-External-Address",
}
