package bridge_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/memory"
)

// acquainted is a platform that knows display names other than those in its interactions, and is slow to look them
// up.
type acquainted struct {
	*bridgetest.Script
	names map[string]string
	takes time.Duration
}

func (a acquainted) NameOf(ctx context.Context, p ask.Person) string {
	select {
	case <-time.After(a.takes):
		return a.names[p.ID]
	case <-ctx.Done():
		return ""
	}
}

func TestCardOnOtherPlatformUsesDisplayName(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		takes  time.Duration
		person string
		wants  string
	}{
		"known":                  {person: "U1", wants: "Dana Meyer"},
		"known after a while":    {person: "U1", takes: 300 * time.Millisecond, wants: "Dana Meyer"},
		"not known":              {person: "U2", wants: "U2"},
		"too late for this card": {person: "U1", takes: time.Minute, wants: "U1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := &fixture{t: t, store: memory.New(), chat: bridgetest.NewScript("slack", render.Limits{})}
				there := bridgetest.NewScript("discord", render.Limits{})
				stop := w.begin(nil, acquainted{w.chat, map[string]string{"U1": "Dana Meyer"}, tc.takes}, there)
				defer stop()
				r := w.submit(database(func(r *ask.Request) {
					r.To = append(r.To, ask.Place{Platform: "discord", Channel: "D1"})
				}))
				w.act(choose(r, tc.person, 1))
				time.Sleep(10 * time.Second)
				synctest.Wait()
				shown := there.Card(there.Standing()[0])
				if got := text(shown); !strings.Contains(got, "by "+tc.wants) || shown.State != ask.Answered {
					t.Errorf("other card:\n%s", got)
				}
				if by := w.load(r.ID).Outcome.By; by != (ask.Person{Platform: "slack", ID: tc.person, Name: tc.person}) {
					t.Errorf("%+v is stored", by)
				}
			})
		})
	}
}

func text(c render.Card) string {
	var b strings.Builder
	for _, s := range c.Sections {
		for _, span := range s.Text {
			b.WriteString(span.Text)
		}
	}
	return b.String()
}

var _ platform.Namer = acquainted{}
