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

// The platforms, as targets name them.
const (
	Slack   = "slack"
	Discord = "discord"
)

// The people and the channels of the doubles as they are by default.
const (
	DanaOnSlack    = "U0000001"
	SamOnSlack     = "U0000002"
	DanaOnDiscord  = "300000000000000001"
	SamOnDiscord   = "300000000000000002"
	SlackChannel   = "C0000001"
	DiscordChannel = "200000000000000001"
)

// Place is the usual channel of a platform.
func Place(platform string) ask.Place {
	if platform == Discord {
		return ask.Place{Platform: Discord, Channel: DiscordChannel}
	}
	return ask.Place{Platform: Slack, Channel: SlackChannel}
}

// Hand is a person in front of one channel.
type Hand struct {
	chatsim.Seat

	w  *World
	ID string
}

// Dana and Sam are in front of the usual channel of a platform.
func (w *World) Dana(platform string) *Hand {
	if platform == Discord {
		return w.Hand(platform, DanaOnDiscord, DiscordChannel)
	}
	return w.Hand(platform, DanaOnSlack, SlackChannel)
}

// Sam is another person there.
func (w *World) Sam(platform string) *Hand {
	if platform == Discord {
		return w.Hand(platform, SamOnDiscord, DiscordChannel)
	}
	return w.Hand(platform, SamOnSlack, SlackChannel)
}

// Hand is anybody in front of any channel.
func (w *World) Hand(platform, person, channel string) *Hand {
	if platform == Discord {
		return &Hand{Seat: w.Discord.Seat(person).In(channel), w: w, ID: "discord:" + person}
	}
	return &Hand{Seat: w.Slack.Seat(person).In(channel), w: w, ID: "slack:" + person}
}

// Awaits waits until the person sees all of the texts, and returns how long it
// took.
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

// AwaitsClosed waits until a card stands there and none has a control left.
func (h *Hand) AwaitsClosed() time.Duration {
	h.w.Helper()
	return h.until(Closed, "for cards without controls")
}

// Closed reports whether no control is left in what somebody sees.
func Closed(sees string) bool {
	return sees != "" && !strings.Contains(sees, "[✕ Dismiss") && !strings.Contains(sees, "[✎ Other") && !strings.Contains(sees, "[✓ Submit]")
}

func (h *Hand) until(ok func(string) bool, what string) time.Duration {
	h.w.Helper()
	began := time.Now()
	ctx, cancel := context.WithTimeout(h.w.Context(), patience)
	defer cancel()
	if err := h.Await(ctx, ok); err != nil {
		h.w.Fatalf("%s waited %s in vain: %v\nand sees:\n%s", h.ID, what, err, h.Sees())
	}
	return time.Since(began)
}

// Presses uses a button and returns how that ended for the person: nil when the
// platform was told that it arrived.
func (h *Hand) Presses(label string, under ...string) error {
	ctx, cancel := context.WithTimeout(h.w.Context(), patience)
	defer cancel()
	return h.Press(ctx, label, under...)
}

// Insists presses until the platform says that it arrived or the button is gone,
// as people do.
func (h *Hand) Insists(label string) {
	h.w.Helper()
	Await(h.w, "a press of "+label+" to arrive", func() bool {
		err := h.Presses(label)
		return err == nil || errors.Is(err, chatsim.ErrNotThere)
	})
}

// Asking is a question that an agent waits on.
type Asking struct {
	w      *World
	done   chan struct{}
	result *client.Request
	err    error
}

// Question is one single-select question for a platform's usual channel, with
// the key in its text. The key makes it the same question when it is asked again.
func Question(platform, key string) ask.Request {
	return ask.Request{
		ToolCallID: key, Session: "s", Agent: "deploy-bot", To: []ask.Place{Place(platform)},
		Questions: []ask.Question{{Text: "Which database for " + key + "?", Options: []ask.Option{{Label: "Postgres"}, {Label: "SQLite"}}}},
	}
}

// Asks hands a question in and waits for its end, in the background and through
// every trouble.
func (w *World) Asks(r ask.Request) *Asking {
	w.Helper()
	a := &Asking{w: w, done: make(chan struct{})}
	ctx, cancel := context.WithTimeout(w.Context(), 2*patience)
	go func() {
		defer close(a.done)
		defer cancel()
		for a.err = errNobody; a.err != nil && ctx.Err() == nil; {
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
		a.w.Fatal("the agent waits in vain")
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

// Submits hands a question in and returns it as it stands then.
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

// Stands hands a question in and waits until its cards stand and are recorded.
func (w *World) Stands(r ask.Request) *client.Request {
	w.Helper()
	made := w.Submits(r)
	Await(w, "the card to be posted", func() bool {
		made = w.Gets(made.ID)
		return !slices.ContainsFunc(made.Delivery, func(d client.Delivery) bool { return d.Message == "" })
	})
	return made
}

// Gets reads how a request stands.
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
