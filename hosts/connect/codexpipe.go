package connect

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/strictjson"
)

// The messages of Codex's app-server about questions. They have no "jsonrpc"
// member.
// https://github.com/openai/codex/blob/main/codex-rs/app-server/README.md (request_user_input)
const (
	codexAsks     = "item/tool/requestUserInput"
	codexResolved = "serverRequest/resolved"
	codexEnded    = "turn/completed"
	// codexFree and codexNote are how Codex's terminal sends typed text: in place of an option, and as a note.
	codexFree = "None of the above"
	codexNote = "user_note: "
	// codexError is the code of an error instead of an answer, in JSON-RPC's range
	// for servers; Codex ignores code and message.
	codexError = -32000
	// codexGone is the reason for a question that Codex has resolved itself.
	codexGone = "Codex does not wait for it any more"
	// codexStopped is the reason for a question whose turn was interrupted, as with Esc in Codex's terminal.
	codexStopped = "the turn was interrupted in Codex"
)

// NewCodexPipe returns a Pipe for codex app-server on standard input and output.
// The bridge client should have [client.Options.Away], such as
// [DefaultAway].
//
// Only main agents of Codex ask. Its model sees an error as an empty answer, so an
// end without an answer is sent as a note.
//
// Source: codex-rs/app-server/README.md at
// https://github.com/openai/codex/tree/001cdd2.
func NewCodexPipe(bridge *client.Client, opts *PipeOptions) *Pipe {
	folder, _ := os.Getwd() // Codex starts in it too.
	return newPipe(bridge, &codexTalk{folder: folder}, opts)
}

type codexTalk struct {
	folder string
	// interrupted is the turn that was interrupted last. Codex resolves its questions after that.
	interrupted string
}

func (*codexTalk) name() string                                      { return "Codex" }
func (*codexTalk) mute(*heldQuestion) bool                           { return false }
func (*codexTalk) fromFront(_ *message, line []byte) ([]byte, heard) { return line, heard{} }
func (*codexTalk) dismissal(q *heldQuestion) []byte                  { return codexRefusal(q.id, "nobody can be asked") }
func (*codexTalk) withdrawal(*heldQuestion) []byte                   { return nil }

func (*codexTalk) result(q *heldQuestion, r *client.ToolResult) []byte { return codexReply(q.id, r) }

func (*codexTalk) answered(q *heldQuestion, line []byte) string {
	return codexAnswered(q.call.Input, line)
}

func (t *codexTalk) fromHost(m *message) heard {
	switch m.Method {
	case codexEnded:
		if turn := codexInterrupted(m.Params); turn != "" {
			t.interrupted = turn
		}
	case codexAsks:
		if m.key() != "" {
			call, _ := codexCall(m.Params)
			return heard{asks: &heldQuestion{call: call, folder: t.folder}}
		}
	case codexResolved:
		if id := codexAbout(m.Params); id != "" {
			return heard{private: true, ended: func(of string, q *heldQuestion) string {
				_, ids := codexCall(q.call.Input)
				switch {
				case of != id:
					return ""
				case ids.Turn != "" && ids.Turn == t.interrupted:
					return codexStopped
				}
				return codexGone
			}}
		}
	}
	return heard{}
}

// codexAbout returns the ID of the resolved request.
func codexAbout(params json.RawMessage) string {
	var about struct {
		ID json.RawMessage `json:"requestId"`
	}
	if strictjson.Decode(params, &about) != nil {
		return ""
	}
	return string(bytes.TrimSpace(about.ID))
}

// codexInterrupted returns the interrupted turn of a notification, or "".
func codexInterrupted(params json.RawMessage) string {
	var ended struct {
		Turn struct {
			ID     string `json:"id"`
			Status string `json:"status"`
		} `json:"turn"`
	}
	if strictjson.Decode(params, &ended) != nil || ended.Turn.Status != "interrupted" {
		return ""
	}
	return ended.Turn.ID
}

// codexAnswered returns the answers of a Codex client as text, in the order of the questions.
func codexAnswered(input json.RawMessage, line []byte) string {
	var asked struct {
		Questions []struct {
			ID string `json:"id"`
		} `json:"questions"`
	}
	var given struct {
		Result struct {
			Answers map[string]struct {
				Answers []string `json:"answers"`
			} `json:"answers"`
		} `json:"result"`
	}
	_ = strictjson.Decode(input, &asked) // The bridge reports its problems.
	if strictjson.Decode(line, &given) != nil || len(given.Result.Answers) == 0 {
		return elsewhere("Codex").Error()
	}
	var all []string
	for _, question := range asked.Questions {
		var texts []string
		for _, text := range given.Result.Answers[question.ID].Answers {
			if note, is := strings.CutPrefix(text, codexNote); is {
				texts = slices.DeleteFunc(texts, func(text string) bool { return text == codexFree })
				text = note
			}
			texts = append(texts, text)
		}
		all = append(all, cmp.Or(strings.Join(texts, ", "), "nothing"))
	}
	return cut("answered in Codex: " + strings.Join(all, "; "))
}

// codexIDs identify a question across connections; the request ID is unique only
// while the server runs.
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
	_ = strictjson.Decode(params, &ids) // The bridge reports its problems.
	c := client.ToolCall{Dialect: "codex", Input: params}
	if limit := time.Duration(ids.Limit) * time.Millisecond; limit > 0 && limit <= ask.MaxExpiresIn {
		c.ExpiresIn = limit // From then on Codex does not wait.
	}
	if ids.Thread != "" && ids.Item != "" {
		c.Key = strings.Join([]string{"codex", ids.Thread, ids.Turn, ids.Item}, "/")
	}
	return c, ids.codexIDs
}

// codexReply returns the response with the result from chat. An end without an answer is a result with a note for the model,
// since Codex ignores the content of errors.
func codexReply(id json.RawMessage, r *client.ToolResult) []byte {
	if r.ContentType == "application/json" {
		return reply(id, "", "result", r.Body)
	}
	return codexRefusal(id, string(r.Body))
}

func codexRefusal(id json.RawMessage, why string) []byte {
	text, err := json.Marshal(why)
	if err != nil {
		text = []byte(`""`)
	}
	return reply(id, "", "error", fmt.Appendf(nil, `{"code":%d,"message":%s}`, codexError, text))
}
