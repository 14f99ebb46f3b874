//go:build faults

package chaos

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/test/faults"
)

// prove checks all observations from both sides after the storm.
func (s *storm) prove() {
	s.Helper()
	s.proveCards()
	notes := append(s.Slack.Timeline().Events(chatsim.Ephemeral), s.Discord.Timeline().Events(chatsim.Ephemeral)...)
	for _, note := range s.history.addNotes(notes) {
		s.Errorf("a note fits no act: %v", note)
	}
	if endless := s.history.judge(s, s.about); endless > 0 {
		s.say("%d lives without a verdict: too many acts with an uncertain result", endless)
	}
	s.proveResults()
}

// proveCards waits until no card has a live control, and counts the cards of each life.
func (s *storm) proveCards() {
	s.Helper()
	late := time.Now().Add(settling)
	var open map[string]string
	for open = s.open(); s.waitsFor(open) && time.Now().Before(late); open = s.open() {
		wait(s.Context(), 10*look)
	}
	forgiven := 0
	for card, channel := range open {
		if s.forgives(lifeOn(card)) {
			forgiven++
			continue
		}
		s.explain(card, channel)
	}
	vanished := 0
	s.vanished.Range(func(any, any) bool {
		vanished++
		return true
	})
	s.say("lost by Redis in a failover, and asked again: %d requests; %d of their first cards stay open", vanished, forgiven)
	copies, lost := 0, 0
	for platform, timeline := range map[string]*chatsim.Timeline{faults.Slack: s.Slack.Timeline(), faults.Discord: s.Discord.Timeline()} {
		posts := map[string]int{}
		for _, e := range timeline.Events(chatsim.Posted) {
			if _, name, ok := strings.Cut(e.Text, "Which way, "); ok {
				name, _, _ = strings.Cut(name, "?")
				posts[name]++
			}
		}
		for name, n := range posts {
			copies += n - 1
			if n > 1 && platform == faults.Discord {
				s.Errorf("%s has %d cards on Discord", name, n)
			}
		}
	}
	for _, e := range s.Slack.Timeline().Events(chatsim.Faulted) {
		if e.Where == "chat.postMessage" && e.Text == chatsim.LoseReply().Name() {
			lost++
		}
	}
	unclear := lost + int(s.struck.kills.Load()+s.struck.failovers.Load())**atATime
	if copies > unclear {
		s.Errorf("%d extra copies on Slack, and no more than %d posts were ambiguous", copies, unclear)
	}
	s.say("cards: none twice on Discord, none with live controls; %d extra copies on Slack, all closed, after %d lost replies to posts there", copies, lost)
}

// settling is how long it may take to close cards after the storm: a lease, and the longest backoff after repeated
// platform failures.
const settling = 90 * time.Second

// open returns the cards with live controls and their channels.
func (s *storm) open() map[string]string {
	all := map[string]string{}
	for _, p := range s.channels {
		for platform, channel := range map[string]string{faults.Slack: p.slack, faults.Discord: p.discord} {
			for _, card := range s.cards(platform, people[platform][0], channel, "Which way, life ") {
				if !faults.Closed(card) {
					all[card] = channel
				}
			}
		}
	}
	return all
}

// forgives reports whether a life's card may stay open: Redis lost its request, which may have been posted before
// and after.
func (s *storm) forgives(life int) bool {
	_, vanished := s.vanished.Load(life)
	return vanished
}

// waitsFor reports whether one of the cards must still be closed.
func (s *storm) waitsFor(open map[string]string) bool {
	for card := range open {
		if !s.forgives(lifeOn(card)) {
			return true
		}
	}
	return false
}

// about returns the log of the replicas about a life.
func (s *storm) about(life int) []string {
	for _, line := range s.Lines(fmt.Sprintf("life-%d\"", life)) {
		if _, id, ok := strings.Cut(line, `"request_id":"`); ok {
			id, _, _ = strings.Cut(id, `"`)
			return s.Lines(id)
		}
	}
	return nil
}

// explain fails the test for an open card, with everything known about it.
func (s *storm) explain(card, channel string) {
	s.Helper()
	life := lifeOn(card)
	log := s.about(life)
	for _, e := range append(s.Slack.Timeline().Events(), s.Discord.Timeline().Events()...) {
		if e.Channel == channel && strings.Contains(e.Text, fmt.Sprintf("life %d?", life)) {
			log = append(log, e.String())
		}
	}
	s.Errorf("life %d has a card with live controls in %s:\n%s\n%s", life, channel, card, strings.Join(log, "\n"))
}

// lifeOn returns the number of the life on a card; zero for none.
func lifeOn(card string) int {
	_, rest, _ := strings.Cut(card, "Which way, life ")
	number, _, _ := strings.Cut(rest, "?")
	life, _ := strconv.Atoi(number)
	return life
}

// proveResults compares each agent's result with the store and with the card.
func (s *storm) proveResults() {
	s.Helper()
	final := map[int]string{}
	for _, r := range s.history.reads {
		if !r.ended() {
			continue
		}
		if was, ok := final[r.life]; ok && was != r.saw {
			s.Errorf("life %d ended as %q and as %q", r.life, was, r.saw)
		}
		final[r.life] = r.saw
	}
	if len(final) != *lives {
		s.Errorf("%d of %d lives have a result", len(final), *lives)
	}
	states := map[ask.State]int{}
	for _, saw := range final {
		states[ended(saw)]++
	}
	s.say("results: %d answered, %d withdrawn, %d expired without a decision, each what its agent got, what is kept and what its card texts; %d of them by several people",
		states[ask.Answered], states[ask.Cancelled], states[ask.Expired], len(s.history.rules))
	for life, saw := range final {
		if state := ended(saw); state != ask.Answered && state != ask.Cancelled && (state != ask.Expired || s.history.rules[life] == nil) {
			s.Errorf("life %d ended in another way: %s", life, saw)
		}
	}
	for _, p := range s.channels {
		for platform, channel := range map[string]string{faults.Slack: p.slack, faults.Discord: p.discord} {
			for _, card := range s.cards(platform, people[platform][0], channel, "Which way, life ") {
				s.proveCard(card, final)
			}
		}
	}
}

// ended returns the final state of a life.
func ended(saw string) ask.State {
	word, _, _ := strings.Cut(saw, " ")
	return ask.State(strings.TrimSuffix(word, ";"))
}

// proveCard checks that a card matches the agent's result and the votes.
func (s *storm) proveCard(card string, final map[int]string) {
	s.Helper()
	life := lifeOn(card)
	label, answered := strings.CutPrefix(final[life], "answered ")
	texts := []string{}
	if label, _, _ = strings.Cut(label, " "); answered {
		texts = append(texts, label)
	}
	if r := s.history.rules[life]; r != nil {
		if answered {
			texts = append(texts, english.End.ByVote, "✓ "+label)
		}
		if _, tally, _ := strings.Cut(final[life], "; tally: "); tally != "" {
			for count := range strings.SplitSeq(tally, ", ") {
				label, people, _ := strings.Cut(count, " ")
				texts = append(texts, label+" – "+people+": ")
			}
		}
	}
	for _, text := range texts {
		if !strings.Contains(card, text) && !s.forgives(life) {
			s.Errorf("life %d ended as %q, and its card does not say %q:\n%s", life, final[life], text, card)
		}
	}
}
