package config

import "github.com/askbridge/askbridge/ask"

// Replies says what messages beside a card can answer.
type Replies struct {
	Mode      string   `yaml:"mode"`
	Languages []string `yaml:"languages"`
	Strict    bool     `yaml:"strict"`
}

// Replies returns them as the bridge knows them; the zero value for nil.
func (r *Replies) Replies() ask.Replies {
	if r == nil {
		return ask.Replies{}
	}
	return ask.Replies{Mode: ask.ReplyMode(r.Mode), Languages: r.Languages, Strict: r.Strict}.Normal()
}
