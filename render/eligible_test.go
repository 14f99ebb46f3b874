package render_test

import (
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
)

// alone links no accounts.
type alone struct{}

func (alone) Linked(string) (string, []string) { return "", nil }

// eligible is who can answer a request on a platform, that is asked on both.
func eligible(p ask.Policy, platform string) ask.Eligible {
	return record.Eligible(asks(p), on(platform), alone{}, func(string) bool { return false })
}

// asks is a request in a channel of each platform.
func asks(p ask.Policy) *record.Record {
	return &record.Record{Policy: p, Requesters: []string{"slack:U0000009", "discord:9"}, Copies: record.Copies{on("slack"), on("discord")}}
}

func on(platform string) record.Copy {
	return record.Copy{Target: ask.Place{Platform: platform, Channel: "C1"}}
}

// anyone can answer.
var anyone = ask.Eligible{Anyone: true}
