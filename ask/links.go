package ask

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"
)

// The limits of links. A Discord action row holds five buttons
// (https://docs.discord.com/developers/components/reference#action-row), and its link buttons
// accept URLs of 512 characters
// (https://docs.discord.com/developers/components/reference#button); Slack's accept 3,000.
const (
	MaxLinks     = 5
	MaxLinkLabel = 60
	MaxLinkURL   = 512
)

// Link is a link button. The card shows its address next to it.
type Link struct {
	Label string `json:"label" doc:"The text on the button" example:"Runbook"`
	URL   string `json:"url" format:"uri" doc:"Where it leads: an https address, which people see" example:"https://wiki.example.com/runbook"`
}

// CheckLinks validates links; problems are reported at path.
func CheckLinks(path string, links []Link) []Problem {
	var c checker
	if len(links) > MaxLinks {
		c.add(path, ErrLinks, "has %d links; at most %d are allowed, so put the others into the context", len(links), MaxLinks)
	}
	for n, l := range links {
		at := fmt.Sprintf("%s[%d]", path, n)
		c.link(at+".label", l.Label, at+".url", l.URL, ErrLinks)
	}
	return c.problems
}

// link checks the text and the address of a link.
func (c *checker) link(textAt, text, addressAt, address string, kind error) {
	switch shown := visible(text); {
	case shown == "":
		c.add(textAt, kind, "must not be empty")
	case utf8.RuneCountInString(text) > MaxLinkLabel:
		c.add(textAt, kind, "has %d characters; at most %d are allowed", utf8.RuneCountInString(text), MaxLinkLabel)
	case strings.Contains(shown, "://"):
		c.add(textAt, kind, "must not be an address itself; the card already shows the address")
	}
	if why := badAddress(address); why != "" {
		c.add(addressAt, kind, "%s", why)
	}
}

// badAddress returns why a link must not have this address, or "" if it may.
func badAddress(address string) string {
	if len(address) > MaxLinkURL {
		return fmt.Sprintf("has %d characters; at most %d are allowed", len(address), MaxLinkURL)
	}
	u, err := url.Parse(address)
	switch {
	case err != nil, !strings.HasPrefix(address, "https://"), u.Hostname() == "":
		return "must be an https address such as \"https://wiki.example.com/runbook\""
	case u.User != nil:
		return "must not have a user in front of its host, which would read as another host"
	case strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("<>\"`|\\^{}", r) }):
		return "must be plain ASCII, with everything else escaped, as in %20"
	}
	return ""
}

func (d *decoder) links(path string, data json.RawMessage) []Link {
	return listed(d, path, data, "a list of links", func(at string, m members) Link {
		return Link{Label: d.text(at+".label", m.take("label")), URL: d.text(at+".url", m.take("url"))}
	})
}

// listed parses an array of objects and reports members that item does not consume.
func listed[T any](d *decoder, path string, data json.RawMessage, what string, item func(at string, m members) T) []T {
	data = d.unquote(path, data)
	if empty(data) {
		return nil
	}
	items, ok := d.array(path, data, what)
	if !ok {
		return nil
	}
	var all []T
	for n, data := range items {
		at := fmt.Sprintf("%s[%d]", path, n)
		if m, ok := d.object(at, data); ok {
			all = append(all, item(at, m))
			d.rest(at, m)
		}
	}
	return all
}
