package strictjson

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/askbridge/askbridge/internal/visible"
)

// Show formats JSON for people: indented, with strings unescaped except for invisible characters.
// Invalid JSON, and JSON that [Alike] rejects, is shown as a string.
func Show(data []byte) string {
	var text bytes.Buffer
	if Alike(data) != nil || json.Indent(&text, bytes.TrimSpace(data), "", "  ") != nil {
		return visible.Quote(string(data))
	}
	var out strings.Builder
	for rest := text.String(); ; {
		from := strings.IndexByte(rest, '"')
		if from < 0 {
			out.WriteString(rest)
			return out.String()
		}
		to := from + 1
		for rest[to] != '"' {
			if rest[to] == '\\' {
				to++
			}
			to++
		}
		out.WriteString(rest[:from])
		raw := []byte(rest[from : to+1])
		var s string
		if lone(raw) || json.Unmarshal(raw, &s) != nil {
			out.Write(raw)
		} else {
			out.WriteString(visible.Quote(s))
		}
		rest = rest[to+1:]
	}
}

// lone reports whether a JSON string has an unpaired surrogate escape.
func lone(raw []byte) bool {
	unit := func(at int) rune {
		if at+6 > len(raw) || raw[at] != '\\' || raw[at+1] != 'u' {
			return -1
		}
		n, err := strconv.ParseUint(string(raw[at+2:at+6]), 16, 32)
		if err != nil {
			return -1
		}
		return rune(n)
	}
	for at := 0; at < len(raw); at++ {
		if raw[at] != '\\' {
			continue
		}
		switch u := unit(at); {
		case u >= 0xdc00 && u <= 0xdfff:
			return true
		case u >= 0xd800 && u <= 0xdbff:
			if low := unit(at + 6); low < 0xdc00 || low > 0xdfff {
				return true
			}
			at += 11
		default:
			at++
		}
	}
	return false
}
