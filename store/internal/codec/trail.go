package codec

import (
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
)

// storedTrail is what auditors read, as it is stored.
type storedTrail struct {
	Seq     int64         `json:"n"`
	Refused int           `json:"re,omitempty"`
	Events  []storedEvent `json:"ev,omitempty"`
}

type storedEvent struct {
	Seq      int64            `json:"n"`
	At       Micros           `json:"a"`
	Kind     record.EventKind `json:"k"`
	Revision int64            `json:"fa,omitempty"`
	By       ask.Person       `json:"b,omitzero"`
	Act      string           `json:"m,omitempty"`
	Detail   string           `json:"d,omitempty"`
	Choices  []ask.Choice     `json:"c,omitempty"`
	Text     string           `json:"t,omitempty"`
}

func (s *storedTrail) trail() *record.Trail {
	if s == nil {
		return nil
	}
	t := &record.Trail{Seq: s.Seq, Refused: s.Refused}
	if s.Events != nil {
		t.Events = make([]record.Event, len(s.Events))
	}
	for n := range s.Events {
		e := &s.Events[n]
		t.Events[n] = record.Event{
			Seq: e.Seq, At: e.At.Time(), Kind: e.Kind, Revision: e.Revision, By: e.By, Act: e.Act, Detail: e.Detail, Choices: e.Choices, Text: e.Text,
		}
	}
	return t
}
