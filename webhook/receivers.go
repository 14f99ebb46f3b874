package webhook

import (
	"errors"
	"net/url"
	"slices"
	"strings"
)

// ErrReceiver means that an entry of a list of receivers is invalid.
var ErrReceiver = errors.New("webhook: a receiver is a host such as agent.example, all hosts below one such as *.agent.example, or an origin such as https://agent.example:8443")

// CheckReceiver returns nil or an error that matches [ErrReceiver].
func CheckReceiver(entry string) error {
	if strings.Contains(entry, "://") {
		u, err := url.Parse(entry)
		if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || strings.Contains(u.Host, "*") ||
			u.User != nil || u.Path != "" || u.RawQuery != "" || u.Fragment != "" {
			return ErrReceiver
		}
		return nil
	}
	host := strings.TrimPrefix(entry, "*.")
	u, err := url.Parse("https://" + host)
	if err != nil || host == "" || strings.Contains(host, "*") || u.Host != host || u.Hostname() != strings.Trim(host, "[]") {
		return ErrReceiver
	}
	return nil
}

// listed reports whether a list of receivers includes the one of an address. A nil list includes all.
func listed(receivers []string, to *url.URL) bool {
	return receivers == nil || slices.ContainsFunc(receivers, func(entry string) bool { return names(entry, to) })
}

// names reports whether an entry includes the receiver of an address. A host includes all its ports.
func names(entry string, to *url.URL) bool {
	if strings.Contains(entry, "://") {
		origin, err := url.Parse(entry)
		return err == nil && origin.Scheme == to.Scheme && hostOf(origin) == hostOf(to) && portOf(origin) == portOf(to)
	}
	entry = strings.ToLower(strings.Trim(entry, "[]"))
	if domain, below := strings.CutPrefix(entry, "*."); below {
		return strings.HasSuffix(hostOf(to), "."+domain)
	}
	return hostOf(to) == entry
}

func hostOf(u *url.URL) string { return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".") }

func portOf(u *url.URL) string {
	switch port := u.Port(); {
	case port != "":
		return port
	case u.Scheme == "http":
		return "80"
	default:
		return "443"
	}
}
