package render_test

import (
	"fmt"
	"slices"
	"testing"

	dgo "github.com/bwmarrin/discordgo"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/components"
	"github.com/askbridge/askbridge/test/golden"
)

// TestDiscordCards draws every case as Discord's values.
func TestDiscordCards(t *testing.T) {
	t.Parallel()
	golden.Each(t, "testdata/cases/*.txtar", func(t *testing.T, c *golden.Case) {
		s := subject(t, c, "discord")
		m := drawDiscord(s)
		judgeDiscord(t, m, discordPeople(s))
		judgeBySchema(t, m)
		once(c, m.Forms)
		once(c, m.Private)
		c.Check("discord.json", indent(t, m))
	})
}

type surface = []dgo.MessageComponent

// discordMessage is all that Discord gets to see of one subject.
type discordMessage struct {
	Components surface `json:"components"`
	// Pages are the pages that buttons turn to, by the question they name.
	Pages map[string]surface      `json:"pages,omitempty"`
	Forms map[string]discordModal `json:"forms,omitempty"`
	// Private are the private messages behind More.
	Private map[string]surface `json:"private,omitempty"`
	// Read is the text behind the buttons to read in full, by question.
	Read map[string][]surface `json:"read,omitempty"`
}

type discordModal struct {
	CustomID   string  `json:"custom_id"`
	Title      string  `json:"title"`
	Components surface `json:"components"`
}

// drawDiscord draws the card, the pages that its buttons turn to, the forms
// they open and the notes they send.
func drawDiscord(s render.Subject) discordMessage {
	m := discordMessage{Pages: map[string]surface{}, Forms: map[string]discordModal{}, Private: map[string]surface{}, Read: map[string][]surface{}}
	card := render.Layout(s, components.Limits())
	m.Components = components.Message(card)
	pressed := map[render.Token]bool{}
	private := privately(s, card, components.Limits())
	for name, c := range private {
		m.Private[name] = components.Message(c)
	}
	for todo := []render.Card{card, private["more"]}; len(todo) > 0; todo = todo[1:] {
		for _, b := range buttons(todo[0]) {
			if pressed[b.Token] {
				continue // It is on every page with the same target.
			}
			pressed[b.Token] = true
			q := fmt.Sprint(b.Token.Question)
			if f, ok := render.PartForm(s, b.Token, components.Limits()); ok {
				m.Forms[fmt.Sprintf("%s %d to %d", map[render.Verb]string{render.Answer: "answer", render.OpenText: "write"}[b.Token.Verb], b.Token.Question, b.Token.Option)] = drawModal(f)
				continue
			}
			switch b.Token.Verb {
			case render.TurnPage:
				if m.Pages[q] == nil {
					page := render.Layout(at(s, b.Token.Question), components.Limits())
					m.Pages[q] = components.Message(page)
					todo = append(todo, page)
				}
			case render.OpenText:
				m.Forms["write "+q] = drawModal(render.WriteForm(s, b.Token.Question))
			case render.OpenNote:
				m.Forms["note "+q] = drawModal(render.NoteForm(s, b.Token.Question))
			case render.OpenConfirm:
				if f, ok := render.ConfirmForm(s, b.Token.Question, b.Token.Option); ok {
					m.Forms[fmt.Sprintf("confirm %d", b.Token.Option)] = drawModal(f)
				}
			case render.Dismiss:
				m.Forms["dismiss"] = drawModal(render.DismissForm(s))
			case render.OpenPass:
				m.Forms["pass"] = drawModal(render.PassForm(s))
			case render.OpenAsk:
				m.Forms["ask"] = drawModal(render.AskForm(s))
			case render.ShowFull:
				m.Read[q] = components.Note(render.FullText(s, b.Token.Question), ask.Eligible{}, "")
			}
		}
	}
	return m
}

func drawModal(f render.Form) discordModal {
	data := components.Modal(f, "1300000000000000001")
	return discordModal{data.CustomID, data.Title, data.Components}
}

func at(s render.Subject, q int) render.Subject {
	s.At = q
	return s
}

func buttons(c render.Card) []render.Button {
	var all []render.Button
	for _, sec := range c.Sections {
		all = append(all, sec.Buttons...)
	}
	return all
}

// added are the people whom steps add.
func added(s render.Subject) (all []ask.Person) {
	for _, step := range s.Steps {
		all = append(all, step.Added...)
	}
	return all
}

// discordPeople lists what may be mentioned on the subject's card.
func discordPeople(s render.Subject) []string {
	live := []string{"<@" + s.Outcome.By.ID + ">"}
	for _, who := range s.Requesters {
		live = append(live, "<@"+who.ID+">")
	}
	if s.Vote != nil {
		for _, v := range s.Vote.Votes {
			live = append(live, "<@"+v.By.ID+">")
		}
	}
	for _, pick := range s.Draft {
		live = append(live, "<@"+pick.By.ID+">")
	}
	for _, a := range s.Outcome.Answers {
		live = append(live, "<@"+a.By.ID+">")
	}
	if s.Claim != nil {
		live = append(live, "<@"+s.Claim.By.ID+">")
	}
	for _, step := range s.Steps {
		live = append(live, "<@"+step.By.ID+">", "<@"+step.To.ID+">")
	}
	for _, notified := range slices.Concat(s.Notify, added(s)) {
		live = append(live, "<@"+notified.ID+">", "<@&"+notified.ID+">")
	}
	for _, who := range s.Eligible.Who {
		live = append(live, "<@"+who.ID+">", "<@&"+who.ID+">")
	}
	return live
}
