package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim/slacksim"
)

// scripted is one --answer: which question, and what to answer.
type scripted struct{ question, answer string }

func parseAnswers(flags []string) ([]scripted, error) {
	var all []scripted
	for _, flag := range flags {
		question, answer, ok := strings.Cut(flag, "=")
		if !ok || strings.TrimSpace(question) == "" || strings.TrimSpace(answer) == "" {
			return nil, fmt.Errorf("--answer %q must look like \"Database=Postgres\"", flag)
		}
		all = append(all, scripted{strings.TrimSpace(question), strings.TrimSpace(answer)})
	}
	return all, nil
}

// choice is what to do at one question.
type choice struct {
	labels []string
	other  string
}

// matchAnswers pairs answers with questions. No answers at all leave the questions to a person; else every question needs
// one, since nothing is ever filled in.
func matchAnswers(questions []ask.Question, answers []scripted) ([]choice, error) {
	if len(answers) == 0 {
		return nil, nil
	}
	choices := make([]choice, len(questions))
	done := make([]bool, len(questions))
	for _, a := range answers {
		i := slices.IndexFunc(questions, func(q ask.Question) bool {
			return strings.EqualFold(q.Header, a.question) || strings.EqualFold(q.Text, a.question)
		})
		if n, err := strconv.Atoi(a.question); i < 0 && err == nil && n >= 1 && n <= len(questions) {
			i = n - 1
		}
		switch {
		case i < 0:
			return nil, fmt.Errorf("there is no question %q; there are: %s", a.question, headers(questions))
		case done[i]:
			return nil, fmt.Errorf("the question %q is answered twice", questions[i].Header)
		}
		c, err := chooseFor(questions[i], a.answer)
		if err != nil {
			return nil, err
		}
		choices[i], done[i] = c, true
	}
	if i := slices.Index(done, false); i >= 0 {
		return nil, fmt.Errorf("there is no --answer for %q", questions[i].Header)
	}
	return choices, nil
}

func headers(questions []ask.Question) string {
	names := make([]string, len(questions))
	for i, q := range questions {
		names[i] = q.Header
	}
	return strings.Join(names, ", ")
}

// chooseFor reads an answer: a label, labels parted by commas for a question that takes several, and anything else as
// the person's own words.
func chooseFor(q ask.Question, answer string) (choice, error) {
	label := func(text string) string {
		i := slices.IndexFunc(q.Options, func(o ask.Option) bool { return strings.EqualFold(o.Label, strings.TrimSpace(text)) })
		if i < 0 {
			return ""
		}
		return q.Options[i].Label
	}
	var c choice
	parts := []string{answer}
	if q.MultiSelect && label(answer) == "" {
		parts = strings.Split(answer, ",")
	}
	var words []string
	for _, part := range parts {
		if l := label(part); l != "" {
			c.labels = append(c.labels, l)
		} else {
			words = append(words, strings.TrimSpace(part))
		}
	}
	c.other = strings.Join(words, ", ")
	if c.other != "" && q.NoOther {
		return choice{}, fmt.Errorf("%q is not an option of %q, which takes no other answer", c.other, q.Header)
	}
	return c, nil
}

// play answers a card as a person would: every press and pick travels to the bridge as a signed request.
func play(ctx context.Context, seat *slacksim.Seat, questions []ask.Question, choices []choice) error {
	// Cards name their parts q0, q1, … and what is typed there q0.other, q1.other, …
	if err := seat.AwaitText(ctx, "[Dismiss]"); err != nil {
		return err
	}
	sees := seat.Sees()
	switch {
	case strings.Contains(sees, "[Answer]"):
		return fillForm(ctx, seat, choices)
	case len(questions) == 1 && !questions[0].MultiSelect:
		if c := choices[0]; c.other == "" {
			return seat.Press(ctx, c.labels[0], "q0")
		}
		return write(ctx, seat, questions[0], "q0", choices[0].other)
	}
	for i, c := range choices {
		block := fmt.Sprintf("q%d", i)
		for _, label := range c.labels {
			if err := seat.Pick(ctx, block, label); err != nil {
				return err
			}
		}
		row := block
		if !questions[i].TextOnly() {
			row += ".other"
		}
		if c.other != "" {
			if err := write(ctx, seat, questions[i], row, c.other); err != nil {
				return err
			}
		}
	}
	return seat.Press(ctx, "Submit")
}

// write opens the form for the person's own words and sends them.
func write(ctx context.Context, seat *slacksim.Seat, q ask.Question, block, words string) error {
	button := "Other…"
	if q.TextOnly() {
		button = "Answer…"
	}
	if err := openForm(ctx, seat, button, block); err != nil {
		return err
	}
	if err := seat.Fill(ctx, "", words); err != nil {
		return err
	}
	return seat.Submit(ctx)
}

// openForm presses a button and waits for the form, which comes with a call of its own.
func openForm(ctx context.Context, seat *slacksim.Seat, button string, under ...string) error {
	if err := seat.Press(ctx, button, under...); err != nil {
		return err
	}
	return seat.AwaitText(ctx, "[Cancel]")
}

// fillForm answers questions that stand in one form.
func fillForm(ctx context.Context, seat *slacksim.Seat, choices []choice) error {
	if err := openForm(ctx, seat, "Answer"); err != nil {
		return err
	}
	for i, c := range choices {
		block := fmt.Sprintf("q%d", i)
		for _, label := range c.labels {
			if err := seat.Pick(ctx, block, label); err != nil {
				return err
			}
		}
		if c.other == "" {
			continue
		}
		err := seat.Fill(ctx, block+".other", c.other)
		if err != nil {
			err = seat.Fill(ctx, block, c.other) // A question without options has one field only.
		}
		if err != nil {
			return err
		}
	}
	return seat.Submit(ctx)
}
