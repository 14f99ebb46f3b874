package ask

import "strings"

// The limits of a tracestate, https://www.w3.org/TR/trace-context/#tracestate-header: its total
// length (the minimum that an intermediary must propagate), its members, and the lengths of a
// key, the key's tenant and system parts, and a value.
const (
	maxTraceState   = 512
	maxStateMembers = 32
	maxStateKey     = 256
	maxStateTenant  = 241
	maxStateSystem  = 14
	maxStateValue   = 256
)

// TraceState parses W3C tracestate headers, the vendor-specific data that accompanies a
// traceparent. It takes every header of that name and returns them as one list without spaces
// and empty members. It returns "" for a malformed list or one with more than 32 members, as
// the standard requires. A list longer than 512 bytes is truncated to whole members, dropping
// long ones first.
//
// https://www.w3.org/TR/trace-context/#tracestate-header
func TraceState(headers ...string) string {
	var members []string
	met := map[string]bool{}
	for member := range strings.SplitSeq(strings.Join(headers, ","), ",") {
		if member = strings.Trim(member, " \t"); member == "" {
			continue
		}
		key, value, pair := strings.Cut(member, "=")
		if !pair || met[key] || !stateKey(key) || !stateValue(value) || len(members) == maxStateMembers {
			return ""
		}
		met[key] = true
		members = append(members, member)
	}
	return strings.Join(shortened(members), ",")
}

// shortened drops members until the list is short enough: those longer than 128 bytes first,
// then from the end, https://www.w3.org/TR/trace-context/#tracestate-limits.
func shortened(members []string) []string {
	const long = 128
	for size := len(strings.Join(members, ",")); size > maxTraceState; size = len(strings.Join(members, ",")) {
		n := len(members) - 1
		for at := n; at >= 0; at-- {
			if len(members[at]) > long {
				n = at
				break
			}
		}
		members = append(members[:n:n], members[n+1:]...)
	}
	return members
}

// stateKey reports whether key is valid: "system" or "tenant@system".
func stateKey(key string) bool {
	const more = "abcdefghijklmnopqrstuvwxyz0123456789_-*/"
	tenant, system, both := strings.Cut(key, "@")
	if both && (len(tenant) > maxStateTenant || len(system) > maxStateSystem || system == "" || !strings.Contains(more[:26], system[:1])) {
		return false
	}
	first := more[:26]
	if both {
		first = more[:36] // a tenant may begin with a digit
	}
	return tenant != "" && len(key) <= maxStateKey && strings.Contains(first, tenant[:1]) && strings.Trim(tenant+system, more) == ""
}

// stateValue reports whether value is valid: printable ASCII without commas, equals signs and a
// trailing space.
func stateValue(value string) bool {
	for n := range len(value) {
		if c := value[n]; c < ' ' || c > '~' || c == ',' || c == '=' {
			return false
		}
	}
	return value != "" && len(value) <= maxStateValue && value[len(value)-1] != ' '
}
