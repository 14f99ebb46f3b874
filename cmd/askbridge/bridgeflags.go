package main

import (
	"cmp"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/askbridge/askbridge/client"
)

// defaultBridge is the default address of askbridge serve.
const defaultBridge = "http://127.0.0.1:8080"

// bridgeFlags are the address of the bridge and the caller's token.
type bridgeFlags struct {
	url, token string
	// person allows the login of a person as the last resort after flags and environment. Commands for agents never use it.
	person bool
}

func (b *bridgeFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&b.url, "url", "", "the `address` of the running askbridge (default $ASKBRIDGE_URL, or http://127.0.0.1:8080)")
	flags.StringVar(&b.token, "token", "", "the agent's `token` (default $ASKBRIDGE_TOKEN, which other people of this machine cannot see)")
}

// addForPeople adds the flags of a command that people use.
func (b *bridgeFlags) addForPeople(flags *pflag.FlagSet) {
	b.person = true
	flags.StringVar(&b.url, "url", "", "the `address` of the running askbridge (default $ASKBRIDGE_URL, that of askbridge login, or http://127.0.0.1:8080)")
	flags.StringVar(&b.token, "token", "", "the `token` (default $ASKBRIDGE_TOKEN, which other people of this machine cannot see, or that of askbridge login)")
}

// resolve returns the address and the token from the flags, the environment or the login, in this order. The token of a login is
// used only for its own address.
func (b *bridgeFlags) resolve() (url, token string, err error) {
	url, token = cmp.Or(b.url, os.Getenv("ASKBRIDGE_URL")), cmp.Or(b.token, os.Getenv("ASKBRIDGE_TOKEN"))
	if b.person && (url == "" || token == "") {
		kept, err := readLogin()
		if err != nil {
			return "", "", err
		}
		url = cmp.Or(url, kept.URL)
		if strings.TrimRight(url, "/") == strings.TrimRight(kept.URL, "/") {
			token = cmp.Or(token, kept.Token)
		}
	}
	return cmp.Or(url, defaultBridge), token, nil
}

// client returns a client with these settings. It sends the token sealed, so only a bridge that knows it can read it.
func (b *bridgeFlags) client(warnings io.Writer, o client.Options) (*client.Client, error) {
	url, token, err := b.resolve()
	if err != nil {
		return nil, err
	}
	o.Token, o.Sealed = token, true
	o.Logger = slog.New(slog.NewTextHandler(warnings, &slog.HandlerOptions{Level: slog.LevelWarn}))
	c, err := client.New(url, &o)
	if err != nil && b.url == "" && os.Getenv("ASKBRIDGE_URL") != "" {
		err = fmt.Errorf("ASKBRIDGE_URL: %w", err)
	}
	if err != nil {
		return nil, usage(err)
	}
	return c, nil
}
