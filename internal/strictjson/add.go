package strictjson

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Add returns an object with one more string member and all other bytes unchanged. It returns the
// input if it is not an object, is empty, or has the member, and if the text is empty.
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
