package config

import (
	"errors"
	"fmt"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// People maps names to the accounts of a person on platforms.
type People map[string][]string

// Policy is how many people decide.
type Policy struct {
	Mode    string         `yaml:"mode"`
	Need    Need           `yaml:"need"`
	Needs   map[string]int `yaml:"needs"`
	Dismiss int            `yaml:"dismiss"`
	Show    string         `yaml:"show"`
	Change  Change         `yaml:"change"`
}

// Voting converts the policy for the bridge; the zero value for nil.
func (p *Policy) Voting() ask.Voting {
	if p == nil {
		return ask.Voting{}
	}
	v := ask.Voting{Mode: ask.Mode(p.Mode), Need: ask.Need(p.Need), Needs: p.Needs, Dismiss: p.Dismiss, Show: ask.Show(p.Show)}
	if v.Mode == "first" {
		v.Mode = ask.First
	}
	if v.Show == "live" {
		v.Show = ask.ShowLive
	}
	if p.Change == changeNever {
		v.Change = new(false)
	}
	return v.Normal()
}

// Need is a number of people, all or majority.
type Need int

func (n *Need) scan(text string) error {
	need, ok := ask.ParseNeed(text)
	if !ok {
		return errors.New("must be a number of at least 1, all or majority")
	}
	*n = Need(need)
	return nil
}

// Hold is how long a decision can be undone.
type Hold time.Duration

func (h *Hold) scan(text string) error {
	span, err := ask.ParseHold(text)
	if err != nil {
		return fmt.Errorf("must be a duration from %s to %s, such as 10s", ask.MinHold, ask.MaxHold)
	}
	*h = Hold(span)
	return nil
}

// AskBack is whether people can ask the agent.
type AskBack ask.AskBack

func (a *AskBack) scan(text string) error {
	if len(ask.AskBack(text).Check("")) > 0 {
		return errors.New("must be off, stay or end")
	}
	*a = AskBack(text)
	return nil
}

// Change is whether a vote can be changed; by default it can.
type Change string

const (
	changeAlways Change = "true"
	changeNever  Change = "false"
)

func (c *Change) scan(text string) error {
	if *c = Change(text); *c != changeAlways && *c != changeNever {
		return errors.New("must be true or false")
	}
	return nil
}

// Grants limits how widely and how long people may allow repeated calls.
type Grants struct {
	Scope string `yaml:"scope"`
	For   Span   `yaml:"for"`
}

// Grants converts the settings for the bridge; the zero value for nil.
func (g *Grants) Grants() ask.Grants {
	if g == nil {
		return ask.Grants{}
	}
	return ask.Grants{Scope: ask.Same(g.Scope), For: time.Duration(g.For)}
}
