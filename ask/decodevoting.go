package ask

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
)

// voting parses a policy and returns it normalized, see [Voting.Normal].
func (d *decoder) voting(path string, data json.RawMessage) Voting {
	var v Voting
	data = d.unquote(path, data)
	if empty(data) {
		return v
	}
	m, ok := d.object(path, data)
	if !ok {
		return v
	}
	if v.Mode = Mode(d.text(path+".mode", m.take("mode"))); v.Mode == "first" {
		v.Mode = First
		d.alone(path, m)
	}
	if text := d.text(path+".need", m.take("need")); text != "" {
		if v.Need, ok = ParseNeed(text); !ok {
			d.add(path+".need", ErrPolicy, "%q is neither a number of at least 1 nor \"all\" or \"majority\"", shorten(text))
		}
	}
	v.Needs = d.needs(path+".needs", m.take("needs"))
	v.Dismiss = d.people(path+".dismiss", m.take("dismiss"))
	if v.Show = Show(d.text(path+".show", m.take("show"))); v.Show == "live" {
		v.Show = ShowLive
	}
	if change := m.take("change"); !empty(change) {
		v.Change = new(d.flag(path+".change", change))
	}
	d.rest(path, m)
	return v.Normal()
}

// alone rejects a "first" policy that also asks for several people.
func (d *decoder) alone(path string, m members) {
	if need := string(bytes.Trim(m["need"], `" `)); need != "" && need != "1" && need != "null" {
		d.add(path+".need", ErrPolicy, "goes with the mode \"quorum\" or \"poll\", not with \"first\"")
	}
	if needs := m["needs"]; !empty(needs) && string(bytes.TrimSpace(needs)) != "{}" {
		d.add(path+".needs", ErrPolicy, "goes with the mode \"quorum\", not with \"first\"")
	}
}

func (d *decoder) needs(path string, data json.RawMessage) map[string]int {
	if empty(data) {
		return nil
	}
	m, ok := d.object(path, data)
	if !ok {
		return nil
	}
	if len(m) > maxItems {
		d.add(path, ErrTooLong, "names %d labels; no request has more than %d", len(m), maxItems)
		return nil
	}
	needs := make(map[string]int, len(m))
	for _, label := range slices.Sorted(maps.Keys(m)) {
		needs[label] = d.people(path+"."+shorten(label), m[label])
	}
	return needs
}

// people parses a number of people; zero if absent.
func (d *decoder) people(path string, data json.RawMessage) int {
	text := d.text(path, data)
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		d.add(path, ErrPolicy, "%q is no number of at least 1", shorten(text))
		return 0
	}
	return n
}
