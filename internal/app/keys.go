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

// keysTime limits the command that prints the keys.
const keysTime = 30 * time.Second

// Keys reads the encryption keys of a store; nil for none. The configured command runs without a shell,
// and its standard error is not read.
func Keys(ctx context.Context, e config.Encryption) (*seal.Ring, error) {
	if !e.On() {
		return nil, nil //nolint:nilnil // A store in clear has no keys.
	}
	text := e.Keys.Reveal()
	if len(e.Command) > 0 {
		ctx, cancel := context.WithTimeoutCause(ctx, keysTime, errors.New("timeout"))
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

// KeysOf converts a ring for the stores.
func KeysOf(ring *seal.Ring) *seal.Keys {
	if ring == nil {
		return nil
	}
	return seal.New(ring)
}

// nextKeys reads and checks the keys of a running store again. It returns nil if they are unchanged. It
// writes nothing, because the reload may still fail, and a store that may be encrypted with a key does
// not open without it.
func (a *App) nextKeys(e config.Encryption) (*seal.Ring, error) {
	if a.cfg.Encryption.On() != e.On() {
		return nil, errors.New("enabling or disabling encryption requires a restart")
	}
	if a.sealing == nil || a.sealing.Keys() == nil {
		return nil, nil //nolint:nilnil // There are none.
	}
	ctx, cancel := context.WithTimeoutCause(context.Background(), keysTime, errors.New("read the keys: timeout"))
	defer cancel()
	ring, err := Keys(ctx, e)
	if err != nil || slices.Equal(ring.IDs(), a.sealing.Keys().Ring().IDs()) {
		return nil, err
	}
	return ring, store.CheckKeys(ctx, a.sealing, ring)
}

// sayKeys publishes for reseal the key that this replica writes with, until stop is called. A store in a file is
// resealed only while no one has it open.
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
		_ = a.writer.Leave(ctx) // It expires otherwise.
	}()
	return func() {
		cancel()
		<-done
	}
}

// sayKey reports it once.
func (a *App) sayKey(ctx context.Context) {
	if a.writer == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, noteTime)
	defer cancel()
	_ = a.writer.Say(ctx) // It is repeated soon. Without the store this replica writes nothing, either.
}
