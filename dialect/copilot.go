package dialect

import "encoding/json"

// The Copilot SDK's ask_user: one question with choices as texts, typed text
// unless allowFreeform is false; the answer says whether it was typed.
// https://github.com/github/copilot-sdk
const copilotSource = "https://github.com/github/copilot-sdk"

func copilot() Dialect {
	return Dialect{
		Name: "copilot", Family: "copilot", Host: "GitHub Copilot SDK", Tool: "ask_user", Source: copilotSource,
		Limits:   Limits{MaxQuestions: 1},
		Evidence: Unverified,
		Note:     "Every answer is kept whole; that a cancelled question is an error of the handler is inferred.",
		read: func(c *call, data json.RawMessage) {
			s := shape{text: []string{"question"}, options: []string{"choices"}, label: []string{"label"}, other: "allowFreeform"}
			c.readOne(data, s)
		},
		write: func(c *call, picks []pick) Result {
			p := picks[0]
			return asJSON(c.rpcResult(object(at("answer", c.joined(p).json), at("wasFreeform", boolean(p.other != "")))))
		},
		end: fail,
	}
}
