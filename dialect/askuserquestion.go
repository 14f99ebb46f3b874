package dialect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// The tool of askuserquestion-go, a Go library for hosts built on charm.land/fantasy. The
// rules, the error texts and the format are those of its package page,
// v0.1.1: one to four questions, non-empty question, header and label, two to
// four options, labels unique within a question, header length only advice.
// https://pkg.go.dev/github.com/dreamware-nz/askuserquestion-go
//
// Its format lets typed text replace the labels, also on a multi-select
// question. [ask.Format] keeps both; this dialect does as the library does, and
// warns when a label is lost.
const auqSource = "https://pkg.go.dev/github.com/dreamware-nz/askuserquestion-go@v0.1.1"

const (
	auqMaxQuestions = 4
	auqMinOptions   = 2
	auqMaxOptions   = 4
	auqCancelled    = "[cancelled by user]"
	auqFailed       = "resolver error: "
)

// The library's sentinel errors. [ValidateTool] and the error of
// [Dialect.Decode] match them.
var (
	ErrNoQuestions      = errors.New("askuserquestion: questions must be a non-empty array")
	ErrTooManyQuestions = errors.New("askuserquestion: maximum 4 questions allowed")
	ErrEmptyQuestion    = errors.New("askuserquestion: each question must have non-empty question text")
	ErrEmptyHeader      = errors.New("askuserquestion: each question must have a non-empty header")
	ErrOptionCount      = errors.New("askuserquestion: each question must have 2-4 options")
	ErrEmptyLabel       = errors.New("askuserquestion: each option must have a non-empty label")
	ErrDuplicateLabel   = errors.New("askuserquestion: option labels within a question must be unique")
	// ErrResolverCancelled is what a [Resolver] returns when the person
	// dismisses the questions.
	ErrResolverCancelled = errors.New("askuserquestion: resolver cancelled by user")
)

// ToolRequest is what the library hands to a Resolver.
type ToolRequest struct {
	ToolCallID string
	Questions  []ask.Question
}

// ToolAnswer is the library's answer to one question: labels, or text that
// replaces them.
type ToolAnswer struct {
	Question string
	Selected []string
	Other    string
}

// Resolver is the library's seam: whoever asks the person. It returns one
// answer for each question, in order, or an error.
type Resolver interface {
	Ask(ctx context.Context, req ToolRequest) ([]ToolAnswer, error)
}

// ResolverFunc makes a Resolver of a function.
type ResolverFunc func(ctx context.Context, req ToolRequest) ([]ToolAnswer, error)

// Ask calls f.
func (f ResolverFunc) Ask(ctx context.Context, req ToolRequest) ([]ToolAnswer, error) {
	return f(ctx, req)
}

// RunTool does what the library's tool does with one call: it validates the
// input, asks the resolver and formats the answers. A context error is
// returned as such; every other failure is a result for the model.
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
		return asText(auqFailed + err.Error()).asError(), nil //nolint:nilerr // the model is told, not the program
	}
	return asText(FormatTool(got.Request.Questions, answers)), nil
}

// FormatTool is the library's Format: questions in order, parted by a blank
// line; typed text alone if there is any; else dash lines for a multi-select
// question and for several labels, and a bare label otherwise. Answers pair by
// position; those that are missing at the end are left out.
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

// ValidateTool applies the library's rules and returns every fault at once.
// The error matches the sentinels of all of them.
func ValidateTool(questions []ask.Question) error {
	var c call
	c.sent = len(questions)
	for i, q := range questions {
		it := item{index: i, at: fmt.Sprintf("questions[%d]", i), text: quote(q.Text), header: quote(q.Header), sent: len(q.Options)}
		for _, o := range q.Options {
			it.options = append(it.options, option{label: quote(o.Label)})
		}
		c.items = append(c.items, it)
	}
	c.auqRules(auqMaxQuestions)
	return c.err()
}

func askUserQuestion() Dialect {
	return Dialect{
		Name: "askuserquestion-go", Family: "askuserquestion-go", Host: "Go hosts on fantasy", Tool: "ask_user_question", Source: auqSource, leavesOut: true,
		Limits:   Limits{MaxQuestions: auqMaxQuestions, MinOptions: auqMinOptions, MaxOptions: auqMaxOptions},
		Evidence: Lossy,
		Note:     "Typed text replaces the labels of a multi-select question, as the library's format does.",
		read: func(c *call, data json.RawMessage) {
			if c.readSet(data, claudeShape, "context"); !c.unread {
				c.auqRules(c.maxQuestions())
			}
		},
		write: func(c *call, picks []pick) Result {
			answers := make([]ToolAnswer, len(picks))
			last := 0
			for i, p := range picks {
				answers[i] = ToolAnswer{Question: p.text.text, Other: p.other}
				for _, label := range p.labels {
					answers[i].Selected = append(answers[i].Selected, label.text)
				}
				if p.other != "" && len(p.labels) > 0 {
					c.warn("question %d: the typed text replaces %d chosen labels", i+1, len(p.labels))
				}
				if !p.skipped {
					last = i + 1
				}
			}
			if c.left {
				last = len(answers) // One that was left out on purpose is a bare question.
			}
			return asText(FormatTool(c.request.Questions, answers[:last]))
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

func (c *call) auqRules(most int) {
	wrong := func(path string, own, kind error) {
		c.bad(path, auqError{own, kind}, "%s", own)
	}
	switch {
	case c.sent == 0:
		wrong("questions", ErrNoQuestions, ask.ErrNoQuestions)
	case c.sent > most:
		wrong("questions", ErrTooManyQuestions, ask.ErrTooManyQuestions)
	}
	for _, it := range c.items {
		if strings.TrimSpace(it.text.text) == "" {
			wrong(it.at+".question", ErrEmptyQuestion, ask.ErrEmptyQuestion)
		}
		if strings.TrimSpace(it.header.text) == "" {
			wrong(it.at+".header", ErrEmptyHeader, ask.ErrSyntax)
		}
		if it.sent < auqMinOptions || len(it.options) > auqMaxOptions {
			wrong(it.at+".options", ErrOptionCount, ask.ErrOptionCount)
		}
		seen := map[string]bool{}
		for j, o := range it.options {
			path := fmt.Sprintf("%s.options[%d].label", it.at, j)
			switch {
			case strings.TrimSpace(o.label.text) == "":
				wrong(path, ErrEmptyLabel, ask.ErrEmptyLabel)
			case seen[o.label.text]:
				wrong(path, ErrDuplicateLabel, ask.ErrDuplicateLabel)
			}
			seen[o.label.text] = true
		}
	}
}

// auqError is a sentinel of the library that is also one of ours.
type auqError struct{ own, kind error }

func (e auqError) Error() string   { return e.own.Error() }
func (e auqError) Unwrap() []error { return []error{e.own, e.kind} }
