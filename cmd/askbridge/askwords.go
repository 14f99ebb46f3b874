package main

import (
	"encoding/json"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// What is given as words on the command line is read as the API reads it.

// policyOf reads --need, --poll and --show as the API does.
func policyOf(need, show string, poll bool) (ask.Voting, error) {
	policy := map[string]string{}
	if poll {
		policy["mode"] = string(ask.Poll)
	} else if need != "" {
		policy["mode"] = string(ask.Quorum)
	}
	if need != "" {
		policy["need"] = need
	}
	if show != "" {
		policy["show"] = show
	}
	data, err := json.Marshal(map[string]any{"policy": policy})
	if err != nil {
		return ask.Voting{}, err
	}
	r, _, err := ask.DecodeRequest(data)
	return r.Voting, err
}

// expiry reads --expires-in as the API does.
func expiry(s string) (time.Duration, error) {
	if s == "" {
		return 0, nil
	}
	data, err := json.Marshal(map[string]string{"expires_in": s})
	if err != nil {
		return 0, err
	}
	r, _, err := ask.DecodeRequest(data)
	return r.ExpiresIn, err
}
