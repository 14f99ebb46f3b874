package state

import (
	"encoding/json"
)

// encode writes values so that no two different lists look the same.
func Encode(values ...any) []byte {
	data, err := json.Marshal(values)
	if err != nil {
		panic("bridge: plain values always encode: " + err.Error())
	}
	return data
}
