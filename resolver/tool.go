package resolver

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect"
)

// The names of the tool.
const (
	// ToolName is its name in Go hosts.
	ToolName = "ask_user_question"
	// SDKToolName is its name in Claude's Agent SDK.
	SDKToolName = "AskUserQuestion"
)

// The limits of one call, which [Validate] checks, except for the length of headers, which is
// only advice in the library's source; longer ones are truncated.
// https://pkg.go.dev/github.com/dreamware-nz/askuserquestion-go#pkg-constants
const (
	MaxQuestions         = 4
	MinOptions           = 2
	MaxOptions           = 4
	RecommendedHeaderLen = 12
)

// The errors of [Validate], with the library's texts, for [errors.Is].
var (
	ErrNoQuestions      = dialect.ErrNoQuestions
	ErrTooManyQuestions = dialect.ErrTooManyQuestions
	ErrEmptyQuestion    = dialect.ErrEmptyQuestion
	ErrEmptyHeader      = dialect.ErrEmptyHeader
	ErrOptionCount      = dialect.ErrOptionCount
	ErrEmptyLabel       = dialect.ErrEmptyLabel
	ErrDuplicateLabel   = dialect.ErrDuplicateLabel
)

var errNoResolver = errors.New("askuserquestion: no resolver configured")

// Tool is a question tool for a host that has none: its description for the model, and its
// implementation.
type Tool struct {
	// Name, Description and InputSchema are for the model; the last is a JSON Schema.
	Name, Description string
	InputSchema       json.RawMessage

	resolver Resolver
}

// ToolResult is the result for the model.
type ToolResult struct {
	Text string
	// IsError means that the model can correct its input, or that the questions could not be
	// asked.
	IsError bool
}

// NewTool returns the tool with the name [ToolName].
func NewTool(r Resolver) *Tool { return NewToolNamed(ToolName, r) }

// NewToolNamed returns the tool with another name, such as [SDKToolName]. With a nil resolver
// every call fails.
func NewToolNamed(name string, r Resolver) *Tool {
	if r == nil {
		r = Func(func(context.Context, Request) ([]Answer, error) { return nil, errNoResolver })
	}
	schema := toldToModels()
	return &Tool{Name: name, Description: schema.Description, InputSchema: schema.InputSchema, resolver: r}
}

// Description returns the tool's description for the model.
func Description() string { return toldToModels().Description }

func toldToModels() dialect.ToolSchema {
	d, _ := dialect.Get("askuserquestion-go")
	schema, _ := d.ToolSchema()
	return schema
}

// Run executes one call: it validates the model's JSON input, asks the resolver, and formats the
// answers. Invalid input, a dismissal and a failing resolver are results; the only error is that
// of ctx.
func (t *Tool) Run(ctx context.Context, toolCallID string, input []byte) (ToolResult, error) {
	r, err := dialect.RunTool(ctx, input, toolCallID, t.resolver)
	return ToolResult{Text: string(r.Body), IsError: r.IsError}, err
}

// Validate checks the tool's rules: one to four questions, each with a text, a header and two to
// four options with distinct labels. Its error matches the sentinel of every problem; its text is
// that of the first one.
func Validate(questions []ask.Question) error { return dialect.ValidateTool(questions) }

// Format returns answers as text for the model. Answers belong to questions by position; typed
// text replaces labels; questions at the end without an answer are omitted.
func Format(questions []ask.Question, answers []Answer) string {
	return dialect.FormatTool(questions, answers)
}
