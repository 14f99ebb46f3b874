package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/askbridge/askbridge/internal/app"
	"github.com/askbridge/askbridge/internal/app/doctor"
	"github.com/askbridge/askbridge/internal/app/provider"
)

// guide walks a person through a first configuration at a terminal. It keeps every step in a folder next to the
// configuration, so that an interrupted setup continues there.
type guide struct {
	*console

	path, folder string
	answers      *initAnswers
	apis         map[string]*string // API addresses by platform, for doubles
	done         setupSteps
}

// setupSteps are what a person has chosen so far. The tokens are in files of their own.
type setupSteps struct {
	Platforms []string                    `json:"platforms,omitempty"`
	Channels  map[string]provider.Channel `json:"channels"`
	Tested    []string                    `json:"tested,omitempty"`
}

const progressFile = "progress.json"

// newGuide returns a guide that writes the configuration to a file.
func newGuide(cmd *cobra.Command, path string, answers *initAnswers, apis map[string]*string) (*guide, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", path, err)
	}
	folder := strings.TrimSuffix(full, filepath.Ext(full)) + ".secrets"
	return &guide{console: newConsole(cmd), path: path, folder: folder, answers: answers, apis: apis}, nil
}

// run goes through all steps that are not done yet.
func (g *guide) run(ctx context.Context) error {
	err := g.steps(ctx)
	if err != nil && len(g.done.Platforms) > 0 {
		err = fmt.Errorf("%w; run askbridge init again to continue here", err)
	}
	return err
}

func (g *guide) steps(ctx context.Context) error {
	if err := g.load(); err != nil {
		return err
	}
	if len(g.done.Platforms) == 0 {
		if err := g.choosePlatforms(ctx); err != nil {
			return err
		}
	}
	guides := map[string]provider.Guide{}
	for i := range g.answers.channels {
		c := &g.answers.channels[i]
		if !slices.Contains(g.done.Platforms, c.Name) {
			continue
		}
		g.say("\n%s\n%s\n", c.Title, strings.Repeat("=", len(c.Title)))
		set := c.Guide(*g.apis[c.Name])
		guides[c.Name] = set
		if err := g.tokens(ctx, c, set); err != nil {
			return err
		}
		if err := g.channel(ctx, c, set); err != nil {
			return err
		}
	}
	for _, c := range g.answers.asking() {
		if slices.Contains(g.done.Tested, c.Name) {
			continue
		}
		if err := g.test(ctx, c, guides[c.Name].Section()); err != nil {
			return err
		}
		g.done.Tested = append(g.done.Tested, c.Name)
		if err := g.keep(); err != nil {
			return err
		}
	}
	return g.finish()
}

// load reads what an earlier run kept.
func (g *guide) load() error {
	g.done.Channels = map[string]provider.Channel{}
	data, err := os.ReadFile(filepath.Join(g.folder, progressFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		g.say("This sets askbridge up in a few minutes. You can stop with Ctrl-C and continue later.\n")
		return nil
	case err != nil:
		return fmt.Errorf("read the progress: %w", err)
	case json.Unmarshal(data, &g.done) != nil:
		return fmt.Errorf("%s is damaged; delete it to start over", filepath.Join(g.folder, progressFile))
	}
	g.say("Continuing where you stopped. To start over, delete %s.\n", g.folder)
	return nil
}

// keep saves the progress.
func (g *guide) keep() error {
	data, err := json.Marshal(g.done)
	if err != nil {
		return err
	}
	return g.write(progressFile, data)
}

// write saves a file that only the user can read, in a folder that Git ignores.
func (g *guide) write(name string, data []byte) error {
	err := os.MkdirAll(g.folder, 0o700)
	if err == nil {
		err = os.WriteFile(filepath.Join(g.folder, ".gitignore"), []byte("*\n"), 0o600)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(g.folder, name), data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("keep the setup: %w", err)
	}
	return nil
}

func (g *guide) choosePlatforms(ctx context.Context) error {
	var names []string
	g.say("\nWhere do people answer?\n")
	for _, c := range g.answers.channels {
		if c.Guide != nil {
			names = append(names, c.Name)
			g.say("  %d  %s\n", len(names), c.Title)
		}
	}
	g.say("  %d  all of them\n", len(names)+1)
	for {
		text, err := g.ask(ctx, "Number: ")
		if err != nil {
			return err
		}
		n, _ := strconv.Atoi(text)
		switch {
		case slices.Contains(names, strings.ToLower(text)):
			g.done.Platforms = []string{strings.ToLower(text)}
		case n >= 1 && n <= len(names):
			g.done.Platforms = names[n-1 : n]
		case n == len(names)+1:
			g.done.Platforms = names
		default:
			g.say("Type a number from 1 to %d.\n", len(names)+1)
			continue
		}
		return g.keep()
	}
}

// tokens gets the tokens of a platform: from their files, or from the person.
func (g *guide) tokens(ctx context.Context, c *initChannel, set provider.Guide) error {
	var lines []string
	begun := false
	for _, t := range set.Tokens() {
		file := c.Name + "_" + t.Setting
		path := filepath.Join(g.folder, file)
		data, err := os.ReadFile(path)
		last := strings.TrimSpace(string(data))
		ok := err == nil && g.take(ctx, c, set, t, last)
		for !ok {
			if !begun {
				g.say("%s\n", set.Begin())
				begun = true
			}
			g.say("\n%s: %s\n", t.Title, t.Where)
			text, err := g.askHidden(ctx, "Paste it here (it is not shown): ")
			if err != nil {
				return err
			}
			if text == "" { // Enter tries the last one again, after a network failure for example.
				text = last
			}
			if last = text; text == "" {
				continue
			}
			if ok = g.take(ctx, c, set, t, text); ok {
				if err := g.write(file, []byte(text+"\n")); err != nil {
					return err
				}
			}
		}
		lines = append(lines, t.Setting+": "+strconv.Quote("${file:"+path+"}"))
	}
	c.settings = append(lines, set.Settings()...)
	return nil
}

// take tries a token, and reports whether it was accepted.
func (g *guide) take(ctx context.Context, c *initChannel, set provider.Guide, t provider.Token, token string) bool {
	r := &doctor.Report{}
	set.Take(ctx, r, t.Setting, token)
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Found = strings.ReplaceAll(f.Found, c.Name+"."+t.Setting, "this token")
		if f.ID == c.Name+"/token" {
			f.Do = "" // The prompt says where the token is.
		}
	}
	return g.report(r)
}

// shownChannels is how many channels of a long list are shown.
const shownChannels = 15

// channel gets the channel to ask in: the one of an earlier run, or the one that the person chooses.
func (g *guide) channel(ctx context.Context, c *initChannel, set provider.Guide) error {
	choice, chosen := g.done.Channels[c.Name]
	var all []*provider.Channel
	for list := true; !chosen || !g.usable(ctx, set, choice); {
		chosen = false
		if list {
			var err error
			if all, err = set.Channels(ctx); err != nil {
				g.say("\n%s\n", sentence(err.Error()))
			} else {
				g.say("\nChannels:\n")
				g.list(all)
			}
		}
		text, err := g.ask(ctx, "Channel to ask in: a number, #name or ID. Enter lists them again: ")
		if err != nil {
			return err
		}
		if list = text == ""; list {
			continue
		}
		choice, chosen = g.find(all, c, text)
	}
	c.id, c.label = choice.ID, choice.String()
	g.done.Channels[c.Name] = choice
	return g.keep()
}

// usable reports whether the bot can ask in a channel, and tells the person what it lacks.
func (g *guide) usable(ctx context.Context, set provider.Guide, c provider.Channel) bool {
	r := &doctor.Report{}
	set.Channel(ctx, r, c.ID)
	ok := g.report(r)
	if !ok {
		g.say("Type the channel again when that is done, or another one.\n")
	}
	return ok
}

func (g *guide) list(channels []*provider.Channel) {
	for i, c := range channels[:min(len(channels), shownChannels)] {
		g.say("  %2d  %s\n", i+1, c)
	}
	if more := len(channels) - shownChannels; more > 0 {
		g.say("      and %d more: type a name, or a part of it\n", more)
	}
}

// find returns the channel of a number, name or ID. It lists what is similar to a name that does not match exactly one channel.
func (g *guide) find(all []*provider.Channel, c *initChannel, text string) (_ provider.Channel, found bool) {
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(all) {
		return *all[n-1], true
	}
	name := strings.ToLower(strings.TrimPrefix(text, "#"))
	var exact, similar []*provider.Channel
	for _, known := range all {
		switch {
		case known.ID == text:
			return *known, true
		case strings.EqualFold(known.Name, name), strings.EqualFold(known.String(), text):
			exact = append(exact, known)
		case strings.Contains(strings.ToLower(known.Name), name):
			similar = append(similar, known)
		}
	}
	switch {
	case len(exact) == 1:
		return *exact[0], true
	case len(exact) > 1:
		g.say("There are several: type the ID.\n")
		for _, known := range exact {
			g.say("  %s  %s\n", known.ID, known)
		}
	case c.Start.Form.MatchString(text): // A private channel, for example.
		return provider.Channel{ID: text}, true
	case len(similar) > 0:
		g.say("There is no #%s. Similar names:\n", name)
		for _, known := range similar[:min(len(similar), shownChannels)] {
			g.say("      %s\n", known)
		}
	default:
		g.say("There is no #%s. For a channel that is not listed type its ID, such as %s.\n", name, strings.TrimPrefix(c.Start.Wants, "an id such as "))
	}
	return provider.Channel{}, false
}

// finish writes the configuration and prints what comes next.
func (g *guide) finish() error {
	if err := g.answers.write(g.path); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(g.folder, progressFile)); err != nil {
		return fmt.Errorf("end the setup: %w", err)
	}
	cfg, err := load(g.path)
	if err == nil {
		_, err = app.New(cfg, nil)
	}
	if err != nil {
		return err
	}
	flag := ""
	if g.path != defaultConfig {
		flag = " --config " + g.path
	}
	g.say("\n%s is written; the tokens are in %s, which only you can read. Start the bridge:\n\n  askbridge serve%s\n", g.path, g.folder, flag)
	if g.answers.agent != "" {
		g.say("\nBefore that, and where agents run, set their token: export ASKBRIDGE_TOKEN=$(openssl rand -hex 24)\n")
	}
	g.say("\nThen ask from another terminal:\n\n  askbridge ask \"Deploy now?\" Yes No\n")
	return nil
}
