package mcpserver

import (
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askbridge/askbridge/access"
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

const askAbout = `Ask people in chat up to %d questions and wait for their answers. Use it when only a person can decide.

Give each question 2 to %d options, or none for free text. Do not add an "Other" option: people can always write their own answer.

People take minutes or hours. If the result has the state "pending", call ` + waitName + ` with its id. If this call goes on in the background, its answer is still to come: do not begin work that depends on it. Only the state "answered" is an answer: never assume one, and do not ask the same again.`

const waitAbout = `Wait for the answer to questions that you asked earlier; the result is like theirs. While the state is "pending", call this again with the same id. Meanwhile you may do work that does not depend on the answer.`

// askTool describes the tool that asks. Hosts send all of this to the model with every request, so the schema contains only
// what a model needs to ask well; many more members are accepted.
func askTool(o *Options, name string) *mcp.Tool {
	option := needs(object("",
		member{"label", text("Returned unchanged. Must differ from the other labels.")},
		member{"description", text("What choosing it means, in a sentence.")},
		member{"preview", text("A longer sample, such as code, shown as it is.")},
	), "label")
	question := needs(object("",
		member{"question", text("The whole question, ending in a question mark.")},
		member{"header", text(fmt.Sprintf("A title of at most %d characters.", ask.HeaderAdvice))},
		member{"options", list(option, 0, o.MaxOptions, fmt.Sprintf("%d to %d; leave out for free text.", ask.DefaultMinOptions, o.MaxOptions))},
		member{"multiSelect", flag("Several options may be picked.")},
		member{"noOther", flag("People must pick an option.")},
		member{"optional", flag("The question may be skipped.")},
		member{"notes", flag("People can add a note to their answer.")},
	), "question")
	members := []member{
		{"questions", list(question, 1, o.MaxQuestions, "Asked and answered together.")},
		{"context", text("What people need to know to decide, in a line or two.")},
		{"expires_in", text(`How long people have, such as "30m", "2d" or "never".`)},
	}
	if o.may(access.ModelResponders) {
		members = append(members, member{access.ModelResponders, list(text(""), 1, 0,
			`Who may answer, such as "slack:U0000001", "slack-group:S0000001" or "not_requester". Leave it out for the default.`)})
	}
	if anyRoute := o.may(access.ModelRoute); anyRoute || len(o.Routes) > 0 {
		route := text("The name of a configured place to ask in. Leave it out for the default.")
		if !anyRoute {
			for _, name := range o.Routes {
				route.Enum = append(route.Enum, name)
			}
		}
		members = append(members, member{access.ModelRoute, route})
	}
	if o.may(access.ModelTo) {
		place := needs(object("",
			member{"platform", text(`"slack" or "discord"`)},
			member{"channel", text("The id of a channel.")},
			member{"thread", text("The id of a thread in it.")},
			member{"user", text("The id of a person to message, instead of a channel.")},
		), "platform")
		members = append(members, member{access.ModelTo, list(place, 1, ask.MaxTargets, "Where to ask, instead of route. Leave it out for the default.")})
	}
	if o.may(access.ModelOrigin) {
		members = append(members, member{access.ModelOrigin, object(`The chat you got the task in: platform, channel, thread, people (["slack:U0000001"]).`)})
	}
	return &mcp.Tool{
		Name: name, Title: "Ask a person", Description: fmt.Sprintf(askAbout, o.MaxQuestions, o.MaxOptions),
		InputSchema: needs(object("", members...), "questions"), OutputSchema: output(), Meta: alwaysLoaded(),
		Annotations: closedWorld(),
	}
}

// waitTool describes the tool that continues to wait. Its result has the same schema as the other tool's, which is not
// repeated.
func waitTool() *mcp.Tool {
	waiting := closedWorld()
	waiting.ReadOnlyHint, waiting.IdempotentHint = true, true
	return &mcp.Tool{
		Name: waitName, Title: "Wait for a person's answer", Description: waitAbout,
		InputSchema: needs(object("", member{"id", text(`The id from the "pending" result.`)}), "id"),
		Meta:        alwaysLoaded(),
		Annotations: waiting,
	}
}

// closedWorld are the annotations of a tool that destroys nothing and reaches a known set of people only. Codex asks for
// an approval before each call of a tool that is not both, and refuses the call where its policy is never to ask, as in
// codex exec.
// https://github.com/openai/codex/blob/001cdd2/codex-rs/core/src/mcp_tool_call.rs
func closedWorld() *mcp.ToolAnnotations {
	return &mcp.ToolAnnotations{DestructiveHint: new(false), OpenWorldHint: new(false)}
}

// alwaysLoaded excludes a tool from Claude Code's tool search, where a model would have to find it first.
// https://code.claude.com/docs/en/mcp
func alwaysLoaded() mcp.Meta { return mcp.Meta{"anthropic/alwaysLoad": true} }

// output describes the structured content of every result, in detail where a model acts on it.
func output() *jsonschema.Schema {
	state := text("")
	for _, s := range states {
		state.Enum = append(state.Enum, string(s))
	}
	answer := needs(object("",
		member{"index", &jsonschema.Schema{Type: "integer"}},
		member{"question", text("")},
		member{"selected", list(text(""), 0, 0, "The labels picked.")},
		member{"other", text("What the person wrote.")},
		member{"notes", text("")},
	), "index", "question", "selected", "other")
	all := func() *jsonschema.Schema { return &jsonschema.Schema{Type: "array"} }
	return needs(object("",
		member{"id", text("")},
		member{"state", state},
		member{"message", text("The same in words.")},
		member{"answers", list(answer, 0, 0, "")},
		member{"skipped", all()},
		member{"left", all()},
		member{"via", text("What decided instead of a person.")},
		member{"by", object("")},
		member{"ended_at", text("")},
		member{"expires_at", text("")},
		member{"next", object("The tool to call next.")},
		member{"errors", all()},
		member{"advice", all()},
		member{"ignored", all()},
	), "state", "message")
}

// member is one member of an object.
type member struct {
	name   string
	schema *jsonschema.Schema
}

// object describes an object with the members in this order.
func object(about string, members ...member) *jsonschema.Schema {
	o := &jsonschema.Schema{Type: "object", Description: about}
	if len(members) > 0 {
		o.Properties = map[string]*jsonschema.Schema{}
	}
	for _, m := range members {
		o.Properties[m.name] = m.schema
		o.PropertyOrder = append(o.PropertyOrder, m.name)
	}
	return o
}

// needs sets the required members.
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

// list describes an array; a zero limit means none.
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
