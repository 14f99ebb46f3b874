package render

import (
	"github.com/askbridge/askbridge/ask"
)

// Action is the action of a person who used the control, with what they selected and typed. It reports
// false for a control that only changes the view: it opens a form, turns a page or shows a text in
// full. The action has no kind then.
func (t Token) Action(picks map[int][]int, texts map[int]string) (ask.Action, bool) {
	a := ask.Action{Question: t.Question, Option: t.Option, Picks: picks, Texts: texts, Revised: t.Revised}
	switch t.Verb {
	case Choose, Confirmed:
		a.Kind = ask.Choose
	case Drop:
		a.Kind = ask.Drop
	case Pick:
		a.Kind = ask.Select
	case SubmitText:
		if a.Kind = ask.Type; t.Question < 0 {
			a.Kind = ask.Reply
		}
	case Submit:
		a.Kind = ask.Submit
	case AnsweredAll:
		if a.Kind = ask.SubmitAll; t.Question >= 0 {
			a.Kind, a.Question, a.Option = ask.Fill, -1, -1
		}
	case Dismissed:
		if a.Kind, a.Question = ask.Dismiss, -1; ask.Typed(a.Text()) != "" {
			a.Kind = ask.Reply
		}
	case TakeBack:
		a.Kind = ask.TakeBack
	case Skip:
		a.Kind = ask.Skip
	case Unskip:
		a.Kind = ask.Unskip
	case SubmitNote:
		a.Kind = ask.Annotate
	case Undo:
		a.Kind = ask.Undo
	case Claiming:
		a.Kind = ask.Claim
	case SubmitPass:
		a.Kind = ask.Pass
	case SubmitAsk:
		a.Kind, a.Question = ask.AskAgent, -1
	case OpenText, OpenConfirm, Answer, Dismiss, OpenNote, TurnPage, ShowFull, OpenPass, OpenAsk, OpenMore, ShowDetails, Follow, OpenInbox:
		return ask.Action{Question: t.Question, Option: t.Option, Revised: t.Revised}, false
	default:
		return ask.Action{}, false
	}
	return a, true
}
