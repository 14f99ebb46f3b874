package api

import "github.com/askbridge/askbridge/bridge"

// Show returns a record as the API shows it to its agent.
func Show(r bridge.Record) *Request { return requestOf(&r) }
