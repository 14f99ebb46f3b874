package codec

import (
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
)

// storedAskedBack is what a person asked the agent, as it is stored.
type storedAskedBack struct {
	Number    int        `json:"n"`
	By        ask.Person `json:"by"`
	Text      string     `json:"te"`
	At        Micros     `json:"at"`
	Reply     string     `json:"re,omitempty"`
	RepliedAt Micros     `json:"ra,omitempty"`
	Place     int        `json:"pl,omitempty"`
}

func storedAskedBackOf(all []record.AskedBack) []storedAskedBack {
	var stored []storedAskedBack
	for _, a := range all {
		stored = append(stored, storedAskedBack{a.Number, a.By, a.Text, MicrosOf(a.At), a.Reply, MicrosOf(a.RepliedAt), a.Place})
	}
	return stored
}

func askedBackOf(stored []storedAskedBack) []record.AskedBack {
	var all []record.AskedBack
	for _, s := range stored {
		asked := ask.AskedBack{Number: s.Number, By: s.By, Text: s.Text, At: s.At.Time(), Reply: s.Reply, RepliedAt: s.RepliedAt.Time()}
		all = append(all, record.AskedBack{AskedBack: asked, Place: s.Place})
	}
	return all
}

// storedReceipt is whether the agent has taken what was decided, as it is stored.
type storedReceipt struct {
	TakenAt Micros `json:"at,omitempty"`
	Missing bool   `json:"mi,omitempty"`
}

func storedReceiptOf(r *record.Receipt) *storedReceipt {
	if r == nil {
		return nil
	}
	return &storedReceipt{MicrosOf(r.TakenAt), r.Missing}
}

func (s *storedReceipt) receipt() *record.Receipt {
	if s == nil {
		return nil
	}
	return &record.Receipt{TakenAt: s.TakenAt.Time(), Missing: s.Missing}
}
