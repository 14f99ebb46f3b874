package render

import (
	"slices"

	"github.com/askbridge/askbridge/ask"
)

// clean returns the subject with every text of other people as it may be shown.
func (s Subject) clean() Subject {
	s.voice = voiceIn(s.Language)
	s.Agent, s.Context, s.Place = Line(s.Agent), Clean(s.Context), Line(s.Place)
	s.Outcome.Reason = Clean(s.Outcome.Reason)
	s.Questions = slices.Clone(s.Questions)
	s.prompt = promptOf(&s)
	for i := range s.Questions {
		q := &s.Questions[i]
		q.Text, q.Header = orElse(Clean(q.Text), s.voice.Card.NoText), Line(q.Header)
		q.Options = slices.Clone(q.Options)
		for n := range q.Options {
			o := &q.Options[n]
			o.Label = orElse(Line(o.Label), s.voice.Card.Option(n+1))
			o.Description, o.Preview = Clean(o.Description), code(o.Preview)
		}
	}
	s.Vote, s.AskedBack = cleanVote(s, s.Vote), cleanTalk(s.AskedBack)
	draft := make(ask.Draft, len(s.Draft))
	for i, pick := range s.Draft {
		pick.Other, pick.Note.Text = Clean(pick.Other), Clean(pick.Note.Text)
		draft[i] = pick
	}
	s.Draft = draft
	s.Outcome.Answers = slices.Clone(s.Outcome.Answers)
	for i := range s.Outcome.Answers {
		a := &s.Outcome.Answers[i]
		a.Other, a.Notes = Clean(a.Other), Clean(a.Notes)
		a.Selected = slices.Clone(a.Selected)
		for n, label := range a.Selected {
			a.Selected[n] = orElse(Line(label), s.voice.Card.NoText)
		}
	}
	s.Outcome.Skipped, s.Outcome.Left = cleanUnanswered(s.Outcome.Skipped), cleanUnanswered(s.Outcome.Left)
	return s
}

// cleanUnanswered returns questions without an answer with notes as they may be shown.
func cleanUnanswered(all []ask.Unanswered) []ask.Unanswered {
	all = slices.Clone(all)
	for i := range all {
		all[i].Notes = Clean(all[i].Notes)
	}
	return all
}

// cleanVote sanitizes every text of other people in a vote.
func cleanVote(s Subject, v *ask.Standing) *ask.Standing {
	if v == nil {
		return nil
	}
	cleaned := *v
	labels := func(selected []string) []string {
		all := slices.Clone(selected)
		for n, label := range all {
			all[n] = orElse(Line(label), s.voice.Card.NoText)
		}
		return all
	}
	if v.Rule.Needs != nil {
		cleaned.Rule.Needs = make(map[string]int, len(v.Rule.Needs))
		for label, n := range v.Rule.Needs {
			cleaned.Rule.Needs[orElse(Line(label), s.voice.Card.NoText)] = n
		}
	}
	cleaned.Tally = slices.Clone(v.Tally)
	for n := range cleaned.Tally {
		c := &cleaned.Tally[n]
		c.Selected, c.Other = labels(c.Selected), Line(c.Other)
	}
	cleaned.Votes = slices.Clone(v.Votes)
	for n := range cleaned.Votes {
		vote := &cleaned.Votes[n]
		vote.Choices = slices.Clone(vote.Choices)
		for i := range vote.Choices {
			c := &vote.Choices[i]
			c.Selected, c.Other = labels(c.Selected), Line(c.Other)
		}
	}
	return &cleaned
}

// cleanTalk sanitizes what people asked back and what the agent replied.
func cleanTalk(all []ask.AskedBack) []ask.AskedBack {
	all = slices.Clone(all)
	for n := range all {
		all[n].Text, all[n].Reply = Clean(all[n].Text), Clean(all[n].Reply)
	}
	return all
}
