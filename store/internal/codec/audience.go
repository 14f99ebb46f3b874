package codec

import "github.com/askbridge/askbridge/bridge/record"

// storedAudience is who is told of a request, as it is stored.
type storedAudience struct {
	Who     []string `json:"w"`
	Unknown []string `json:"u,omitempty"`
}

// storedMissed is somebody who could not be told.
type storedMissed struct {
	Who string `json:"w"`
	Why string `json:"y"`
}

func storedMissedOf(all []record.Missed) []storedMissed {
	var stored []storedMissed
	for _, m := range all {
		stored = append(stored, storedMissed(m))
	}
	return stored
}

func missedOf(stored []storedMissed) []record.Missed {
	var all []record.Missed
	for _, m := range stored {
		all = append(all, record.Missed(m))
	}
	return all
}
