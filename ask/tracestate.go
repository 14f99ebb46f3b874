package ask

import "strings"

// The limits of a tracestate, https://www.w3.org/TR/trace-context/#tracestate-header: of how
// long it is, a limit that whoever passes one on has to reach at least; of its members; and
// of a key, its tenant and system parts, and a value.
const (
	maxTraceState   = 512
	maxStateMembers = 32
	maxStateKey     = 256
	maxStateTenant  = 241
	maxStateSystem  = 14
	maxStateValue   = 256
)

// TraceState reads what W3C Trace Context calls a tracestate: what the makers of a caller's
// traces have to say to each other, beside its traceparent. It is given every header of that
// name, and returns them as one list without spaces and empty members. Of a list that is not
// well-formed, or has more than 32 members, it returns nothing, as the standard says; of one
// longer than 512 bytes as many members as go into that, the longest ones let go of first.
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

// shortened lets go of members until the rest is short enough: those longer than 128 bytes
// first, then the last ones, https://www.w3.org/TR/trace-context/#tracestate-limits.
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

// stateKey reports whether a key is one: "system", or "tenant@system".
func stateKey(key string) bool {
	const more = "abcdefghijklmnopqrstuvwxyz0123456789_-*/"
	tenant, system, both := strings.Cut(key, "@")
	if both && (len(tenant) > maxStateTenant || len(system) > maxStateSystem || system == "" || !strings.Contains(more[:26], system[:1])) {
		return false
	}
	first := more[:26]
	if both {
		first = more[:36] // A tenant may begin with a digit.
	}
	return tenant != "" && len(key) <= maxStateKey && strings.Contains(first, tenant[:1]) && strings.Trim(tenant+system, more) == ""
}

// stateValue reports whether a value is one: printable ASCII without commas and equals signs,
// and no space at its end.
func stateValue(value string) bool {
	for n := range len(value) {
		if c := value[n]; c < ' ' || c > '~' || c == ',' || c == '=' {
			return false
		}
	}
	return value != "" && len(value) <= maxStateValue && value[len(value)-1] != ' '
}
