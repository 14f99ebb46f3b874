package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/internal/words"
)

// scripted is one --answer: the question and its answer, or that it is skipped.
type scripted struct {
	question, answer string
	skip             bool
}

// parseAnswers reads what a flag of that name was given.
func parseAnswers(name string, flags []string) ([]scripted, error) {
	var all []scripted
	for _, flag := range flags {
		question, answer, ok := strings.Cut(flag, "=")
		if !ok || strings.TrimSpace(question) == "" || strings.TrimSpace(answer) == "" {
			return nil, fmt.Errorf("%s %q must look like \"Database=Postgres\"", name, flag)
		}
		all = append(all, scripted{question: strings.TrimSpace(question), answer: strings.TrimSpace(answer)})
	}
	return all, nil
}

// choice is what to do at one question.
type choice struct {
	labels []string
	other  string
	skip   bool
}

// none reports whether an optional question is left as it is.
func (c choice) none() bool { return len(c.labels) == 0 && c.other == "" && !c.skip }

// matchAnswers pairs answers with questions. No answers at all leave the questions to a person; else every question that
// is not optional needs one, since nothing is ever filled in.
func matchAnswers(questions []ask.Question, answers []scripted) ([]choice, error) {
	if len(answers) == 0 {
		return nil, nil
	}
	choices := make([]choice, len(questions))
	done := make([]bool, len(questions))
	for _, a := range answers {
		i, err := questionNamed(questions, a.question)
		switch {
		case err != nil:
			return nil, err
		case done[i]:
			return nil, fmt.Errorf("the question %q is answered twice", called(questions[i]))
		case a.skip && !questions[i].Optional:
			return nil, fmt.Errorf("the question %q is not optional", called(questions[i]))
		case a.skip:
			choices[i], done[i] = choice{skip: true}, true
			continue
		}
		c, err := chooseFor(questions[i], a.answer)
		if err != nil {
			return nil, err
		}
		choices[i], done[i] = c, true
	}
	for i, q := range questions {
		if !done[i] && !q.Optional {
			return nil, fmt.Errorf("there is no --answer for %q", called(q))
		}
	}
	return choices, nil
}

// questionNamed finds a question by its header, its text or its number.
func questionNamed(questions []ask.Question, name string) (int, error) {
	i := slices.IndexFunc(questions, func(q ask.Question) bool {
		return strings.EqualFold(cmp.Or(q.Header, q.Text), name) || strings.EqualFold(q.Text, name)
	})
	if n, err := strconv.Atoi(name); i < 0 && err == nil && n >= 1 && n <= len(questions) {
		i = n - 1
	}
	if i < 0 {
		return i, fmt.Errorf("there is no question %q; there are: %s", name, numbered(questions))
	}
	return i, nil
}

// called returns the name of a question: its header, otherwise its text.
func called(q ask.Question) string { return inCell(cmp.Or(q.Header, q.Text), 60) }

// numbered lists the names of questions.
func numbered(questions []ask.Question) string {
	names := make([]string, len(questions))
	for i, q := range questions {
		names[i] = fmt.Sprintf("%d %q", i+1, called(q))
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
		return choice{}, fmt.Errorf("%q is not an option of %q, which takes no other answer", c.other, called(q))
	}
	return c, nil
}

// play answers a card as a person would: every press and pick travels to the bridge as a signed request.
func play(ctx context.Context, seat chatsim.Seat, language string, questions []ask.Question, choices []choice) error {
	w := words.In(language).Button
	hand := chatsim.Hand{
		Seat: seat, Onward: []string{w.Answer, w.Answer + "…", w.Next, w.Back}, Writing: []string{w.Answer + "…", w.Other + "…"},
	}
	for i, c := range choices {
		for _, label := range c.labels {
			if err := hand.Choose(ctx, firstLine(questions[i].Text), label); err != nil {
				return err
			}
		}
		if c.other != "" {
			if err := write(ctx, hand, i, questions[i], c.other); err != nil {
				return err
			}
		}
	}
	if !strings.Contains(hand.Sees(), w.Submit+"]") {
		return nil // The last choice has answered everything.
	}
	return hand.Send(ctx, w.Submit)
}

// write puts the person's own words where they belong: into the form that holds all questions, or into one that a button
// of the question opens.
func write(ctx context.Context, hand chatsim.Hand, i int, q ask.Question, words string) error {
	field := fmt.Sprintf("q%d.other", i) // The bridge's names of the fields in the form on Slack.
	if q.TextOnly() {
		field = fmt.Sprintf("q%d", i)
	}
	return hand.Own(ctx, firstLine(q.Text), words, field)
}

// firstLine is how a form may name a question, which has one line there.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
