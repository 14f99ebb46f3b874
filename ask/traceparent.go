package ask

import "strings"

// The field lengths of a version 00 traceparent,
// https://www.w3.org/TR/trace-context/#traceparent-header.
const (
	traceParentLen = len("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	traceIDLen     = 32
	spanIDLen      = 16
)

// TraceParent parses a W3C traceparent header and returns it in version 00 form, or "" for
// input that the standard requires receivers to ignore. Of a later version only the fields of
// version 00 are used.
//
// https://www.w3.org/TR/trace-context/#versioning-of-traceparent
func TraceParent(s string) string {
	if len(s) < traceParentLen || s[:2] == "ff" || s[:2] == "00" && len(s) != traceParentLen {
		return ""
	}
	if len(s) > traceParentLen && s[traceParentLen] != '-' {
		return ""
	}
	parts := strings.Split(s[:traceParentLen], "-")
	if len(parts) != 4 || len(parts[0]) != 2 || len(parts[1]) != traceIDLen || len(parts[2]) != spanIDLen {
		return ""
	}
	for _, part := range parts {
		if strings.Trim(part, "0123456789abcdef") != "" {
			return ""
		}
	}
	if strings.Trim(parts[1], "0") == "" || strings.Trim(parts[2], "0") == "" {
		return ""
	}
	return "00" + s[2:traceParentLen]
}
