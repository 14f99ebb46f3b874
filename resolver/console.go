package resolver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/visible"
)

// Console asks a person at a terminal like the console example of Spring AI's
// AskUserQuestionTool, for agents that migrate from it:
//
//   - one or more numbers, separated by commas, select those options, even for a single-select
//     question;
//   - numbers without an option are ignored; if none is left, the line is text;
//   - anything else is text, and an empty line is an empty answer.
//
// [Stdin] is stricter: it asks again after invalid input. Both display texts alike.
// https://github.com/spring-ai-community/spring-ai-agent-utils/blob/main/spring-ai-agent-utils/docs/AskUserQuestionTool.md#console-based-implementation
type Console struct {
	In  io.Reader
	Out io.Writer
}

var _ Resolver = Console{}

// Ask implements [Resolver]. The end of the input cancels. It checks ctx only between lines,
// since a read from a terminal cannot be interrupted.
func (s Console) Ask(ctx context.Context, req Request) ([]Answer, error) {
	all := make([]Answer, len(req.Questions))
	for n, q := range req.Questions {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if _, err := io.WriteString(s.Out, consoleText(q)); err != nil {
			return nil, fmt.Errorf("resolver: show a question: %w", err)
		}
		line, err := readLine(s.In)
		switch {
		case errors.Is(err, io.EOF) && line == "":
			return nil, ErrCancelled
		case err != nil && !errors.Is(err, io.EOF):
			return nil, fmt.Errorf("resolver: read an answer: %w", err)
		}
		all[n] = consoleAnswer(q, strings.TrimSpace(line))
	}
	return all, nil
}

func consoleText(q ask.Question) string {
	var text strings.Builder
	fmt.Fprintf(&text, "\n%s\n", visible.Line(q.Header+": "+q.Text))
	for n, o := range q.Options {
		fmt.Fprintf(&text, "  %d. %s\n", n+1, visible.Line(o.Label+" - "+o.Description))
	}
	if q.MultiSelect {
		text.WriteString("  (Enter numbers separated by commas, or type custom text)\n")
	} else {
		text.WriteString("  (Enter a number, or type custom text)\n")
	}
	return text.String()
}

func consoleAnswer(q ask.Question, line string) Answer {
	a := Answer{Question: q.Text}
	for part := range strings.SplitSeq(strings.TrimRight(line, ","), ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil {
			return Answer{Question: q.Text, Other: line}
		}
		if n >= 1 && n <= len(q.Options) {
			a.Selected = append(a.Selected, q.Options[n-1].Label)
		}
	}
	if a.Selected == nil {
		a.Other = line
	}
	return a
}
