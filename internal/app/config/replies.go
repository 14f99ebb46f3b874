package config

import "github.com/askbridge/askbridge/ask"

// Replies configures which messages can answer a card.
type Replies struct {
	Mode      string   `yaml:"mode"`
	Languages []string `yaml:"languages"`
	Strict    bool     `yaml:"strict"`
}

// Replies converts the settings for the bridge; the zero value for nil.
func (r *Replies) Replies() ask.Replies {
	if r == nil {
		return ask.Replies{}
	}
	return ask.Replies{Mode: ask.ReplyMode(r.Mode), Languages: r.Languages, Strict: r.Strict}.Normal()
}
