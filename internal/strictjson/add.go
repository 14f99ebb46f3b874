package strictjson

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Add returns an object with one more member, whose value is a text. Every other byte stays. What
// is no object, an object that has the member, and an empty text change nothing.
func Add(object []byte, name, text string) []byte {
	var members map[string]json.RawMessage
	trimmed := bytes.TrimLeft(object, "\ufeff \t\r\n")
	if text == "" || json.Unmarshal(trimmed, &members) != nil || len(members) == 0 || members[name] != nil {
		return object
	}
	added, err := json.Marshal(map[string]string{name: text})
	if err != nil {
		return object
	}
	return slices.Concat(bytes.TrimSuffix(added, []byte("}")), []byte(","), trimmed[1:])
}
