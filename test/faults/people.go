package faults

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/client"
)

// Platform names, as in targets.
const (
	Slack   = "slack"
	Discord = "discord"
)

// Default people and channels of the doubles.
const (
	DanaOnSlack    = "U0000001"
	SamOnSlack     = "U0000002"
	DanaOnDiscord  = "300000000000000001"
	SamOnDiscord   = "300000000000000002"
	SlackChannel   = "C0000001"
	DiscordChannel = "200000000000000001"
)

// Place returns the default channel of a platform.
func Place(platform string) ask.Place {
	if platform == Discord {
		return ask.Place{Platform: Discord, Channel: DiscordChannel}
	}
	return ask.Place{Platform: Slack, Channel: SlackChannel}
}

// Hand is a person who looks at one channel.
type Hand struct {
	chatsim.Seat

	w  *World
	ID string
}

// Dana looks at the default channel of a platform.
func (w *World) Dana(platform string) *Hand {
	if platform == Discord {
		return w.Hand(platform, DanaOnDiscord, DiscordChannel)
	}
	return w.Hand(platform, DanaOnSlack, SlackChannel)
}

// Sam looks at the default channel of a platform.
func (w *World) Sam(platform string) *Hand {
	if platform == Discord {
		return w.Hand(platform, SamOnDiscord, DiscordChannel)
	}
	return w.Hand(platform, SamOnSlack, SlackChannel)
}

// Hand returns any person in any channel.
func (w *World) Hand(platform, person, channel string) *Hand {
	if platform == Discord {
		return &Hand{Seat: w.Discord.Seat(person).In(channel), w: w, ID: "discord:" + person}
	}
	return &Hand{Seat: w.Slack.Seat(person).In(channel), w: w, ID: "slack:" + person}
}

// Awaits waits until the person sees all texts, and returns how long it took.
func (h *Hand) Awaits(texts ...string) time.Duration {
	h.w.Helper()
	return h.until(func(sees string) bool {
		for _, text := range texts {
			if !strings.Contains(sees, text) {
				return false
			}
		}
		return true
	}, "to see "+strings.Join(texts, ", "))
}

// AwaitsClosed waits until there is a card and no card has controls.
func (h *Hand) AwaitsClosed() time.Duration {
	h.w.Helper()
	return h.until(Closed, "for cards without controls")
}

// Closed reports whether no card in the text that a person sees can be answered.
func Closed(sees string) bool {
	undoable := strings.ReplaceAll(sees, "[Undo] [More…]", "")
	return sees != "" && !strings.Contains(undoable, "[More…]")
}

func (h *Hand) until(ok func(string) bool, what string) time.Duration {
	h.w.Helper()
	began := time.Now()
	ctx, cancel := context.WithTimeout(h.w.Context(), patience)
	defer cancel()
	if err := h.Await(ctx, ok); err != nil {
		h.w.Fatalf("%s: timeout waiting %s: %v\nthe person sees:\n%s", h.ID, what, err, h.Sees())
	}
	return time.Since(began)
}

// Presses presses a button and returns nil if the bridge acknowledged it to the platform.
func (h *Hand) Presses(label string, under ...string) error {
	ctx, cancel := context.WithTimeout(h.w.Context(), patience)
	defer cancel()
	return h.Press(ctx, label, under...)
}

// Insists presses until the press is acknowledged or the button is gone, as people do.
func (h *Hand) Insists(label string) {
	h.w.Helper()
	Await(h.w, "a press of "+label+" to arrive", func() bool {
		err := h.Presses(label)
		return err == nil || errors.Is(err, chatsim.ErrNotThere)
	})
}

// Asking is a question with a waiting agent.
type Asking struct {
	w      *World
	done   chan struct{}
	result *client.Request
	err    error
}

// Question returns a single-select question for a platform's default channel. The key is its idempotency key and
// part of its text.
func Question(platform, key string) ask.Request {
	return ask.Request{
		ToolCallID: key, Session: "s", Agent: "deploy-bot", To: []ask.Place{Place(platform)},
		Questions: []ask.Question{{Text: "Which database for " + key + "?", Options: []ask.Option{{Label: "Postgres"}, {Label: "SQLite"}}}},
	}
}

// Asks submits a request and waits for its end in the background, with retries.
func (w *World) Asks(r ask.Request) *Asking {
	w.Helper()
	a := &Asking{w: w, done: make(chan struct{})}
	ctx, cancel := context.WithTimeout(w.Context(), 2*patience)
	go func() {
		defer close(a.done)
		defer cancel()
		for a.err = errNoReplica; a.err != nil && ctx.Err() == nil; {
			a.result, a.err = w.Agent.Ask(ctx, r)
			if p, ok := errors.AsType[*client.Problem](a.err); ok && p.Status/100 == 4 {
				return
			}
		}
	}()
	w.Cleanup(func() {
		cancel()
		<-a.done
	})
	return a
}

// Ends waits for the agent's result.
func (a *Asking) Ends() *client.Request {
	a.w.Helper()
	select {
	case <-a.done:
	case <-time.After(2 * patience):
		a.w.Fatal("timeout: the agent has no result")
	}
	if a.err != nil {
		a.w.Fatalf("the agent got no result: %v", a.err)
	}
	return a.result
}

// Waits reports whether the agent has no result yet.
func (a *Asking) Waits() bool {
	select {
	case <-a.done:
		return false
	default:
		return true
	}
}

// Submits submits a request and returns its first state.
func (w *World) Submits(r ask.Request) *client.Request {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Context(), patience)
	defer cancel()
	made, err := w.Agent.Submit(ctx, r)
	if err != nil {
		w.Fatalf("submit: %v", err)
	}
	return made
}

// SubmitsPosted submits a request and waits until its cards are posted and recorded.
func (w *World) SubmitsPosted(r ask.Request) *client.Request {
	w.Helper()
	made := w.Submits(r)
	Await(w, "the card to be posted", func() bool {
		made = w.Gets(made.ID)
		return !slices.ContainsFunc(made.Delivery, func(d client.Delivery) bool { return d.Message == "" })
	})
	return made
}

// Gets returns the current state of a request.
func (w *World) Gets(id string) *client.Request {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Context(), patience)
	defer cancel()
	r, err := w.Agent.Get(ctx, id)
	if err != nil {
		w.Fatalf("get %s: %v", id, err)
	}
	return r
}
