package page

import (
	"bytes"
	"encoding/json"
	"sync"
	"time"

	"github.com/askbridge/askbridge/chatsim"
)

// maxNotes is how many notes a Log keeps, so that a program that runs for days does not grow.
const maxNotes = 200

// Log is what the host program shows beside the chat: what its agent asked and what it got. The zero value is empty and
// ready, and any number of goroutines may add to it.
type Log struct {
	changed chatsim.Signal

	mu    sync.Mutex
	next  int
	notes []note
}

// note is one entry of a Log.
type note struct {
	Seq   int       `json:"seq"`
	At    time.Time `json:"at"`
	Title string    `json:"title"`
	Text  string    `json:"text"`
}

// Add shows a text under a title. A text that is JSON is indented for its reader.
func (l *Log) Add(title, text string) {
	var pretty bytes.Buffer
	if json.Indent(&pretty, []byte(text), "", "  ") == nil {
		text = pretty.String()
	}
	l.mu.Lock()
	l.next++
	l.notes = append(l.notes, note{Seq: l.next, At: time.Now(), Title: title, Text: text})
	if len(l.notes) > maxNotes {
		l.notes = append([]note(nil), l.notes[len(l.notes)-maxNotes:]...)
	}
	l.mu.Unlock()
	l.changed.Notify()
}

// since returns the notes after the one with this number.
func (l *Log) since(seq int) []note {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := []note{}
	for _, n := range l.notes {
		if n.Seq > seq {
			out = append(out, n)
		}
	}
	return out
}
