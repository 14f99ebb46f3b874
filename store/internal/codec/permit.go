package codec

import (
	"time"

	"github.com/askbridge/askbridge/ask"
)

// storedPermit is what a request for a permission offers beyond its call, as it is stored.
type storedPermit struct {
	Key    string        `json:"k"`
	What   string        `json:"w,omitempty"`
	Allow  string        `json:"a"`
	Offers []storedOffer `json:"o,omitempty"`
}

type storedOffer struct {
	Label string        `json:"l"`
	Scope ask.Same      `json:"s"`
	For   time.Duration `json:"f"`
}

func storedPermitOf(p *ask.Permit) *storedPermit {
	if p == nil {
		return nil
	}
	s := &storedPermit{Key: p.Key, What: p.What, Allow: p.Allow}
	for _, o := range p.Offers {
		s.Offers = append(s.Offers, storedOffer{o.Label, o.Scope, o.For})
	}
	return s
}

func (s *storedPermit) permit() *ask.Permit {
	if s == nil {
		return nil
	}
	p := &ask.Permit{Key: s.Key, What: s.What, Allow: s.Allow}
	for _, o := range s.Offers {
		p.Offers = append(p.Offers, ask.Offer{Label: o.Label, Grants: ask.Grants{Scope: o.Scope, For: o.For}})
	}
	return p
}
