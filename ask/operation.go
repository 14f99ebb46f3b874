package ask

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// Operation identifies the tool call that a permission covers, with everything that the agent's
// host sent about it. Two prompts ask for the same thing exactly if their operations are equal.
// The bridge adds the agent and, where the scope is one session, the session. Shared cards,
// grants, repeated submissions and [Request.Same] all compare operations, so none of them can
// extend an approval to a call that another would not.
//
// Package dialect fills it in for every permission prompt. The zero value means that the
// request is not a permission prompt, or that its host sent too little to compare.
type Operation struct {
	// Host is the family of the agent's host, such as "claude".
	Host string `json:"host"`
	// Tool is the host's name of the tool.
	Tool string `json:"tool"`
	// Folder is the full working directory as the host sent it; empty if unknown.
	Folder string `json:"folder,omitempty"`
	// Environment is the host's id of the machine or container in which the call runs; empty if
	// the host has only one.
	Environment string `json:"environment,omitempty"`
	// Input is the hexadecimal SHA-256 of the canonical JSON of everything else the host sent.
	// Package dialect lists the members it leaves out, with reasons.
	Input string `json:"input"`
}

// IsZero reports whether the operation is empty, which [encoding/json] omits.
func (o Operation) IsZero() bool { return o == Operation{} }

// Key returns a fixed-length identifier: equal keys mean equal operations. It is empty for the
// zero value.
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
