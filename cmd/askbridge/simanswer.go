package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim"
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
func play(ctx context.Context, seat chatsim.Seat, questions []ask.Question, choices []choice) error {
	hand := chatsim.Hand{Seat: seat, Onward: []string{"Answer", "Next"}}
	for i, c := range choices {
		for _, label := range c.labels {
			if err := hand.Choose(ctx, questions[i].Text, label); err != nil {
				return err
			}
		}
		if c.other != "" {
			if err := write(ctx, hand, i, questions[i], c.other); err != nil {
				return err
			}
		}
	}
	if !strings.Contains(hand.Sees(), "Submit]") {
		return nil // The last choice has answered everything.
	}
	return hand.Send(ctx, "Submit")
}

// write puts the person's own words where they belong: into the form that holds all questions, or into one that a button
// of the question opens.
func write(ctx context.Context, hand chatsim.Hand, i int, q ask.Question, words string) error {
	button, field := "Other…", fmt.Sprintf("q%d.other", i) // The bridge's names of the fields in the form on Slack.
	if q.TextOnly() {
		button, field = "Answer…", fmt.Sprintf("q%d", i)
	}
	written := false
	err := hand.Reach(ctx, func() error {
		err := hand.Fill(ctx, field, words)
		written = err == nil
		if errors.Is(err, chatsim.ErrNotThere) {
			err = hand.Press(ctx, button, q.Text)
		}
		return err
	})
	if err != nil || written {
		return err
	}
	if err := hand.Write(ctx, "", words); err != nil {
		return err
	}
	return hand.Submit(ctx)
}
