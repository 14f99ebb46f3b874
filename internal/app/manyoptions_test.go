package app_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/dialect"
	"github.com/askbridge/askbridge/internal/app/config"
)

// openCodeInput returns a question with n options in OpenCode's format.
func openCodeInput(n int, multiple bool) string {
	var options []string
	for i := range n {
		options = append(options, fmt.Sprintf(`{"label":"Region %d","description":"%d ms away"}`, i+1, 5+i))
	}
	return fmt.Sprintf(`{"id":"que_1","sessionID":"ses_1","tool":{"messageID":"msg_1","callID":"call_1"},"questions":[`+
		`{"question":"Which region?","header":"Region","multiple":%v,"options":[%s]}]}`, multiple, strings.Join(options, ","))
}

const crushInput = `{"questions":[` +
	`{"type":"single_choice","label":"Queue","question":"Which queue?","description":"For the new jobs.","choices":[` +
	`{"id":"redis","label":"Redis"},{"id":"nats","label":"NATS"},{"id":"kafka","label":"Kafka"},{"id":"sqs","label":"SQS"},{"id":"local","label":"In-process"}]},` +
	`{"type":"yes_no","label":"Go","question":"Go on?","description":"Now."}]}`

// springInput has ten questions, more than the default limit.
func springInput(t *testing.T) string {
	t.Helper()
	data, err := json.Marshal(map[string]any{"questions": ten()[:8]})
	if err != nil {
		t.Fatal(err)
	}
	more := strings.NewReplacer("part 1?", "part 9?", "part 2?", "part 10?")
	var all map[string][]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	for _, q := range all["questions"][:2] {
		all["questions"] = append(all["questions"], json.RawMessage(more.Replace(string(q))))
	}
	if data, err = json.Marshal(all); err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestHostLimits asks sets that only these hosts may ask, and checks the answers in their
// formats.
func TestHostLimits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, dialect, input string
		play                 func(h *hand)
		want                 string
	}{
		{
			name: "the seventh of ten options", dialect: "opencode", input: openCodeInput(10, false),
			play: func(h *hand) { h.choose(0, "Region 7") },
			want: `{"answers":[["Region 7"]]}`,
		},
		{
			name: "one of 25 options", dialect: "opencode", input: openCodeInput(25, false),
			play: func(h *hand) {
				h.choose(0, "Region 24")
				if !h.discord {
					h.press("Submit")
				}
			},
			want: `{"answers":[["Region 24"]]}`,
		},
		{
			name: "three of ten options", dialect: "opencode", input: openCodeInput(10, true),
			play: func(h *hand) {
				for _, label := range []string{"Region 10", "Region 7", "Region 1"} {
					h.choose(0, label)
				}
				h.press("Submit")
			},
			want: `{"answers":[["Region 1","Region 7","Region 10"]]}`,
		},
		{
			name: "two of 25 options and a typed one", dialect: "opencode", input: openCodeInput(25, true),
			play: func(h *hand) {
				h.choose(0, "Region 25")
				h.choose(0, "Region 7")
				h.write(0, "and the moon")
				h.press("Submit")
			},
			want: `{"answers":[["Region 7","Region 25","and the moon"]]}`,
		},
		{
			name: "the only option", dialect: "opencode", input: openCodeInput(1, false),
			play: func(h *hand) { h.choose(0, "Region 1") },
			want: `{"answers":[["Region 1"]]}`,
		},
		{
			name: "the last of Crush's five choices", dialect: "crush", input: crushInput,
			play: func(h *hand) {
				h.choose(0, "In-process")
				h.choose(1, "No")
				h.press("Submit")
			},
			want: "Q1: Which queue?\nUser selected: [\"local\"]\n\nQ2: Go on?\nUser answered: no",
		},
		{
			name: "Spring's ten questions", dialect: "spring", input: springInput(t),
			play: func(h *hand) {
				if !h.discord {
					h.press("Answer…")
					h.sees("[Cancel]")
				}
				for q := range h.questions {
					h.choose(q, "SQLite")
				}
				if err := h.Submit(h.Context()); err != nil {
					h.Fatal(err)
				}
			},
			want: `"Which database for part 10?":"SQLite"}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d, _ := dialect.Get(tt.dialect)
			read, err := d.Decode([]byte(tt.input), nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, mode := range []string{"http", "discord http"} {
				t.Run(mode, func(t *testing.T) {
					t.Parallel()
					w := start(t, mode, func(cfg *config.Config) { cfg.MaxQuestions, cfg.MaxOptions = 1, 2 })
					call := client.ToolCall{Dialect: tt.dialect, Input: []byte(tt.input), Request: ask.Request{To: []ask.Place{w.place()}, ToolCallID: "call_1"}}
					made, err := w.agent.SubmitTool(t.Context(), call)
					if err != nil || made.State != ask.Open {
						t.Fatalf("%+v, %v", made, err)
					}
					h := w.sit(t, &asking{Request: &client.Request{Questions: read.Request.Questions}}, w.place().Platform, dana)
					tt.play(h)
					got, err := w.agent.WaitTool(t.Context(), made.RequestID, tt.dialect, call.Input)
					if err != nil || got.State != ask.Answered || got.IsError || !strings.HasSuffix(string(got.Body), tt.want) {
						t.Errorf("got %s %q, %v", got.State, got.Body, err)
					}
					h.closed()
				})
			}
		})
	}
}

func TestConfiguredOptionLimit(t *testing.T) {
	t.Parallel()
	var many ask.Question
	for n := range 12 {
		many.Options = append(many.Options, ask.Option{Label: fmt.Sprint("Option ", n+1)})
	}
	many.Text = "Which?"
	w := start(t, "http", func(cfg *config.Config) { cfg.MaxOptions = 12 })
	a := w.ask(ask.Request{Questions: []ask.Question{many}})
	h := w.sit(t, a, "slack", dana)
	h.choose(0, "Option 12")
	h.press("Submit")
	answered(t, a, dana, chosen{[]string{"Option 12"}, ""})

	many.Options = append(many.Options, ask.Option{Label: "One more"})
	_, err := w.agent.Submit(t.Context(), ask.Request{Questions: []ask.Question{many}, To: []ask.Place{slackPlace}, ExpiresIn: time.Hour})
	if err == nil || !strings.Contains(err.Error(), "13 given; give 2 to 12") {
		t.Errorf("13 options: %v", err)
	}
}
