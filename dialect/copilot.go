package dialect

import (
	"encoding/json"

	"github.com/askbridge/askbridge/dialect/internal/answer"
	"github.com/askbridge/askbridge/dialect/internal/js"
	"github.com/askbridge/askbridge/dialect/internal/question"
)

// The Copilot SDK's ask_user: one question with choices as texts, and typed text unless allowFreeform is false. The answer states
// whether it was typed.
// https://github.com/github/copilot-sdk
const copilotSource = "https://github.com/github/copilot-sdk"

func copilot() Dialect {
	return Dialect{
		Name: "copilot", Family: "copilot", Host: "GitHub Copilot SDK", Tool: "ask_user", Source: copilotSource,
		Limits:   Limits{MaxQuestions: 1},
		Evidence: Unverified,
		Note:     "Every answer is kept whole; that a cancelled question is an error of the handler is inferred.",
		studied:  "types of the SDK 1.0.14, 2026",
		headless: noScreen,
		read: func(c *call, data json.RawMessage) {
			s := question.Shape{Text: []string{"question"}, Options: []string{"choices"}, Label: []string{"label"}, Other: "allowFreeform"}
			c.readOne(data, s)
		},
		write: func(c *call, picks []answer.Pick) Result {
			p := picks[0]
			return asJSON(c.rpcResult(js.Object(js.At("answer", answer.Joined(&c.Set, p).JSON), js.At("wasFreeform", js.Bool(p.Other != "")))))
		},
		end: fail,
	}
}
