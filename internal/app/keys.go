package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/wait"
	"github.com/askbridge/askbridge/store"
	"github.com/askbridge/askbridge/store/seal"
)

// keysTime bounds the command that prints the keys.
const keysTime = 30 * time.Second

// Keys reads the keys that a store is encrypted with; nil for none. The command of the
// configuration is run without a shell; what it writes to standard error is its own business.
func Keys(ctx context.Context, e config.Encryption) (*seal.Ring, error) {
	if !e.On() {
		return nil, nil //nolint:nilnil // A store in clear has no keys.
	}
	text := e.Keys.Reveal()
	if len(e.Command) > 0 {
		ctx, cancel := context.WithTimeoutCause(ctx, keysTime, errors.New("it did not end in time"))
		defer cancel()
		var out bytes.Buffer
		cmd := exec.CommandContext(ctx, e.Command[0], e.Command[1:]...) //nolint:gosec // The operator names it.
		cmd.Stdout, cmd.Stderr = &out, os.Stderr
		cmd.WaitDelay = time.Second
		if err := cmd.Run(); err != nil {
			return nil, fmt.Errorf("app: encryption.command: %w", errors.Join(err, context.Cause(ctx)))
		}
		text = out.String()
	}
	ring, err := seal.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("app: the keys of the store: %s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return ring, nil
}

// KeysOf is a ring as stores take it.
func KeysOf(ring *seal.Ring) *seal.Keys {
	if ring == nil {
		return nil
	}
	return seal.New(ring)
}

// nextKeys reads the keys of a store that is in use again, and checks them. It returns nil
// where they are as before. It writes nothing, since the reload may still come to nothing: a
// store that says it may be sealed with a key does not open without that one.
func (a *App) nextKeys(e config.Encryption) (*seal.Ring, error) {
	if a.cfg.Encryption.On() != e.On() {
		return nil, errors.New("whether the store is encrypted takes a restart")
	}
	if a.sealing == nil || a.sealing.Keys() == nil {
		return nil, nil //nolint:nilnil // There are none.
	}
	ctx, cancel := context.WithTimeoutCause(context.Background(), keysTime, errors.New("the keys could not be read in time"))
	defer cancel()
	ring, err := Keys(ctx, e)
	if err != nil || slices.Equal(ring.IDs(), a.sealing.Keys().Ring().IDs()) {
		return nil, err
	}
	return ring, store.CheckKeys(ctx, a.sealing, ring)
}

// sayKeys has reseal know which key this replica writes with, until stop is called. A store in
// a file is resealed while nobody has it open.
func (a *App) sayKeys(ctx context.Context) (stop func()) {
	if a.cfg.Store.Type != config.StoreRedis || a.sealing == nil || a.sealing.Keys() == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	a.writer = store.NewWriter(a.sealing)
	a.sayKey(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for wait.For(ctx, store.WriterTime/3) == nil {
			a.sayKey(ctx)
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = a.writer.Leave(ctx) // It ends by itself else.
	}()
	return func() {
		cancel()
		<-done
	}
}

// sayKey says it now.
func (a *App) sayKey(ctx context.Context) {
	if a.writer == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, noteTime)
	defer cancel()
	_ = a.writer.Say(ctx) // It is said again soon; who cannot reach the store writes nothing either.
}
