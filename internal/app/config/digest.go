package config

import "github.com/askbridge/askbridge/ask"

// Digest is a message that lists what waits. The bridge checks it.
type Digest struct {
	To   []Target `yaml:"to"`
	At   []string `yaml:"at"`
	Days string   `yaml:"days"`
	Zone string   `yaml:"zone"`
}

// Digests converts the digests for the bridge.
func (c *Config) Digests() []ask.Digest {
	var all []ask.Digest
	for _, digest := range c.Digest {
		next := ask.Digest{At: digest.At, Days: digest.Days, Zone: digest.Zone}
		for _, t := range digest.To {
			next.To = append(next.To, ask.Place(t))
		}
		all = append(all, next)
	}
	return all
}
