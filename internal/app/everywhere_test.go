package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/client"
)

// everywhere lists the transports of all platforms.
var everywhere = []string{"http", "socket", "discord http", "discord gateway"}

// hand acts as one person on the card of one request, on either platform.
type hand struct {
	*testing.T
	chatsim.Seat

	w         *fixture
	discord   bool
	questions []ask.Question
}

// Channels and people of the two platforms.
var (
	slackPlace   = ask.Place{Platform: "slack", Channel: "C0000001"}
	discordPlace = ask.Place{Platform: "discord", Channel: "200000000000000001"}
	onDiscord    = map[string]string{dana: "300000000000000001", sam: "300000000000000002"}
)

// place returns the channel of the only platform, and id the ID of a person there.
func (w *fixture) place() ask.Place {
	if w.slack == nil {
		return discordPlace
	}
	return slackPlace
}

func (w *fixture) id(person string) string {
	if w.slack == nil {
		return "discord:" + onDiscord[person]
	}
	return "slack:" + person
}

// sit returns the hand of a person in the platform's channel.
func (w *fixture) sit(t *testing.T, a *asking, platform, person string) *hand {
	t.Helper()
	h := &hand{T: t, w: w, discord: platform == "discord", questions: a.Questions}
	if h.discord {
		h.Seat = w.discord.Seat(onDiscord[person]).In(discordPlace.Channel)
	} else {
		h.Seat = w.slack.Seat(person).In(slackPlace.Channel)
	}
	return h
}

// sees waits until the person sees all of the texts.
func (h *hand) sees(texts ...string) {
	h.Helper()
	h.until(func(sees string) bool {
		for _, text := range texts {
			if !strings.Contains(sees, text) {
				return false
			}
		}
		return true
	}, "to see %q", texts)
}

// closed waits until the card has no controls.
func (h *hand) closed() {
	h.Helper()
	h.until(func(sees string) bool {
		return !strings.Contains(sees, "[More…]")
	}, "for a card without controls")
}

func (h *hand) until(ok func(string) bool, format string, args ...any) {
	h.Helper()
	ctx, cancel := context.WithTimeout(h.Context(), time.Minute)
	defer cancel()
	if err := h.Await(ctx, ok); err != nil {
		h.Fatalf("waited %s in vain: %v\nthe person sees:\n%s", fmt.Sprintf(format, args...), err, h.Sees())
	}
}

// inForms reports whether the questions are answered in forms.
func (h *hand) inForms() bool { return h.discord && len(h.questions) > 1 }

// onward returns the hand of the person on the page with a control.
func (h *hand) onward() chatsim.Hand {
	return chatsim.Hand{Seat: h.Seat, Onward: []string{"Answer…", "Next"}}
}

func (h *hand) press(label string, under ...string) {
	h.Helper()
	press := h.Press
	if h.inForms() {
		press = h.onward().Use
	}
	if err := press(h.Context(), label, under...); err != nil {
		h.Fatalf("press %q: %v\nthe person sees:\n%s", label, err, h.Sees())
	}
}

// choose selects an option with the control that the card has.
func (h *hand) choose(q int, label string) {
	h.Helper()
	question, listed := h.questions[q], len(h.questions) > 1 || h.questions[q].MultiSelect
	listed = listed && !h.discord || len(question.Options) > 10
	var err error
	switch {
	case h.inForms():
		err = h.onward().Choose(h.Context(), firstLine(question.Text), label)
	case listed:
		err = h.Pick(h.Context(), question.Text, label)
	default:
		err = h.Press(h.Context(), label, question.Text)
	}
	if err != nil {
		h.Fatalf("choose %q: %v\nthe person sees:\n%s", label, err, h.Sees())
	}
}

// firstLine returns the one-line form of a question in a form.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// reply opens the form for a reply in place of all answers.
func (h *hand) reply() {
	h.Helper()
	hand := chatsim.Hand{Seat: h}
	if h.inForms() {
		hand = h.onward()
	}
	if err := hand.Rare(h.Context(), "Answer with my own text…"); err != nil {
		h.Fatalf("reply: %v\nthe person sees:\n%s", err, h.Sees())
	}
}

// dismiss ends the request without an answer.
func (h *hand) dismiss() {
	h.Helper()
	if err := (chatsim.Hand{Seat: h}).Decline(h.Context(), ""); err != nil {
		h.Fatalf("dismiss: %v\nthe person sees:\n%s", err, h.Sees())
	}
}

// write sends a typed answer through its form.
func (h *hand) write(q int, text string) {
	h.Helper()
	question, button := h.questions[q], "Other…"
	if question.TextOnly() {
		button = "Answer…"
	}
	if h.inForms() {
		if err := h.onward().Own(h.Context(), firstLine(question.Text), text); err != nil {
			h.Fatalf("write: %v\nthe person sees:\n%s", err, h.Sees())
		}
		return
	}
	h.press(button, question.Text)
	h.sees("[Cancel]")
	if err := h.Fill(h.Context(), "", text); err != nil {
		h.Fatalf("fill: %v\nthe person sees:\n%s", err, h.Sees())
	}
	if err := h.Submit(h.Context()); err != nil {
		h.Fatalf("submit: %v\nthe person sees:\n%s", err, h.Sees())
	}
}

// answerAll answers a long set the way each platform asks it: in one form on Slack, in one for each page on Discord.
func (h *hand) answerAll(choices [][]string) {
	h.Helper()
	if !h.discord {
		h.press("Answer…")
		h.sees("[Cancel]")
	}
	for q, labels := range choices {
		for _, label := range labels {
			switch {
			case label == "" || !h.discord && h.questions[q].TextOnly():
				if err := h.Fill(h.Context(), fmt.Sprintf("q%d", q), label); err != nil {
					h.Fatal(err)
				}
			case h.questions[q].TextOnly():
				h.write(q, label)
			default:
				h.choose(q, label)
			}
		}
	}
	if err := h.Submit(h.Context()); err != nil {
		h.Fatal(err)
	}
}

// story is a sequence of actions on one request and their expected result.
type story struct {
	name      string
	questions []ask.Question
	change    func(w *fixture, r *ask.Request)
	play      func(w *fixture, a *asking, dana, sam *hand)
	state     ask.State
	by        string
	text      string
	cards     []string // the final texts of the card
}

func ten() []ask.Question {
	var all []ask.Question
	for n := range 8 {
		q := database
		q.Text, q.Header = fmt.Sprintf("Which database for part %d?", n+1), fmt.Sprintf("Part %d", n+1)
		all = append(all, q)
	}
	return append(all, checks, notes)
}

func stories() []story {
	second := database
	second.Text, second.Header = "Which cache?", "Cache"
	return []story{
		{
			name: "one choice takes one tap", questions: []ask.Question{database},
			play:  func(_ *fixture, _ *asking, dana, _ *hand) { dana.choose(0, "SQLite") },
			state: ask.Answered, by: dana, text: "Which database?\nSQLite", cards: []string{"SQLite", "@Dana"},
		},
		{
			name: "several of one question are sent together", questions: []ask.Question{checks},
			play: func(_ *fixture, _ *asking, dana, _ *hand) {
				dana.choose(0, "Restore")
				dana.choose(0, "Load")
				dana.choose(0, "Smoke")
				dana.choose(0, "Load") // Off again.
				dana.press("Submit")
			},
			state: ask.Answered, by: dana, text: "Which checks?\n- Smoke\n- Restore", cards: []string{"Smoke", "Restore", "@Dana"},
		},
		{
			name: "an answer of one's own is typed", questions: []ask.Question{database},
			play: func(_ *fixture, _ *asking, _, sam *hand) {
				sam.write(0, "  *the* one we have <!channel> @everyone\n2nd line ")
			},
			state: ask.Answered, by: sam, text: "Which database?\n*the* one we have <!channel> @everyone\n2nd line", cards: []string{"2nd line", "@Sam"},
		},
		{
			name: "four questions of all kinds", questions: []ask.Question{database, second, checks, notes},
			play: func(_ *fixture, _ *asking, dana, _ *hand) {
				dana.choose(0, "SQLite")
				dana.choose(0, "Postgres")
				dana.write(1, "Memcached")
				dana.choose(2, "Restore")
				dana.press("Submit")
				dana.sees("Still missing: Notes")
				dana.write(2, "a look at the logs")
				dana.choose(2, "Smoke")
				dana.write(3, "It is faster.")
				dana.press("Submit")
			},
			state: ask.Answered, by: dana,
			text: "Which database?\nPostgres\n\nWhich cache?\nMemcached\n\nWhich checks?\n- Smoke\n- Restore\na look at the logs\n\n" +
				"What should the notes say?\nIt is faster.",
			cards: []string{"Postgres", "Memcached", "a look at the logs", "It is faster."},
		},
		{
			name: "ten questions", questions: ten(),
			play: func(_ *fixture, _ *asking, dana, _ *hand) {
				dana.answerAll([][]string{
					{"Postgres"}, {"SQLite"}, {"Postgres"}, {"SQLite"}, {"Postgres"}, {"SQLite"}, {"Postgres"}, {"SQLite"}, {"Load", "Smoke"}, {"Nothing."},
				})
			},
			state: ask.Answered, by: dana, cards: []string{"Nothing."},
		},
		{
			name: "a person dismisses it", questions: []ask.Question{database, checks},
			play:  func(_ *fixture, _ *asking, _, sam *hand) { sam.dismiss() },
			state: ask.Cancelled, by: sam, cards: []string{"@Sam"},
		},
		{
			name: "a reply takes the place of all answers", questions: []ask.Question{database, checks},
			play: func(_ *fixture, _ *asking, dana, _ *hand) {
				dana.choose(0, "SQLite")
				dana.reply()
				dana.sees("[Cancel]")
				must(dana.T, dana.Fill(dana.Context(), "", " Ask me *tomorrow*.\nI am on a train. "), dana.Submit(dana.Context()))
			},
			state: ask.Cancelled, by: dana, cards: []string{"Closed with a reply", "@Dana", "I am on a train."},
		},
		{
			name: "the agent withdraws it", questions: []ask.Question{database},
			play: func(w *fixture, a *asking, _, _ *hand) {
				if _, err := w.agent.Cancel(w.Context(), a.ID, "found it in the docs"); err != nil {
					w.Fatal(err)
				}
			},
			state: ask.Cancelled, cards: []string{"found it in the docs"},
		},
		{
			name: "no answer in time", questions: []ask.Question{database},
			change: func(_ *fixture, r *ask.Request) { r.ExpiresIn = soon },
			play:   func(_ *fixture, _ *asking, _, _ *hand) {},
			state:  ask.Expired, cards: []string{"xpired"},
		},
		{
			name: "the wrong person learns who may answer", questions: []ask.Question{database},
			change: func(w *fixture, r *ask.Request) { r.Responders = []string{w.id(sam)} },
			play: func(_ *fixture, _ *asking, dana, sam *hand) {
				dana.press("Postgres")
				dana.sees("not yours to answer", "@Sam")
				sam.choose(0, "SQLite")
			},
			state: ask.Answered, by: sam, text: "Which database?\nSQLite", cards: []string{"SQLite", "@Sam"},
		},
		{
			name: "two taps of one finger", questions: []ask.Question{database},
			play: func(w *fixture, _ *asking, dana, _ *hand) {
				if w.slack != nil {
					w.slack.Fault("interactions", chatsim.Twice())
				} else {
					w.discord.Fault("interactions", chatsim.Twice())
				}
				dana.choose(0, "SQLite")
			},
			state: ask.Answered, by: dana, text: "Which database?\nSQLite", cards: []string{"SQLite"},
		},
	}
}

func TestStoryOnEveryPlatform(t *testing.T) {
	t.Parallel()
	for _, s := range stories() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			results := map[string]string{}
			t.Run("on", func(t *testing.T) {
				for _, mode := range everywhere {
					t.Run(mode, func(t *testing.T) {
						t.Parallel()
						got := s.run(t, mode)
						mu.Lock()
						defer mu.Unlock()
						results[mode] = got
					})
				}
			})
			for mode, got := range results {
				if diff := cmp.Diff(results["http"], got); diff != "" {
					t.Errorf("result of %s differs from Slack:\n%s", mode, diff)
				}
			}
		})
	}
}

// run plays the story in a new world and returns the agent's result without people and times.
func (s story) run(t *testing.T, mode string) string {
	t.Helper()
	w := start(t, mode, nil)
	r := ask.Request{Agent: "deploy-bot", Questions: s.questions, To: []ask.Place{w.place()}}
	if s.change != nil {
		s.change(w, &r)
	}
	a := w.ask(r)
	one, two := w.sit(t, a, w.place().Platform, dana), w.sit(t, a, w.place().Platform, sam)
	s.play(w, a, one, two)
	end := a.end()
	by := ""
	if s.by != "" {
		by = w.id(s.by)
	}
	if key := end.By.Key(); end.State != s.state || by != "" && key != by || s.text != "" && end.Text != s.text {
		t.Errorf("ended as %s by %s with %q, want %s by %s with %q", end.State, key, end.Text, s.state, by, s.text)
	}
	one.closed()
	two.sees(s.cards...)
	return strip(t, end)
}

// strip reduces a result to the person's decision.
func strip(t *testing.T, r *client.Request) string {
	t.Helper()
	for n := range r.Answers {
		r.Answers[n].By, r.Answers[n].At = ask.Person{}, time.Time{}
	}
	data, err := json.MarshalIndent(map[string]any{"state": r.State, "answers": r.Answers, "text": r.Text, "reason": r.Reason}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestLateClickOnEveryPlatform(t *testing.T) {
	t.Parallel()
	for _, mode := range everywhere {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			w := start(t, mode, nil)
			// The platform rejects the update, so the buttons stay.
			if w.slack != nil {
				w.slack.Fault("chat.update", chatsim.Status(500).Always())
			} else {
				w.discord.Fault("edit message", chatsim.Status(500).Always())
			}
			a := w.ask(ask.Request{Questions: []ask.Question{database}, To: []ask.Place{w.place()}, ExpiresIn: soon})
			if r := a.end(); r.State != ask.Expired {
				t.Fatalf("ended as %+v", r)
			}
			h := w.sit(t, a, w.place().Platform, dana)
			h.press("Postgres")
			h.sees("expired", "Nothing was recorded")
			if r, err := w.agent.Get(t.Context(), a.ID); err != nil || r.State != ask.Expired || len(r.Answers) != 0 {
				t.Errorf("after the late click: %+v, %v", r, err)
			}
			if w.slack != nil {
				w.slack.ClearFaults()
			} else {
				w.discord.ClearFaults()
			}
			h.closed()
		})
	}
}

func TestTwoPeopleAtOnceOnEveryPlatform(t *testing.T) {
	t.Parallel()
	for _, mode := range everywhere {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			w := start(t, mode, nil)
			a := w.ask(ask.Request{Questions: []ask.Question{database}, To: []ask.Place{w.place()}})
			one, two := w.sit(t, a, w.place().Platform, dana), w.sit(t, a, w.place().Platform, sam)
			var both sync.WaitGroup
			for h, label := range map[*hand]string{one: "Postgres", two: "SQLite"} {
				both.Go(func() {
					// The second person may no longer find the button.
					_ = h.Press(t.Context(), label)
				})
			}
			both.Wait()
			end := a.end()
			if end.State != ask.Answered || len(end.Answers) != 1 {
				t.Fatalf("ended as %+v", end)
			}
			one.closed()
			two.closed()
			one.sees(end.Answers[0].Selected[0])
			two.sees(end.Answers[0].Selected[0])
		})
	}
}
