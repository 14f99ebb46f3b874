//go:build faults

package chaos

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/test/faults"
)

const (
	// lifetime is how long a life may last before the storm counts as lost.
	lifetime = 3 * time.Minute
	// again is when a person presses again although the click arrived, if the card does not change: the replica may
	// have died before it saved the click.
	again = 8 * time.Second
	// look is how often the state is read.
	look = 30 * time.Millisecond
)

var options = []string{"Alpha", "Bravo", "Charlie"}

// people are those who may press, by platform.
var people = map[string][]string{
	faults.Slack:   {"U0000001", "U0000002", "U0000003"},
	faults.Discord: {"300000000000000001", "300000000000000002", "300000000000000003"},
}

// one is one life: a question, the people who see it and the agent behind it.
type one struct {
	s        *storm
	n        int
	platform string
	channel  string
	request  ask.Request
	over     chan struct{} // closed when the agent has its result
	result   *client.Request
	// rule is the voting rule, and favourite what all voters want in the end; nil if the first answer decides.
	rule      *rule
	favourite string
	// until is when the request expires, in Unix nanoseconds; zero while unknown.
	until atomic.Int64
}

// live plays a life from question to result.
func (s *storm) live(n int, p place) {
	dice := chance(n)
	l := &one{s: s, n: n, platform: faults.Slack, channel: p.slack, over: make(chan struct{})}
	if n%2 == 0 {
		l.platform, l.channel = faults.Discord, p.discord
	}
	l.request = ask.Request{
		ToolCallID: fmt.Sprintf("life-%d", n), Session: fmt.Sprintf("session-%d", n%50), Agent: "storm",
		To:        []ask.Place{{Platform: l.platform, Channel: l.channel}},
		Questions: []ask.Question{{Text: l.text()}},
	}
	for _, label := range options {
		l.request.Questions[0].Options = append(l.request.Questions[0].Options, ask.Option{Label: label})
	}
	if n%everyThird == 0 {
		l.byVote(p, dice)
	}
	ctx, cancel := context.WithTimeout(s.Context(), lifetime)
	defer cancel()
	var all sync.WaitGroup
	all.Go(func() { l.agent(ctx) })
	all.Go(func() { l.watcher(ctx) })
	if dice.IntN(12) == 0 {
		all.Go(func() { l.canceller(ctx) })
	}
	who := people[l.platform]
	crowd, play := 1+dice.IntN(len(who)), l.person
	if l.rule != nil {
		crowd, play = len(who), l.voter
	}
	for at := range crowd {
		mine := rand.New(rand.NewPCG(dice.Uint64(), dice.Uint64()))
		all.Go(func() { play(ctx, at, mine) })
	}
	all.Wait()
	if l.result == nil && !s.Failed() {
		s.Errorf("life %d: the agent got no result in %s\n%s\n%s", n, lifetime, l.card(who[0]), strings.Join(s.about(n), "\n"))
	}
}

// text identifies the life on its card.
func (l *one) text() string { return fmt.Sprintf("Which way, life %d?", l.n) }

// agent asks until there is a result, whatever happens to the bridge.
func (l *one) agent(ctx context.Context) {
	defer close(l.over)
	for ctx.Err() == nil {
		began := l.s.history.clock()
		r, err := l.s.Agent.Ask(ctx, l.request)
		if err == nil {
			l.result = r
			if l.rule != nil {
				l.rule.ends = int64(r.ExpiresAt.Sub(start))
			}
			l.saw(began, r)
			return
		}
		p, ok := errors.AsType[*client.Problem](err)
		if ok && (p.Status == http.StatusNotFound || p.Status == http.StatusGone) {
			// A failover lost the request before a replica had it. The agent gets an error and asks again.
			l.s.vanished.Store(l.n, true)
			continue
		}
		if ok && p.Status/100 == 4 {
			l.s.Errorf("life %d: the agent is refused: %v", l.n, err)
			return
		}
	}
}

// watcher reads the request from time to time, through any replica.
func (l *one) watcher(ctx context.Context) {
	for l.pause(ctx, 8*look) {
		page, err := l.s.Agent.Submit(ctx, l.request)
		if err != nil {
			continue
		}
		l.stood(page)
		began := l.s.history.clock()
		if r, err := l.s.Agent.Get(ctx, page.ID); err == nil {
			l.saw(began, r)
		}
	}
}

// canceller withdraws the question at a random time.
func (l *one) canceller(ctx context.Context) {
	l.pause(ctx, 10*look)
	made, err := l.s.Agent.Submit(ctx, l.request)
	if err != nil {
		return
	}
	began := l.s.history.clock()
	r, err := l.s.Agent.Cancel(ctx, made.ID, "changed my mind")
	l.s.history.act(act{life: l.n, wants: "cancelled", call: began, sure: err == nil})
	if err == nil {
		l.saw(began, r)
	}
}

// person presses an option once the card is posted, and again while the platform reports that the click failed.
func (l *one) person(ctx context.Context, at int, dice *rand.Rand) {
	who := people[l.platform][at]
	hand := l.s.Hand(l.platform, who, l.channel)
	label := options[dice.IntN(len(options))]
	for l.pause(ctx, look+time.Duration(dice.IntN(6))*look) {
		card := l.card(who)
		if !strings.Contains(card, "["+label+"]") {
			continue
		}
		a := act{life: l.n, person: hand.ID, channel: l.channel, wants: "answered " + label + " by " + hand.ID, call: l.s.history.clock(), at: time.Now()}
		err := hand.Press(ctx, label, l.text())
		if errors.Is(err, chatsim.ErrNotThere) {
			continue
		}
		a.sure = err == nil
		l.s.history.act(a)
		if a.sure && !l.pause(ctx, again) {
			return
		}
	}
}

// stood records the deadline of the request. A different deadline means that the request was created again after a
// failover lost the first one unseen.
func (l *one) stood(r *client.Request) {
	if before := l.until.Swap(r.ExpiresAt.UnixNano()); before != 0 && before != r.ExpiresAt.UnixNano() {
		l.s.vanished.Store(l.n, true)
	}
}

// saw records an observation of the life.
func (l *one) saw(began int64, r *client.Request) {
	l.stood(r)
	text := verdict(r)
	if l.rule != nil {
		text = l.rule.found(r)
	}
	l.s.history.read(l.n, began, text)
}

// card returns the newest card of the life as a person sees it.
func (l *one) card(who string) string {
	cards := l.s.cards(l.platform, who, l.channel, l.text())
	if len(cards) == 0 {
		return ""
	}
	return cards[len(cards)-1]
}

// cards returns all messages in a channel with a text, oldest first.
func (s *storm) cards(platform, who, channel, text string) []string {
	var all []string
	add := func(bot bool, plain string) {
		if bot && strings.Contains(plain, text) {
			all = append(all, plain)
		}
	}
	if platform == faults.Discord {
		for _, m := range s.Discord.Seat(who).Messages(channel) {
			add(m.FromBot && !m.OnlyYou, m.Plain)
		}
		return all
	}
	for _, m := range s.Slack.Seat(who).Messages(channel) {
		add(m.FromBot && !m.OnlyYou, m.Plain)
	}
	return all
}

// pause waits a little and reports whether the life continues.
func (l *one) pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return !l.s.Failed()
	case <-l.over:
	case <-ctx.Done():
	}
	return false
}

// verdict summarizes a request in one line.
func verdict(r *client.Request) string {
	switch r.State {
	case ask.Open:
		return ""
	case ask.Answered:
		return "answered " + strings.Join(r.Answers[0].Selected, ",") + " by " + r.By.Key()
	default:
		return string(r.State)
	}
}
