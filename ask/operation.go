package ask

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// Operation is what a permission covers: one call of one tool, with everything that the
// agent's host sent about it. Two prompts ask for the same thing exactly if their operations
// are equal. The bridge adds the agent, and the session where a scope is one session. Shared
// cards, grants, repeated submissions and [Request.Same] all compare operations, so that no
// approval can cover a call in one of these places that it does not cover in another.
//
// Package dialect fills it in for every permission prompt. The zero value means that the
// request asks for no permission, or that its host sent too little to compare.
type Operation struct {
	// Host is the family of the agent's host, such as "claude".
	Host string `json:"host"`
	// Tool is the tool to be used, by the host's own name.
	Tool string `json:"tool"`
	// Folder is the complete working directory as the host sent it; empty if unknown.
	Folder string `json:"folder,omitempty"`
	// Environment is the host's id of the machine or container in which the call runs; empty
	// if the host has only one.
	Environment string `json:"environment,omitempty"`
	// Input is the SHA-256 of the canonical JSON of everything else that the host sent, in
	// hexadecimal. What is left out of it is listed in package dialect with a reason.
	Input string `json:"input"`
}

// IsZero reports whether nothing is known about the operation.
func (o Operation) IsZero() bool { return o == Operation{} }

// Key identifies the operation in a fixed number of characters: equal keys, equal operations.
// It is empty for the zero value.
func (o Operation) Key() string {
	if o.IsZero() {
		return ""
	}
	data, err := json.Marshal(o)
	if err != nil {
		panic("ask: strings always encode: " + err.Error())
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
