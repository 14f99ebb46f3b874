package dialect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect/internal/answer"
	"github.com/askbridge/askbridge/dialect/internal/js"
	"github.com/askbridge/askbridge/dialect/internal/question"
)

// The tool of askuserquestion-go, a Go library for hosts built on charm.land/fantasy. The rules, error texts and the format are
// from its package page, v0.1.1: one to four questions, non-empty question, header and label, two to four options, labels unique
// within a question, and the length of a header is only advice.
// https://pkg.go.dev/github.com/dreamware-nz/askuserquestion-go
//
// In its format, typed text replaces the labels, also in a multi-select question. [ask.Format] keeps both. This dialect does what
// the library does, and warns if a label is lost.
const auqSource = "https://pkg.go.dev/github.com/dreamware-nz/askuserquestion-go@v0.1.1"

const (
	auqMaxQuestions = 4
	auqMinOptions   = 2
	auqMaxOptions   = 4
	auqCancelled    = "[cancelled by user]"
	auqFailed       = "resolver error: "
)

// The library's sentinel errors. The errors of [ValidateTool] and [Dialect.Decode] match them.
var (
	ErrNoQuestions      = errors.New("askuserquestion: questions must be a non-empty array")
	ErrTooManyQuestions = errors.New("askuserquestion: maximum 4 questions allowed")
	ErrEmptyQuestion    = errors.New("askuserquestion: each question must have non-empty question text")
	ErrEmptyHeader      = errors.New("askuserquestion: each question must have a non-empty header")
	ErrOptionCount      = errors.New("askuserquestion: each question must have 2-4 options")
	ErrEmptyLabel       = errors.New("askuserquestion: each option must have a non-empty label")
	ErrDuplicateLabel   = errors.New("askuserquestion: option labels within a question must be unique")
	// ErrResolverCancelled is the error of a [Resolver] if the person dismisses the questions.
	ErrResolverCancelled = errors.New("askuserquestion: resolver cancelled by user")
)

// ToolRequest is the input of a [Resolver].
type ToolRequest struct {
	ToolCallID string
	Questions  []ask.Question
}

// ToolAnswer is the library's answer to one question: labels, or text that replaces them.
type ToolAnswer struct {
	Question string
	Selected []string
	Other    string
}

// Resolver is the library's interface for asking a person. It returns one answer for each question, in order, or an error.
type Resolver interface {
	Ask(ctx context.Context, req ToolRequest) ([]ToolAnswer, error)
}

// ResolverFunc is a function as a [Resolver].
type ResolverFunc func(ctx context.Context, req ToolRequest) ([]ToolAnswer, error)

// Ask calls f.
func (f ResolverFunc) Ask(ctx context.Context, req ToolRequest) ([]ToolAnswer, error) {
	return f(ctx, req)
}

// RunTool runs one call of the library's tool: it validates the input, asks the resolver and formats the answers. It returns
// a context error as an error, and any other failure as a result for the model.
func RunTool(ctx context.Context, input []byte, toolCallID string, r Resolver) (Result, error) {
	d := askUserQuestion()
	got, err := d.Decode(input, nil)
	if err != nil {
		return d.Refuse(input, err), nil
	}
	answers, err := r.Ask(ctx, ToolRequest{ToolCallID: toolCallID, Questions: got.Request.Questions})
	switch {
	case errors.Is(err, ErrResolverCancelled):
		return asText(auqCancelled), nil
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return Result{}, err
	case err != nil:
		return asText(auqFailed + err.Error()).asError(), nil //nolint:nilerr // the result reports it to the model
	}
	return asText(FormatTool(got.Request.Questions, answers)), nil
}

// FormatTool is the library's Format: questions in order, separated by blank lines. Typed text replaces labels. Several labels
// and those of a multi-select question get a line with a dash each. Answers belong to the questions at the same position;
// questions after the last answer are omitted.
func FormatTool(questions []ask.Question, answers []ToolAnswer) string {
	var parts []string
	for i, q := range questions[:min(len(questions), len(answers))] {
		a := answers[i]
		lines := []string{q.Text}
		switch {
		case strings.TrimSpace(a.Other) != "":
			lines = append(lines, a.Other)
		case q.MultiSelect || len(a.Selected) > 1:
			for _, label := range a.Selected {
				lines = append(lines, "- "+label)
			}
		default:
			lines = append(lines, a.Selected...)
		}
		parts = append(parts, strings.Join(lines, "\n"))
	}
	return strings.Join(parts, "\n\n")
}

// ValidateTool applies the library's rules. Its error contains every problem and matches all of their sentinels.
func ValidateTool(questions []ask.Question) error {
	var c call
	c.Sent = len(questions)
	for i, q := range questions {
		it := question.Item{Index: i, At: fmt.Sprintf("questions[%d]", i), Text: js.Quote(q.Text), Header: js.Quote(q.Header), Sent: len(q.Options)}
		for _, o := range q.Options {
			it.Options = append(it.Options, question.Option{Label: js.Quote(o.Label)})
		}
		c.Items = append(c.Items, it)
	}
	auqRules(&c, auqMaxQuestions)
	return c.err()
}

func askUserQuestion() Dialect {
	return Dialect{
		Name: "askuserquestion-go", Family: "askuserquestion-go", Host: "Go hosts on fantasy", Tool: "ask_user_question", Source: auqSource, canSkip: true,
		Limits:   Limits{MaxQuestions: auqMaxQuestions, MinOptions: auqMinOptions, MaxOptions: auqMaxOptions},
		Evidence: Lossy,
		Note:     "Typed text replaces the labels of a multi-select question, as the library's format does.",
		studied:  "package page and source of v0.1.1 and v0.1.2, 2026-05-26",
		headless: noScreen,
		read: func(c *call, data json.RawMessage) {
			if c.ReadSet(data, question.Claude, "context"); !c.Unread {
				auqRules(c, c.MaxQuestions())
			}
		},
		write: func(c *call, picks []answer.Pick) Result {
			answers := make([]ToolAnswer, len(picks))
			last := 0
			for i, p := range picks {
				answers[i] = ToolAnswer{Question: p.Text.Text, Other: p.Other}
				for _, label := range p.Labels {
					answers[i].Selected = append(answers[i].Selected, label.Text)
				}
				if p.Other != "" && len(p.Labels) > 0 {
					c.AddWarning("question %d: the typed text replaces %d chosen labels", i+1, len(p.Labels))
				}
				if !p.Skipped {
					last = i + 1
				}
			}
			if c.left {
				last = len(answers) // A question left out on purpose has no lines below it.
			}
			return asText(FormatTool(c.Request.Questions, answers[:last]))
		},
		end: func(_ *call, e Ending, text string) Result {
			switch e {
			case Declined:
				return asText(auqCancelled)
			case Refused:
				return asText(text).asError()
			case Pending:
				return asText(text)
			}
			return asText(auqFailed + text).asError()
		},
	}
}

// auqRules applies the library's rules.
func auqRules(c *call, most int) {
	wrong := func(path string, own, kind error) {
		c.RejectAsHost(path, auqError{own, kind}, "%s", own)
	}
	switch {
	case c.Sent == 0:
		wrong("questions", ErrNoQuestions, ask.ErrNoQuestions)
	case c.Sent > most:
		wrong("questions", ErrTooManyQuestions, ask.ErrTooManyQuestions)
	}
	for _, it := range c.Items {
		if strings.TrimSpace(it.Text.Text) == "" {
			wrong(it.At+".question", ErrEmptyQuestion, ask.ErrEmptyQuestion)
		}
		if strings.TrimSpace(it.Header.Text) == "" {
			wrong(it.At+".header", ErrEmptyHeader, ask.ErrSyntax)
		}
		if it.Sent < auqMinOptions || len(it.Options) > auqMaxOptions {
			wrong(it.At+".options", ErrOptionCount, ask.ErrOptionCount)
		}
		seen := map[string]bool{}
		for j, o := range it.Options {
			path := fmt.Sprintf("%s.options[%d].label", it.At, j)
			switch {
			case strings.TrimSpace(o.Label.Text) == "":
				wrong(path, ErrEmptyLabel, ask.ErrEmptyLabel)
			case seen[o.Label.Text]:
				wrong(path, ErrDuplicateLabel, ask.ErrDuplicateLabel)
			}
			seen[o.Label.Text] = true
		}
	}
}

// auqError matches a sentinel of the library and one of package ask.
type auqError struct{ own, kind error }

func (e auqError) Error() string   { return e.own.Error() }
func (e auqError) Unwrap() []error { return []error{e.own, e.kind} }
