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

// Stdin asks a person at a terminal for the number of an option, for several numbers separated
// by commas on a multi-select question, or for "other" and text. An empty line, or the end of the
// input, cancels. Control characters of the agent's texts are escaped and further lines are
// prefixed, so that the texts cannot draw over the question.
type Stdin struct {
	In  io.Reader
	Out io.Writer
}

var _ Resolver = Stdin{}

// Ask implements [Resolver]. It checks ctx only between lines, since a read from a terminal
// cannot be interrupted.
func (s Stdin) Ask(ctx context.Context, req Request) ([]Answer, error) {
	all := make([]Answer, len(req.Questions))
	for n, q := range req.Questions {
		a, err := s.one(ctx, q)
		if err != nil {
			return nil, err
		}
		all[n] = a
	}
	return all, nil
}

// one asks one question until the input is valid.
func (s Stdin) one(ctx context.Context, q ask.Question) (Answer, error) {
	var text strings.Builder
	fmt.Fprintf(&text, "\n%s\n", visible.Line(q.Text))
	for n, o := range q.Options {
		fmt.Fprintf(&text, "  %d  %s\n", n+1, visible.Line(strings.TrimSuffix(o.Label+": "+o.Description, ": ")))
	}
	fmt.Fprintf(&text, "%s> ", hint(q))
	for {
		if err := ctx.Err(); err != nil {
			return Answer{}, err
		}
		if _, err := io.WriteString(s.Out, text.String()); err != nil {
			return Answer{}, fmt.Errorf("resolver: show a question: %w", err)
		}
		line, err := readLine(s.In)
		if err != nil && !errors.Is(err, io.EOF) {
			return Answer{}, fmt.Errorf("resolver: read an answer: %w", err)
		}
		if line = strings.TrimSpace(line); line == "" {
			return Answer{}, ErrCancelled
		}
		a, err := answer(q, line)
		if err == nil {
			return a, nil
		}
		text.Reset()
		fmt.Fprintf(&text, "%v\n> ", err)
	}
}

// readLine reads one line and no more, since the rest may answer a question of another call.
func readLine(in io.Reader) (string, error) {
	var line []byte
	for one := make([]byte, 1); ; {
		n, err := in.Read(one)
		if n > 0 {
			line = append(line, one[0])
		}
		if err != nil || n > 0 && one[0] == '\n' {
			return string(line), err
		}
	}
}

func hint(q ask.Question) string {
	switch {
	case q.TextOnly():
		return ""
	case q.MultiSelect && q.NoOther:
		return "numbers, parted by commas"
	case q.MultiSelect:
		return "numbers, parted by commas, or other and your words"
	case q.NoOther:
		return "a number"
	}
	return "a number, or other and your words"
}

// answer parses a line.
func answer(q ask.Question, line string) (Answer, error) {
	a := Answer{Question: q.Text}
	if q.TextOnly() {
		a.Other = line
		return a, nil
	}
	if word, words, _ := strings.Cut(line, " "); strings.EqualFold(word, "other") && !q.NoOther {
		if a.Other = strings.TrimSpace(words); a.Other == "" {
			return a, errors.New("say what, as in: other next week")
		}
		return a, nil
	}
	picked := make([]bool, len(q.Options))
	count := 0
	for part := range strings.SplitSeq(line, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 1 || n > len(q.Options) {
			return a, fmt.Errorf("%q is not a number from 1 to %d", strings.TrimSpace(part), len(q.Options))
		}
		if !picked[n-1] {
			picked[n-1] = true
			count++
		}
	}
	if count > 1 && !q.MultiSelect {
		return a, errors.New("choose one")
	}
	for n, o := range q.Options {
		if picked[n] {
			a.Selected = append(a.Selected, o.Label)
		}
	}
	return a, nil
}
