package render

import "github.com/askbridge/askbridge/ask"

// held lays out a card whose request is decided and can still be undone: what was
// decided as on a closed card, and one button. Of a vote that is not shown before the
// end it says no more than that there is a decision.
func held(s Subject, l Limits) Card {
	if s.Vote != nil && s.Vote.Rule.Show != ask.ShowLive {
		s.Outcome = ask.Outcome{State: ask.Answered}
	}
	c := ended(s, l)
	c.State = ask.Open
	c.Sections = append(c.Sections, Section{Kind: Row, ID: "undo", Buttons: []Button{{Token: s.token(Undo, -1, s.Held.Number), Label: s.voice.label.undo}}})
	return c
}
