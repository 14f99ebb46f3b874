package slack

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/platform"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{ModeHTTP, ModeSocket} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			bridgetest.TestPlatform(t, func(t *testing.T, f func(t *testing.T, s *bridgetest.Stage)) {
				t.Helper()
				synctest.Test(t, func(t *testing.T) {
					w := newFixture(t, mode, nil)
					f(t, &bridgetest.Stage{
						Platform: w.c,
						Place:    ask.Place{Platform: Name, Channel: inChannel.Channel},
						Nowhere:  ask.Place{Platform: Name, Channel: "C0NOWHERE"},
						Wrong: []ask.Place{
							{Platform: Name}, {Platform: Name, Channel: "#deploys"}, {Platform: Name, User: "dana"}, {Platform: Name, Channel: inChannel.Channel, Thread: "x"},
						},
						WrongPeople: []string{"slack:dana", "slack:", "discord:1"},
						Dana:        ask.Person{Platform: Name, ID: idDana}, Sam: ask.Person{Platform: Name, ID: idSam},
						Press: func(ctx context.Context, who ask.Person, label string) error {
							return w.sim.Seat(who.ID).Press(ctx, label)
						},
						Fill: func(ctx context.Context, who ask.Person, text string) error {
							if err := w.sim.Seat(who.ID).Fill(ctx, "", text); err != nil {
								return err
							}
							return w.sim.Seat(who.ID).Submit(ctx)
						},
						Sees: func(who ask.Person) string { return w.sim.Seat(who.ID).Sees() },
						Delete: func(ref platform.MessageRef) {
							_, _, err := w.c.only.api.sdk().DeleteMessageContext(t.Context(), ref.Channel, ref.Message)
							w.must(err)
						},
						LoseReply: func() { w.sim.Fault("chat.postMessage", chatsim.LoseReply()) },
						Settle:    synctest.Wait,
					})
				})
			})
		})
	}
}
