package config

import (
	"strings"

	"github.com/askbridge/askbridge/store/seal"
)

// Encryption configures the keys of the store; without any it is not encrypted.
type Encryption struct {
	// Keys are the lines themselves; Command prints them.
	Keys    Secret   `yaml:"keys"`
	Command []string `yaml:"command"`
}

// On reports whether the store is encrypted.
func (e Encryption) On() bool { return e.Keys.Set() || len(e.Command) > 0 }

func (c *Config) checkEncryption(say func(path, format string, args ...any)) {
	e := c.Encryption
	switch {
	case !c.set("encryption"):
		return
	case !e.On():
		say("encryption.keys", "is missing: set the keys, or a command that prints them")
	case e.Keys.Set() && len(e.Command) > 0:
		say("encryption.command", "conflicts with keys; set one or the other")
	case c.Store.Type == StoreMemory:
		say("encryption", "needs a store of type file or redis; memory is not persistent")
	}
	if !e.Keys.Set() {
		return
	}
	if _, err := seal.Parse(e.Keys.Reveal()); err != nil {
		say("encryption.keys", "%s; create a key with: askbridge store key", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
}
