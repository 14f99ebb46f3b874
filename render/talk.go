package render

import (
	"fmt"
	"slices"

	"github.com/askbridge/askbridge/ask"
)

// Receipt is whether the agent has taken what a person decided.
type Receipt string

// What a closed card says of it.
const (
	// ReceiptWaits: nobody has taken it yet.
	ReceiptWaits Receipt = "waits"
	// ReceiptTaken: the agent has it.
	ReceiptTaken Receipt = "taken"
	// ReceiptMissing: nobody has taken it for so long that nobody may be listening.
	ReceiptMissing Receipt = "missing"
)

const (
	// talkShown is how much of what was said a card shows, the last of it, and saidShown
	// how much of each text.
	talkShown = 3
	saidShown = 240
)

// talk is what the agent has said since it asked: that it revised the request, and what it
// replied to people, below what they asked.
func (s Subject) talk(l Limits) []Section {
	var sections []Section
	if s.Revised > 0 {
		text := []Span{{Text: "Revised by the agent · "}, {Style: Moment, Time: s.RevisedAt}}
		if s.Revised > 1 {
			text[0].Text = fmt.Sprintf("Revised by the agent, %d times · ", s.Revised)
		}
		sections = append(sections, Section{Kind: Frame, ID: "revised", Text: text})
	}
	shown := s.AskedBack[max(0, len(s.AskedBack)-talkShown):]
	var text []Span
	if more := len(s.AskedBack) - len(shown); more > 0 {
		text = append(text, Span{Style: Aside, Text: fmt.Sprintf("%d asked before", more)})
	}
	for _, asked := range shown {
		if len(text) > 0 {
			text = append(text, Span{Text: "\n"})
		}
		text = append(text, s.exchange(asked, l)...)
	}
	if len(text) > 0 {
		sections = append(sections, Section{Kind: Body, ID: "talk", Text: text})
	}
	return sections
}

// exchange is what somebody asked, and the agent's reply on the next line. Who asked
// stands in words where a name would ring.
func (s Subject) exchange(asked ask.AskedBack, l Limits) []Span {
	name := person
	if l.MentionsRing {
		name = worded
	}
	spans := []Span{name(asked.By, l), {Text: " "}, {Style: Aside, Text: "asked:"}, {Text: " " + Cut(Line(asked.Text), saidShown, l.Width) + "\n→ "}}
	if asked.Reply == "" {
		return append(spans, Span{Style: Aside, Text: "no reply yet"})
	}
	return append(spans, Span{Style: Aside, Text: "the agent:"}, Span{Text: " " + Cut(Line(asked.Reply), saidShown, l.Width)})
}

// cleanTalk returns what was said as it may be shown.
func cleanTalk(all []ask.AskedBack) []ask.AskedBack {
	all = slices.Clone(all)
	for n := range all {
		all[n].Text, all[n].Reply = Clean(all[n].Text), Clean(all[n].Reply)
	}
	return all
}

// receipt is the line of a closed card that says whether the agent has taken what was
// decided.
func (s Subject) receipt() []Section {
	var text []Span
	switch s.Receipt {
	case ReceiptWaits:
		text = []Span{{Text: "The agent has not taken it yet."}}
	case ReceiptTaken:
		text = []Span{{Text: "The agent has it · "}, {Style: Moment, Time: s.TakenAt}}
	case ReceiptMissing:
		text = []Span{{Text: "Nobody has taken it: the agent may not be listening any more. It is kept."}}
	default:
		return nil
	}
	return []Section{{Kind: Frame, ID: "receipt", Text: text}}
}

// AskForm asks what somebody wants to know of the agent. The subject may hold nothing but
// the ID, as in [WriteForm].
func AskForm(s Subject) Form {
	s = s.clean()
	f := Form{Token: s.token(SubmitAsk, -1, -1), Title: "Ask the agent", Submit: "Send", Close: "Cancel"}
	if len(s.Questions) > 0 {
		text := Cut(Line(s.Questions[0].Text), summaryShown, nil)
		f.Sections = append(s.top("asks"), Section{Kind: Body, ID: "q0.text", Text: []Span{{Text: text}}})
	}
	hint := "Answers nothing. The agent hears it, and everybody who sees the card."
	if s.AskBackEnds {
		hint = "Takes the place of an answer, and ends the questions: the agent may ask again."
	}
	f.Sections = append(f.Sections, Section{Kind: Entry, ID: "q-1", Input: &Input{
		Token: s.token(SubmitText, -1, -1), Label: "Your question", Hint: hint, Required: true,
	}})
	return f
}

// Replies lays out the message that stands below a card and says what the agent replied:
// what stands in [Subject.AskedBack]. It rings [Subject.Notify].
func Replies(s Subject, l Limits) Card {
	s = s.clean()
	s.Notify = here(s.Notify, l)
	c := Card{Request: s.ID, State: ask.Open, Tells: s.Notify, Sections: []Section{
		{Kind: Frame, ID: "agent", Text: []Span{{Text: s.asker() + " replied"}}},
	}}
	reply := ""
	for n, asked := range s.AskedBack {
		reply = asked.Reply
		c.Sections = append(c.Sections, Section{Kind: Body, ID: fmt.Sprintf("reply%d", n), Text: []Span{
			{Style: Aside, Text: "Asked:"}, {Text: " " + Cut(Line(asked.Text), saidShown, l.Width) + "\n"}, {Text: Cut(asked.Reply, loneShown, l.Width)},
		}})
	}
	c.Summary = []Span{{Text: s.asker() + " replied: " + Cut(Line(reply), summaryShown, l.Width)}}
	if len(s.Notify) > 0 {
		c.Summary = slices.Concat(c.Summary, []Span{{Text: " · "}}, s.told())
	}
	c.Sections = append(c.Sections, s.notice()...)
	return c
}
