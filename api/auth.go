package api

import (
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/askbridge/askbridge/access"
)

// admit tells who calls.
func (h *Handler) admit(r *http.Request) (*access.Caller, error) {
	if who := h.gate.Anonymous(); who != nil {
		if p := h.checkLocal(r); p != nil {
			return nil, p
		}
		return who, nil
	}
	token, ok := bearer(r)
	if !ok {
		return nil, h.stranger(r, "send your token as \"Authorization: Bearer <token>\"")
	}
	return h.gate.Identify(token, h.remote(r))
}

// stranger is what a caller is told who cannot be identified.
func (h *Handler) stranger(r *http.Request, reason string) error {
	return h.gate.Stranger(h.remote(r), reason)
}

// remote is from where a call comes.
func (h *Handler) remote(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
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

// checkLocal guards the API without tokens against pages in a browser of the
// same machine: a page whose name was bound to our address (DNS rebinding) gives
// its own name as Host, and one that posts across origins is told by its
// browser's headers.
func (h *Handler) checkLocal(r *http.Request) *Problem {
	if !loopbackName(r.Host) {
		return problem(http.StatusForbidden, "without agent tokens the bridge answers under loopback names only, such as localhost")
	}
	if err := h.cross.Check(r); err != nil {
		return problem(http.StatusForbidden, "calls from pages of other origins are refused")
	}
	return nil
}

func loopbackName(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && ip.Unmap().IsLoopback()
}
