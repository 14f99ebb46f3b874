package render

import (
	"fmt"
	"slices"

	"github.com/askbridge/askbridge/ask"
)

// talkSections show what happened since the agent asked: revisions, and what people asked back with
// the agent's replies.
func talkSections(s Subject, l Limits) []Section {
	sections := joinedSection(s)
	if s.Revised > 0 {
		text := []Span{{Text: s.voice.Talk.Revised(s.Revised) + " · "}, s.moment(s.RevisedAt)}
		sections = append(sections, Section{Kind: Frame, ID: "revised", Text: text})
	}
	shown := s.AskedBack[max(0, len(s.AskedBack)-s.room.talk):]
	var text []Span
	if more := len(s.AskedBack) - len(shown); more > 0 {
		text = append(text, Span{Style: Aside, Text: s.voice.Talk.Before(more)})
	}
	for _, asked := range shown {
		if len(text) > 0 {
			text = append(text, Span{Text: "\n"})
		}
		text = append(text, exchange(s, asked, l)...)
	}
	if len(text) > 0 {
		sections = append(sections, Section{Kind: Body, ID: "talk", Text: text})
	}
	return sections
}

// joinedSection states how many equal prompts one answer covers.
func joinedSection(s Subject) []Section {
	if s.Joined == 0 {
		return nil
	}
	return []Section{{Kind: Frame, ID: "joined", Text: []Span{{Text: s.voice.Talk.Joined(s.Joined + 1)}}}}
}

// exchange is a question to the agent, with its reply on the next line.
func exchange(s Subject, asked ask.AskedBack, l Limits) []Span {
	spans := []Span{s.voice.unrung(asked.By, l), {Text: " "}, {Style: Aside, Text: s.voice.Talk.Asked}, {Text: " " + Cut(Line(asked.Text), s.room.talkText, l.Width) + "\n→ "}}
	if asked.Reply == "" {
		return append(spans, Span{Style: Aside, Text: s.voice.Talk.NoReply})
	}
	return append(spans, Span{Style: Aside, Text: s.voice.Talk.Agent}, Span{Text: " " + Cut(Line(asked.Reply), s.room.talkText, l.Width)})
}

// receiptSection is the line of a closed card about the agent's receipt.
func receiptSection(s Subject) []Section {
	say, text := s.voice.Talk, ""
	switch s.Receipt {
	case ReceiptWaits:
		text = say.NotTaken(slot0)
	case ReceiptTaken:
		text = say.Taken(slot0) + " · " + slot1
	case ReceiptInstead:
		text = say.Instead(slot0, Cut(Line(s.Instead), talkTextShown, nil)) + " · " + slot1
	case ReceiptMissing:
		text = say.Missing(slot0)
	default:
		return nil
	}
	return []Section{{Kind: Frame, ID: "receipt", Text: fill(Plain, text, one(Span{Text: s.asker()}), one(s.moment(s.TakenAt)))}}
}

// AskForm asks for a question to the agent. The subject may hold nothing but the ID, as in
// [WriteForm].
func AskForm(s Subject) Form {
	s = s.clean()
	f := Form{Token: s.token(SubmitAsk, -1, -1), Title: s.voice.Form.AskAgent, Submit: s.voice.Form.Send, Close: s.voice.Form.Cancel}
	if len(s.Questions) > 0 {
		text := Cut(Line(s.Questions[0].Text), summaryShown, nil)
		f.Sections = append(s.asks(), Section{Kind: Body, ID: "q0.text", Text: []Span{{Text: text}}})
	}
	hint := s.voice.Form.AskHint
	switch n := needToDismiss(s); {
	case s.AskBackEnds && n > 1:
		hint = s.voice.Form.ReplyVoteHint(n)
	case s.AskBackEnds:
		hint = s.voice.Form.AskEndsHint
	}
	f.Sections = append(f.Sections, Section{Kind: Entry, ID: "q-1", Input: &Input{
		Token: s.token(SubmitText, -1, -1), Label: s.voice.Form.YourQuestion, Hint: hint, Required: true,
	}})
	return f
}

// Replies lays out the message below a card with the agent's replies, those in [Subject.AskedBack]. It
// notifies [Subject.Notify].
func Replies(s Subject, l Limits) Card {
	s = s.clean()
	s.Notify = here(s.Notify, l)
	c := Card{Request: s.ID, State: ask.Open, Language: s.Language, Tells: s.Notify, Sections: []Section{
		{Kind: Frame, ID: "agent", Text: []Span{{Text: s.voice.Talk.Replied(s.asker())}}},
	}}
	reply, room := "", share(len(s.AskedBack), l) // Several may have come since the last message.
	shown := min(talkTextShown, room/4)
	for n, asked := range s.AskedBack {
		reply = asked.Reply
		c.Sections = append(c.Sections, Section{Kind: Body, ID: fmt.Sprintf("reply%d", n), Text: []Span{
			{Style: Aside, Text: s.voice.Talk.Question}, {Text: " " + Cut(Line(asked.Text), shown, l.Width) + "\n"}, {Text: Cut(asked.Reply, min(loneShown, room-shown), l.Width)},
		}})
	}
	c.Summary = []Span{{Text: s.voice.Talk.Replied(s.asker()) + ": " + Cut(Line(reply), summaryShown, l.Width)}}
	if len(s.Notify) > 0 {
		c.Summary = slices.Concat(c.Summary, []Span{{Text: " · "}}, notified(s))
	}
	c.Sections = append(c.Sections, s.notice()...)
	return c
}
