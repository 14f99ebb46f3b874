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

// kinds are the platforms.
var kinds = []string{"slack", "discord"}

// script ends the names of programs that Node runs.
const script = ".mjs"

// peersOf are bots written with other people's libraries that do what the floor
// does. They stand in test/peers/bots/bench.
func peersOf(s *Suite, kind string) players {
	of := func(file, name string) *player {
		return &player{program: filepath.Join(s.root, "test", "peers", "bots", "bench", file+script), name: name}
	}
	if kind == "discord" {
		js := of("discord", "discord.js")
		js.gateway = true // It takes no clicks over HTTP.
		return players{js}
	}
	return players{of("bolt", "Bolt"), of("chatsdk", "Chat SDK")}
}

// alike is the product as the peers of a platform hear of clicks, where that is another way than
// the floor's; nil where it is not.
func (s *Suite) alike(kind string) *player {
	if kind != "discord" {
		return nil
	}
	return &player{program: s.unpaced, name: ours + ", gateway", args: []string{"-mode", "gateway"}, gateway: true}
}

// key is the player's name where there is no room for words.
func (p *player) key() string { return strings.TrimSuffix(filepath.Base(p.program), script) }

// peersInstalled says what is missing to run the peers.
func peersInstalled(root string) error {
	_, err := exec.LookPath("node")
	if err == nil {
		_, err = os.Stat(filepath.Join(root, "test", "peers", "node_modules", "@redis", "client"))
	}
	if err != nil {
		return fmt.Errorf(`bench: bots of other libraries run beside the bridge, so this needs node and their packages in test/peers: "make setup" installs both: %w`, err)
	}
	return nil
}

// press clicks a card's first option where its bot hears of clicks, and returns
// how long until it was acknowledged.
func (w *fixture) press(ctx context.Context, at string, card fastchat.Post) (time.Duration, error) {
	if !w.gateway {
		return w.person.press(ctx, at, card)
	}
	if at != w.url {
		return 0, errors.New("bench: a bot at the gateway has no second replica")
	}
	id, interaction := w.person.interaction(card)
	return w.chat.Click(ctx, id, interaction)
}
