package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/askbridge/askbridge/test/bench/fastchat"
)

// kinds lists the platforms.
var kinds = []string{"slack", "discord"}

// script is the file extension of Node programs.
const script = ".mjs"

// peersOf returns the bots written with other libraries, which do the same as the floor. Their source is in
// test/peers/bots/bench.
func peersOf(s *Suite, kind string) players {
	of := func(file, name string) *player {
		return &player{program: filepath.Join(s.root, "test", "peers", "bots", "bench", file+script), name: name}
	}
	if kind == "discord" {
		js := of("discord", "discord.js")
		js.gateway = true // It receives no clicks over HTTP.
		return players{js}
	}
	return players{of("bolt", "Bolt"), of("chatsdk", "Chat SDK")}
}

// alike returns the product with the transport of the platform's peers if that differs from the floor's, otherwise
// nil.
func (s *Suite) alike(kind string) *player {
	if kind != "discord" {
		return nil
	}
	return &player{program: s.unpaced, name: ours + ", gateway", args: []string{"-mode", "gateway"}, gateway: true}
}

// key returns the short name of the player.
func (p *player) key() string { return strings.TrimSuffix(filepath.Base(p.program), script) }

// peersInstalled returns an error that names what is missing to run the peers.
func peersInstalled(root string) error {
	_, err := exec.LookPath("node")
	if err == nil {
		_, err = os.Stat(filepath.Join(root, "test", "peers", "node_modules", "@redis", "client"))
	}
	if err != nil {
		return fmt.Errorf(`bench: bots of other libraries need node and their packages in test/peers, run "make setup": %w`, err)
	}
	return nil
}

// press clicks a card's first option, over HTTP or the gateway, and returns how long the acknowledgement took.
func (w *fixture) press(ctx context.Context, at string, card fastchat.Post) (time.Duration, error) {
	if !w.gateway {
		return w.person.press(ctx, at, card)
	}
	if at != w.url {
		return 0, errors.New("bench: no second replica with a gateway")
	}
	id, interaction := w.person.interaction(card)
	return w.chat.Click(ctx, id, interaction)
}
