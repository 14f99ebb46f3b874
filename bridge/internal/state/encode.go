package state

import (
	"encoding/json"
)

// Encode serializes values so that different lists never have the same encoding.
func Encode(values ...any) []byte {
	data, err := json.Marshal(values)
	if err != nil {
		panic("bridge: plain values always encode: " + err.Error())
	}
	return data
}
