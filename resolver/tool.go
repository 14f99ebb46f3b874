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
	// ToolName is what Go hosts call it.
	ToolName = "ask_user_question"
	// SDKToolName is what Claude's Agent SDK calls it.
	SDKToolName = "AskUserQuestion"
)

// How much one call may hold. [Validate] refuses what is outside of it, except for a
// longer header, which is cut where it is shown: the library's source calls that advice.
// https://pkg.go.dev/github.com/dreamware-nz/askuserquestion-go#pkg-constants
const (
	MaxQuestions         = 4
	MinOptions           = 2
	MaxOptions           = 4
	RecommendedHeaderLen = 12
)

// What [Validate] finds wrong, in the library's words. [errors.Is] tells them
// apart.
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

// Tool is the question tool for a host that has none: what its model is told of
// it, and what a call does. It needs nothing of askbridge but this package.
type Tool struct {
	// Name, Description and InputSchema are what the model is told; the schema is
	// a JSON Schema.
	Name, Description string
	InputSchema       json.RawMessage

	resolver Resolver
}

// ToolResult is what goes back to the model.
type ToolResult struct {
	Text string
	// IsError says that the model made a mistake it can mend, or that nobody could
	// be asked.
	IsError bool
}

// NewTool returns the tool under [ToolName].
func NewTool(r Resolver) *Tool { return NewToolNamed(ToolName, r) }

// NewToolNamed returns the tool under another name, such as [SDKToolName]. A nil
// resolver is a tool whose every call says that there is none.
func NewToolNamed(name string, r Resolver) *Tool {
	if r == nil {
		r = Func(func(context.Context, Request) ([]Answer, error) { return nil, errNoResolver })
	}
	told := toldToModels()
	return &Tool{Name: name, Description: told.Description, InputSchema: told.InputSchema, resolver: r}
}

// Description is what a model is told of the tool.
func Description() string { return toldToModels().Description }

func toldToModels() dialect.ToolSchema {
	d, _ := dialect.Get("askuserquestion-go")
	told, _ := d.ToolSchema()
	return told
}

// Run does one call: it judges the input, which is JSON as the model wrote it, asks
// the resolver, and formats the answers. Wrong input, a person's dismissal and a
// resolver that fails are results; the error is that of ctx, where it ended first.
func (t *Tool) Run(ctx context.Context, toolCallID string, input []byte) (ToolResult, error) {
	r, err := dialect.RunTool(ctx, input, toolCallID, t.resolver)
	return ToolResult{Text: string(r.Body), IsError: r.IsError}, err
}

// Validate holds questions to the tool's rules: one to four of them, each with a
// text, a header and two to four options, whose labels differ. Its error matches
// the sentinel of every fault and reads as the first one alone.
func Validate(questions []ask.Question) error { return dialect.ValidateTool(questions) }

// Format writes answers as a model expects them. Answers pair with questions by
// position; typed text replaces labels; questions at the end without an answer are
// left out.
func Format(questions []ask.Question, answers []Answer) string {
	return dialect.FormatTool(questions, answers)
}
