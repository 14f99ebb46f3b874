package api

import (
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/client"
)

// Show returns a record as the API shows it to its agent.
func Show(r bridge.Record) *client.Request { return requestOf(&r) }
