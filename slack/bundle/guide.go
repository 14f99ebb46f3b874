package bundle

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/app/doctor"
	"github.com/askbridge/askbridge/internal/app/provider"
)

// guide sets up an app for Socket Mode with the default manifest.
type guide struct{ exam }

func newGuide(api string) provider.Guide { return &guide{*newExam(&Section{APIURL: api})} }

// Begin implements [provider.Guide].
func (g *guide) Begin() string {
	text, err := Manifest(ManifestOptions{})
	if err != nil {
		panic(err) // The default manifest is valid.
	}
	return `Open this link, choose your workspace, and press Create:

` + createLink(text) + `
The app can post cards, write direct messages, and read names of people and public channels. It cannot read messages.
Then press Install to Workspace (under Install App), and copy its two tokens here.`
}

// Tokens implements [provider.Guide].
func (g *guide) Tokens() []provider.Token {
	return []provider.Token{
		{Setting: "bot_token", Title: "Bot token (xoxb-…)", Where: "OAuth & Permissions, Bot User OAuth Token"},
		{Setting: "app_token", Title: "App-level token (xapp-…)", Where: "Basic Information, App-Level Tokens, Generate; add the scope connections:write"},
	}
}

// Take implements [provider.Guide]. It checks a bot token and its scopes, and opens a socket with an
// app-level token.
func (g *guide) Take(ctx context.Context, r *doctor.Report, setting, token string) {
	g.r = r
	bot := setting == "bot_token"
	prefix, do := "xapp-", doGetApp
	if bot {
		prefix, do = "xoxb-", doGetBot
	}
	if !strings.HasPrefix(token, prefix) {
		r.Add("slack/token", doctor.Broken, do, "this token does not begin with %s, so it is another kind of token", prefix)
		return
	}
	secret := config.NewSecret(token)
	if !bot {
		g.cfg.AppToken, g.api.app = secret, secret
		g.mode(ctx)
		return
	}
	g.cfg.BotToken, g.api.bot = secret, secret
	if !g.token(ctx) {
		return
	}
	// Features that are off are no problem of the setup, so that note is left out.
	all := r.Findings
	g.granted(false)
	r.Findings = append(all, slices.DeleteFunc(r.Findings[len(all):], func(f doctor.Finding) bool { return f.State == doctor.Note })...)
	r.OK("slack/scopes", "it has the scopes %s", strings.Join(g.scopes, ", "))
}

// Channels implements [provider.Guide].
func (g *guide) Channels(ctx context.Context) ([]*provider.Channel, error) {
	joined, others, err := g.conversations(ctx)
	if err != nil && !errors.Is(err, errTooMany) { // Others can be chosen by ID.
		return nil, fmt.Errorf("the channels cannot be listed: %w", err)
	}
	byName := func(a, b *provider.Channel) int { return cmp.Compare(a.Name, b.Name) }
	slices.SortFunc(joined, byName)
	slices.SortFunc(others, byName)
	return append(joined, others...), nil
}

// Channel implements [provider.Guide].
func (g *guide) Channel(ctx context.Context, r *doctor.Report, id string) {
	g.r, g.linked = r, true // There is no message yet whose link could be checked.
	g.channel(ctx, id)
}

// Section implements [provider.Guide].
func (g *guide) Section() provider.Section { return g.cfg }

// Settings implements [provider.Guide].
func (g *guide) Settings() []string {
	if g.cfg.APIURL == "" {
		return nil
	}
	return []string{"api_url: " + g.cfg.APIURL}
}
