package mcpserver

import (
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askbridge/askbridge/ask"
)

// The names of the tools. [Options.ToolName] replaces the first.
const (
	askName  = "ask_user"
	waitName = "wait_for_answer"
)

const instructions = `%s puts questions in front of the right people in chat and returns exactly what a person chose. ` +
	`People take minutes or hours. When a result has the state "pending", call wait_for_answer with its id. ` +
	`Only the state "answered" is an answer; never assume one.`

const askAbout = `Ask a person up to %d questions in chat and wait for the answer. Use it when only a person can decide.

Give each question 2 to %d options, or none for an answer in the person's own words. Do not add an "Other" option: people can always write their own answer instead.

People take minutes or hours. If the result has the state "pending", call wait_for_answer with its id. If this call goes on in the background, its answer is still to come: do not begin work that depends on it. Every state but "answered" means that nobody answered: never assume an answer, and do not ask the same again.`

const waitAbout = `Wait for the answer to questions that you asked earlier. Give the id from the "pending" result. As long as the state is "pending", call this again with the same id. Questions stay open in between, so you may do other work first, but nothing that depends on the answer.`

// askTool describes the tool that asks. The schema says what is best sent; far more is
// understood.
func askTool(o *Options, name string) *mcp.Tool {
	option := needs(object("An option.",
		member{"label", text("What the person picks and you get back, unchanged. Must look different from the other labels of the question.")},
		member{"description", text("What choosing it means, in a sentence.")},
		member{"preview", text("A longer sample, such as code, shown as it is.")},
	), "label")
	question := needs(object("A question.",
		member{"question", text("The whole question, ending in a question mark.")},
		member{"header", text(fmt.Sprintf("A title of at most %d characters.", ask.HeaderAdvice))},
		member{"options", list(option, 0, o.MaxOptions, fmt.Sprintf("%d to %d distinct options; leave out for an answer in the person's own words.", ask.DefaultMinOptions, o.MaxOptions))},
		member{"multiSelect", flag("Whether several options may be picked.")},
		member{"noOther", flag("Whether people must take an option and cannot write an answer of their own.")},
		member{"optional", flag("Whether the question may be skipped, or left while others are answered.")},
		member{"notes", flag("Whether people can write a note beside their answer.")},
	), "question")
	members := []member{
		{"questions", list(question, 1, o.MaxQuestions, "Asked together and answered together.")},
		{"context", text("A line or two above the questions: what people need to know to decide.")},
		{"session", text("Groups the questions of one run. Leave it out unless you were given one.")},
		{"expires_in", text(`How long people have, as in "30m", "24h", "2d" or "never". Leave it out for the default.`)},
		{"responders", list(text(`Such as "anyone", "slack:U0000001", "slack-group:S0000001", "discord-role:1000000001" or "not_requester".`), 1, 0,
			"Who may answer. Leave it out for the default.")},
	}
	if o.AnyPlace || len(o.Routes) > 0 {
		route := text("The name of a configured place to ask in. Leave it out for the default.")
		if !o.AnyPlace {
			for _, name := range o.Routes {
				route.Enum = append(route.Enum, name)
			}
		}
		members = append(members, member{"route", route})
	}
	if o.AnyPlace {
		place := needs(object("A place.",
			member{"platform", text(`"slack" or "discord"`)},
			member{"channel", text("The id of a channel.")},
			member{"thread", text("The id of a thread of that channel.")},
			member{"user", text("The id of a person, for a direct message, in place of a channel.")},
		), "platform")
		members = append(members, member{"to", list(place, 1, ask.MaxTargets, "Where to ask, in place of route. Leave it out for the default.")})
	}
	return &mcp.Tool{
		Name: name, Title: "Ask a person", Description: fmt.Sprintf(askAbout, o.MaxQuestions, o.MaxOptions),
		InputSchema: needs(object("", members...), "questions"), OutputSchema: output(), Meta: alwaysLoaded(),
		Annotations: closedWorld("Ask a person"),
	}
}

func waitTool() *mcp.Tool {
	waiting := closedWorld("Wait for a person's answer")
	waiting.ReadOnlyHint, waiting.IdempotentHint = true, true
	return &mcp.Tool{
		Name: waitName, Title: "Wait for a person's answer", Description: waitAbout,
		InputSchema:  needs(object("", member{"id", text(`The id from a result with the state "pending".`)}), "id"),
		OutputSchema: output(), Meta: alwaysLoaded(),
		Annotations: waiting,
	}
}

// closedWorld are the annotations of a tool that destroys nothing and reaches a known set of people only. Codex asks for
// an approval before each call of a tool that is not both, and refuses the call where its policy is never to ask, as in
// codex exec.
// https://github.com/openai/codex/blob/001cdd2/codex-rs/core/src/mcp_tool_call.rs
func closedWorld(title string) *mcp.ToolAnnotations {
	return &mcp.ToolAnnotations{Title: title, DestructiveHint: new(false), OpenWorldHint: new(false)}
}

// alwaysLoaded keeps a tool out of Claude Code's tool search, where a model that
// is stuck would have to look for it first.
// https://code.claude.com/docs/en/mcp
func alwaysLoaded() mcp.Meta { return mcp.Meta{"anthropic/alwaysLoad": true} }

// output describes the structured content of every result.
func output() *jsonschema.Schema {
	state := text(`Only "answered" is an answer; "pending" may become one.`)
	for _, s := range states {
		state.Enum = append(state.Enum, string(s))
	}
	person := object("", member{"platform", text("")}, member{"id", text("")}, member{"name", text("")})
	answer := needs(object("",
		member{"index", &jsonschema.Schema{Type: "integer", Description: "The position of the question."}},
		member{"question", text("")},
		member{"header", text("")},
		member{"selected", list(text(""), 0, 0, "The labels picked, unchanged, in the order of the options.")},
		member{"other", text("What the person wrote instead, or beside the labels of a multi-select question.")},
		member{"notes", text("")},
		member{"by", person},
		member{"at", text("")},
	), "index", "question", "selected", "other")
	none := needs(object("",
		member{"index", &jsonschema.Schema{Type: "integer", Description: "The position of the question."}},
		member{"question", text("")},
		member{"header", text("")},
		member{"by", person},
		member{"notes", text("")},
		member{"notes_by", person},
	), "index", "question")
	next := needs(object("What to call next.", member{"tool", text("")}, member{"arguments", object("", member{"id", text("")})}), "tool", "arguments")
	remark := needs(object("", member{"path", text("")}, member{"detail", text("")}), "path", "detail")
	return needs(object("",
		member{"id", text("Names the request.")},
		member{"state", state},
		member{"message", text("The same in words.")},
		member{"answers", list(answer, 0, 0, "One for each question; only when answered.")},
		member{"skipped", list(none, 0, 0, "Optional questions that a person skipped; only when answered.")},
		member{"left", list(none, 0, 0, "Optional questions that nobody touched; only when answered.")},
		member{"via", text("What decided in place of a person's act on this request.")},
		member{"by", person},
		member{"ended_at", text("")},
		member{"expires_at", text("When people's time is over.")},
		member{"next", next},
		member{"errors", list(remark, 0, 0, "Everything wrong with the call.")},
		member{"advice", list(remark, 0, 0, "What was accepted but will look different from how it was sent.")},
		member{"ignored", list(text(""), 0, 0, "Members of the call that nobody knows here.")},
	), "state", "message")
}

// member is one member of an object.
type member struct {
	name   string
	schema *jsonschema.Schema
}

// object describes an object with the members in this order.
func object(about string, members ...member) *jsonschema.Schema {
	o := &jsonschema.Schema{Type: "object", Description: about, Properties: map[string]*jsonschema.Schema{}}
	for _, m := range members {
		o.Properties[m.name] = m.schema
		o.PropertyOrder = append(o.PropertyOrder, m.name)
	}
	return o
}

// needs says which members must be there.
func needs(o *jsonschema.Schema, names ...string) *jsonschema.Schema {
	o.Required = names
	return o
}

func flag(about string) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "boolean", Description: about}
}

func text(about string) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Description: about}
}

// list describes an array; zero means that there is no limit.
func list(items *jsonschema.Schema, least, most int, about string) *jsonschema.Schema {
	l := &jsonschema.Schema{Type: "array", Items: items, Description: about}
	if least > 0 {
		l.MinItems = &least
	}
	if most > 0 {
		l.MaxItems = &most
	}
	return l
}
