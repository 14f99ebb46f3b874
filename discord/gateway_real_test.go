package discord

import (
	"context"
	"errors"
	"testing"

	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

// Other tests here run in memory. This one uses a real network.
func TestOverRealConnections(t *testing.T) {
	t.Parallel()
	sim := discordsim.Start(t, &discordsim.Options{BotToken: canaryToken})
	if _, err := sim.Listen("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	c, err := New(Config{BotToken: canaryToken, APIURL: sim.APIURL()})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- c.Listen(ctx, func(ctx context.Context, _ platform.Interaction, r platform.Responder) error {
			return r.Redraw(ctx, render.Layout(decided(one()), c.Limits()))
		})
	}()
	if err := sim.Await(t.Context(), func() bool { return sim.Sessions() == 1 }); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Post(t.Context(), inChannel, render.Layout(one(), c.Limits())); err != nil {
		t.Fatal(err)
	}
	if err := sim.Seat(idDana).Press(t.Context(), "SQLite"); err != nil {
		t.Error(err)
	}
	if err := sim.Seat(idSam).AwaitText(t.Context(), "Dana"); err != nil {
		t.Error(err)
	}
	stop()
	if err := errors.Join(<-ended, c.Close()); err != nil {
		t.Error(err)
	}
}
