package render

import (
	"fmt"
	"slices"

	"github.com/askbridge/askbridge/ask"
)

// voteRule states how many people decide.
func voteRule(s Subject) []Span {
	if s.Vote == nil {
		return nil
	}
	rule := s.voice.Vote.Agree
	if s.Vote.Rule.Mode == ask.Poll {
		rule = s.voice.Vote.Most
	}
	return []Span{{Text: " · " + rule(s.Vote.Rule.NeedOf(nil), s.Vote.Roster)}}
}

// needToDismiss is how many people it takes to dismiss the request.
func needToDismiss(s Subject) int {
	if s.Vote == nil {
		return 1
	}
	return s.Vote.Rule.ToDismiss()
}

// voteSections show the state of a vote: choices that take more or fewer votes than the rule and, once someone has
// voted, the votes as far as they are public.
func voteSections(s Subject, l Limits) []Section {
	if s.Vote == nil {
		return nil
	}
	var lines [][]Span
	if !s.Outcome.State.Ended() {
		lines = append(voteExceptions(s, l), turnout(s)...)
	}
	lines = append(lines, voteCounts(s, l)...)
	if !s.Outcome.State.Ended() && s.Vote.Voted > 0 {
		lines = append(lines, waiting(s, l)...)
	}
	var text []Span
	for n, line := range lines {
		if n > 0 {
			text = append(text, Span{Text: "\n"})
		}
		text = append(text, line...)
	}
	if text == nil {
		return nil
	}
	return []Section{{Kind: Body, ID: "votes", Text: text}}
}

// plainVoteSections is the same without anything that a platform could reject.
func plainVoteSections(s Subject, l Limits) []Section {
	all := voteSections(s, l)
	if all == nil {
		return nil
	}
	one := flat(all)[0]
	one.ID = "votes"
	for i, span := range one.Text {
		if span.Style == Mention {
			one.Text[i] = s.voice.quiet(span.Person, l)
		}
	}
	return []Section{one}
}

// voteExceptions are the choices that take another number of votes than the rule. One that has votes is left out,
// because its line says how many of how many it has.
func voteExceptions(s Subject, l Limits) [][]Span {
	var lines [][]Span
	rule := s.Vote.Rule
	for i, q := range s.Questions {
		for _, o := range q.Options {
			n, own := rule.Needs[o.Label]
			if !own || n == rule.NeedOf(nil) || len(lines) == s.room.choices || counted(s, i, o.Label) {
				continue
			}
			lines = append(lines, []Span{{Style: Bold, Text: shortened(s, i, []string{o.Label}, o.Label, choiceShown, l)}, {Text: " " + s.voice.Vote.Takes(n)}})
		}
	}
	if n := rule.ToDismiss(); n > 1 && !slices.ContainsFunc(s.Vote.Votes, func(v ask.Vote) bool { return v.Dismissed }) {
		lines = append(lines, []Span{{Style: Aside, Text: s.voice.Vote.ToDismiss(n)}})
	}
	return lines
}

// counted reports whether a line of [voteCounts] shows the votes for an option and how many it needs.
func counted(s Subject, question int, label string) bool {
	shown := s.Vote.Tally[:min(len(s.Vote.Tally), s.room.choices)]
	return s.Vote.Rule.Mode != ask.Poll && slices.ContainsFunc(shown, func(c ask.Count) bool {
		return c.Index == question && len(c.Selected) == 1 && c.Selected[0] == label && c.Other == ""
	})
}

// turnout states how many have voted, if only that is public.
func turnout(s Subject) [][]Span {
	text := ""
	switch {
	case s.Vote.Rule.Show == ask.ShowSealed:
		text = s.voice.Vote.Hidden
	case s.Vote.Rule.Show == ask.ShowCount && s.Vote.Voted > 0:
		text = s.voice.Vote.Cast(s.Vote.Voted, s.Vote.Roster)
	default:
		return nil
	}
	return [][]Span{{{Style: Aside, Text: text}}}
}

// waiting names those of a closed list who have not voted.
func waiting(s Subject, l Limits) [][]Span {
	if len(s.Vote.Waiting) == 0 {
		return nil
	}
	shown := min(len(s.Vote.Waiting), s.room.names)
	var names []Span
	for n, voter := range s.Vote.Waiting[:shown] {
		if n > 0 {
			names = append(names, Span{Text: ", "})
		}
		names = append(names, waitingName(s, voter, l))
	}
	if rest := len(s.Vote.Waiting) - shown; rest > 0 {
		names = append(names, Span{Text: " " + s.voice.Card.AndMore(rest)})
	}
	return [][]Span{fill(Aside, s.voice.Vote.Waiting(slot0), names)}
}

// waitingName names a person who has not voted: as the terms of the card do, if they can answer on it.
func waitingName(s Subject, voter ask.Voter, l Limits) Span {
	for _, p := range voter.Accounts {
		if p.Platform != l.Platform {
			continue
		}
		p.Name = voter.Name
		who := ask.Answerer{Person: p, Linked: !s.Eligible.Private}
		if n := slices.IndexFunc(s.Eligible.Who, func(a ask.Answerer) bool { return a.Key() == p.Key() }); n >= 0 {
			who = s.Eligible.Who[n]
		}
		return s.names([]ask.Answerer{who}, l)[0]
	}
	if voter.Name != "" {
		return Span{Text: Cut(Line(voter.Name), voterShown, nil)}
	}
	return s.voice.worded(voter.Accounts[0], l)
}

// voteCounts names each choice with the number of votes and the voters.
func voteCounts(s Subject, l Limits) [][]Span {
	var lines [][]Span
	for n, c := range s.Vote.Tally {
		if n == s.room.choices {
			lines = append(lines, []Span{{Text: s.voice.Vote.MoreChoices(len(s.Vote.Tally) - n)}})
			break
		}
		by := only(s.Vote.Votes, func(v ask.Vote) bool {
			return slices.ContainsFunc(v.Choices, func(made ask.Choice) bool { return made.Same(c.Choice()) })
		})
		number := ""
		if len(s.Questions) > 1 {
			number = fmt.Sprintf("%d. ", c.Index+1)
		}
		head := []Span{{Text: number}, {Style: Bold, Text: shortened(s, c.Index, c.Selected, choiceLine(s, c), choiceShown, l)}}
		need := 0
		if s.Vote.Rule.Mode != ask.Poll {
			need = s.Vote.Rule.NeedOf(c.Selected)
		}
		lines = append(lines, append(head, voters(s, c.Votes, need, by, l)...))
	}
	if against := only(s.Vote.Votes, func(v ask.Vote) bool { return v.Dismissed }); len(against) > 0 {
		lines = append(lines, append([]Span{{Style: Aside, Text: s.voice.Vote.Against}}, voters(s, len(against), needToDismiss(s), against, l)...))
	}
	return lines
}

// choiceLine is a choice on one line.
func choiceLine(s Subject, c ask.Count) string {
	text := ""
	for n, label := range c.Selected {
		if n > 0 {
			text += ", "
		}
		text += label
	}
	if c.Other != "" && text != "" {
		text += ", "
	}
	if c.Skipped {
		return s.voice.Vote.Skip
	}
	return text + c.Other
}

// voters is the number of people behind a choice, of those that it needs, with their names.
func voters(s Subject, count, need int, votes []ask.Vote, l Limits) []Span {
	number := fmt.Sprint(count)
	if count <= need {
		number = s.voice.Vote.Of(count, need)
	}
	spans := []Span{{Text: " " + number}}
	shown := min(len(votes), s.room.names)
	for n, v := range votes[:shown] {
		between := ", "
		if n == 0 {
			between = " · "
		}
		spans = append(spans, Span{Text: between})
		spans = append(spans, voterName(s, v.By, l))
	}
	if rest := len(votes) - shown; rest > 0 {
		spans = append(spans, Span{Text: " " + s.voice.Card.AndMore(rest)})
	}
	return spans
}

// voterName names a voter: live if that notifies no one.
func voterName(s Subject, p ask.Person, l Limits) Span {
	p.Name = Cut(Line(p.Name), voterShown, nil)
	switch {
	case p.Platform == l.Platform && (!l.MentionsRing || s.Outcome.State.Ended()):
		return s.voice.person(p, l)
	}
	return s.voice.quiet(p, l)
}

// only returns the votes that fit.
func only(votes []ask.Vote, fits func(ask.Vote) bool) []ask.Vote {
	return slices.DeleteFunc(slices.Clone(votes), func(v ask.Vote) bool { return !fits(v) })
}
