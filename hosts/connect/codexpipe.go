package connect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/strictjson"
)

// The messages of Codex's app-server that have to do with questions. The
// "jsonrpc" member is left out on its wire.
// https://github.com/openai/codex/blob/main/codex-rs/app-server/README.md (request_user_input)
const (
	codexAsks     = "item/tool/requestUserInput"
	codexResolved = "serverRequest/resolved"
	// codexError is the code of an answer that is none, out of JSON-RPC's range
	// for servers; Codex looks at neither code nor message.
	codexError = -32000
	// codexGone is why a question is closed that Codex has resolved by itself.
	codexGone = "Codex does not wait for it any more"
)

// NewCodexPipe returns a Pipe for codex app-server on standard input and output.
// The bridge client should have [client.Options.Away], such as
// [DefaultAway].
//
// Codex lets only main agents ask. It takes an error for an answer to nothing,
// which its model sees as an empty set.
//
// Read in codex-rs/app-server/README.md at
// https://github.com/openai/codex/tree/001cdd2.
func NewCodexPipe(bridge *client.Client, opts *PipeOptions) *Pipe {
	return newPipe(bridge, codexTalk{}, opts)
}

type codexTalk struct{}

func (codexTalk) name() string                                      { return "Codex" }
func (codexTalk) mute(*heldQuestion) bool                           { return false }
func (codexTalk) fromFront(_ *message, line []byte) ([]byte, heard) { return line, heard{} }
func (codexTalk) dismissal(q *heldQuestion) []byte                  { return codexRefusal(q.id, "nobody can be asked") }
func (codexTalk) withdrawal(*heldQuestion) []byte                   { return nil }

func (codexTalk) result(q *heldQuestion, r *client.ToolResult) []byte { return codexReply(q.id, r) }

func (codexTalk) fromHost(m *message) heard {
	switch m.Method {
	case codexAsks:
		if m.key() != "" {
			call, _ := codexCall(m.Params)
			return heard{asks: &heldQuestion{call: call}}
		}
	case codexResolved:
		if id := codexAbout(m.Params); id != "" {
			return heard{private: true, ended: func(of string, _ *heldQuestion) string {
				if of != id {
					return ""
				}
				return codexGone
			}}
		}
	}
	return heard{}
}

// codexAbout is the id of the request that is resolved.
func codexAbout(params json.RawMessage) string {
	var about struct {
		ID json.RawMessage `json:"requestId"`
	}
	if strictjson.Decode(params, &about) != nil {
		return ""
	}
	return string(bytes.TrimSpace(about.ID))
}

// codexIDs name a question across connections; the id of the request is only
// unique while the server runs.
type codexIDs struct {
	Thread string `json:"threadId"`
	Turn   string `json:"turnId"`
	Item   string `json:"itemId"`
}

func codexCall(params json.RawMessage) (client.ToolCall, codexIDs) {
	var ids struct {
		codexIDs

		Limit int64 `json:"autoResolutionMs"`
	}
	_ = strictjson.Decode(params, &ids) // What is wrong with it the bridge says.
	c := client.ToolCall{Dialect: "codex", Input: params}
	if limit := time.Duration(ids.Limit) * time.Millisecond; limit > 0 && limit <= ask.MaxExpiresIn {
		c.ExpiresIn = limit // From then on Codex does not wait.
	}
	if ids.Thread != "" && ids.Item != "" {
		c.Key = strings.Join([]string{"codex", ids.Thread, ids.Turn, ids.Item}, "/")
	}
	return c, ids.codexIDs
}

// codexReply answers a request with what chat says.
func codexReply(id json.RawMessage, r *client.ToolResult) []byte {
	if r.IsError {
		return codexRefusal(id, string(r.Body))
	}
	return reply(id, "", "result", r.Body)
}

func codexRefusal(id json.RawMessage, why string) []byte {
	text, err := json.Marshal(why)
	if err != nil {
		text = []byte(`""`)
	}
	return reply(id, "", "error", fmt.Appendf(nil, `{"code":%d,"message":%s}`, codexError, text))
}
