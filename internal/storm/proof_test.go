//go:build faults

package storm

import (
	"strconv"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/internal/faults"
)

// prove looks at everything from both sides when the storm is over.
func (s *storm) prove() {
	s.Helper()
	s.proveCards()
	s.history.hear(append(s.Slack.Timeline().Events(chatsim.Whispered), s.Discord.Timeline().Events(chatsim.Whispered)...))
	s.history.judge(s)
	s.proveResults()
}

// proveCards waits until no card has a live control, and counts the cards of
// each life.
func (s *storm) proveCards() {
	s.Helper()
	for _, p := range s.channels {
		for platform, channel := range map[string]string{faults.Slack: p.slack, faults.Discord: p.discord} {
			who := people[platform][0]
			faults.Await(s, "every card of "+platform+" "+channel+" to be closed", func() bool {
				for _, card := range s.cards(platform, who, channel, "Which way, life ") {
					if !faults.Closed(card) {
						return false
					}
				}
				return true
			})
		}
	}
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
				s.Errorf("%s stands on Discord %d times", name, n)
			}
		}
	}
	for _, e := range s.Slack.Timeline().Events(chatsim.Faulted) {
		if e.Where == "chat.postMessage" && e.Text == chatsim.LoseReply().Name() {
			lost++
		}
	}
	unclear := lost + int(s.struck.kills.Load()+s.struck.failovers.Load())*len(s.channels)
	if copies > unclear {
		s.Errorf("%d extra copies on Slack, and no more than %d posts were ambiguous", copies, unclear)
	}
	s.Logf("%d extra copies on Slack after %d lost replies to posts", copies, lost)
}

// proveResults compares what each agent got with what is kept and with what the
// people see on the card.
func (s *storm) proveResults() {
	s.Helper()
	final := map[int]string{}
	for _, r := range s.history.reads {
		if r.saw == "" {
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
		word, _, _ := strings.Cut(saw, " ")
		states[ask.State(word)]++
	}
	s.Logf("results: %v", states)
	for _, p := range s.channels {
		for platform, channel := range map[string]string{faults.Slack: p.slack, faults.Discord: p.discord} {
			for _, card := range s.cards(platform, people[platform][0], channel, "Which way, life ") {
				s.proveCard(card, final)
			}
		}
	}
}

// proveCard checks that a card says what its agent was told.
func (s *storm) proveCard(card string, final map[int]string) {
	s.Helper()
	_, rest, _ := strings.Cut(card, "Which way, life ")
	number, _, _ := strings.Cut(rest, "?")
	life, err := strconv.Atoi(number)
	if err != nil {
		s.Errorf("a card of nobody: %s", card)
		return
	}
	label, answered := strings.CutPrefix(final[life], "answered ")
	if label, _, _ = strings.Cut(label, " "); answered && !strings.Contains(card, label) {
		s.Errorf("life %d ended as %q, and its card says:\n%s", life, final[life], card)
	}
}
