//go:build faults

package chaos

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/test/faults"
)

// linking is the part of the configuration that links accounts. Kim's are not linked.
const linking = `people:
  dana: ["slack:U0000001", "discord:300000000000000001"]
  sam: ["slack:U0000002", "discord:300000000000000002"]
`

// linked returns the human behind an account.
var linked = map[string]string{
	"slack:U0000001": "dana", "discord:300000000000000001": "dana",
	"slack:U0000002": "sam", "discord:300000000000000002": "sam",
}

// everyThird life is decided by vote.
const everyThird = 3

// byVote gives the life a random voting rule.
func (l *one) byVote(p place, dice *rand.Rand) {
	r := &rule{need: 2, ends: forever}
	if dice.IntN(4) > 0 {
		l.request.To = []ask.Place{{Platform: faults.Slack, Channel: p.slack}, {Platform: faults.Discord, Channel: p.discord}}
		r.linked = linked
	}
	l.request.ExpiresIn = 2 * time.Minute
	switch dice.IntN(3) {
	case 0:
		r.poll, r.need = true, dice.IntN(3)
		l.request.ExpiresIn = 12 * time.Second
	case 1:
		r.needs = map[string]int{options[2]: 1}
	}
	if dice.IntN(3) == 0 {
		for _, account := range slices.Sorted(maps.Keys(linked)) {
			if platform, _, _ := strings.Cut(account, ":"); len(l.request.To) > 1 || platform == l.platform {
				l.request.Responders = append(l.request.Responders, account)
				if human := r.human(account); !slices.Contains(r.roster, human) {
					r.roster = append(r.roster, human)
				}
			}
		}
	}
	if dice.IntN(2) == 0 {
		r.hold = 2 * time.Second
	}
	r.show = []ask.Show{ask.ShowLive, ask.ShowLive, ask.ShowCount, ask.ShowSealed}[dice.IntN(4)]
	l.request.Hold = r.hold
	l.request.Voting = ask.Voting{Mode: ask.Quorum, Need: ask.Need(r.need), Needs: r.needs, Show: r.show}
	if r.poll {
		l.request.Voting.Mode = ask.Poll
	}
	l.rule, l.favourite = r, options[dice.IntN(len(options))]
	l.s.history.under(l.n, r)
}

// voter votes, changes the vote a few times, with each account, and in the end votes like all others, or in a poll
// as they like.
func (l *one) voter(ctx context.Context, at int, dice *rand.Rand) {
	moods, favourite := dice.IntN(5), l.favourite
	if l.rule.poll {
		favourite = options[dice.IntN(len(options))]
	}
	for l.pause(ctx, look+time.Duration(dice.IntN(6))*look) {
		to := l.request.To[dice.IntN(len(l.request.To))]
		label, wants := favourite, favourite
		if moods > 0 {
			label = options[dice.IntN(len(options))]
			wants = label
			switch b := english.Button; dice.IntN(4) {
			case 0:
				label, wants = b.TakeBack, takesBack
			case 1:
				label, wants = b.Undo, undoes
			}
		}
		sure, there := l.presses(ctx, to, at, label, wants)
		if !there {
			continue
		}
		if moods--; moods < 0 && sure && !l.pause(ctx, again) {
			return
		}
	}
}

// finds opens the private message behind a button and reports whether a label appears there.
func (l *one) finds(ctx context.Context, hand *faults.Hand, more, label string) bool {
	ctx, cancel := context.WithTimeout(ctx, calm)
	defer cancel()
	if hand.Press(ctx, more, l.text()) != nil {
		return false
	}
	answered := func(sees string) bool { return strings.Contains(sees, english.Button.Details+"]") }
	return hand.Await(ctx, answered) == nil && strings.Contains(hand.Sees(), label+"]")
}

// presses presses once on the newest card of the life and reports whether the platform got the acknowledgement. It
// reports false if the card has no such control.
func (l *one) presses(ctx context.Context, to ask.Place, at int, label, wants string) (sure, there bool) {
	who := people[to.Platform][at]
	shown, more := label, english.Button.More+"…"
	if label == english.Button.TakeBack {
		shown = more
	}
	if cards := l.s.cards(to.Platform, who, to.Channel, l.text()); len(cards) == 0 || !strings.Contains(cards[len(cards)-1], shown+"]") {
		return false, false
	}
	hand := l.s.Hand(to.Platform, who, to.Channel)
	if shown == more && !l.finds(ctx, hand, more, label) {
		return false, false
	}
	a := act{life: l.n, person: hand.ID, channel: to.Channel, wants: wants, call: l.s.history.clock(), at: time.Now()}
	var under []string
	if wants == label {
		under = append(under, l.text()) // Other controls have no heading.
	}
	err := hand.Press(ctx, label, under...)
	if errors.Is(err, chatsim.ErrNotThere) {
		return false, false
	}
	a.sure = err == nil
	l.s.history.act(a)
	return a.sure, true
}
