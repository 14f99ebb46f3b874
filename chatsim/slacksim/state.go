package slacksim

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/askbridge/askbridge/chatsim/internal/double"
)

// object is decoded JSON. The double reads what it is sent as raw JSON and shares no types with any client library.
type object = map[string]any

// conversation is a channel or a direct message, with what was said in it.
type conversation struct {
	Channel

	with     string // in a direct message: the other person
	messages []*message
	posted   []time.Time // when posts were accepted lately, for Options.PostPerSecond
}

// message is one message as the workspace stores it.
type message struct {
	channel, ts, thread string
	user                string // who wrote it; the bot's user id for ours
	text                string
	blocks              []object
	attachments         []any
	metadata            any
	editedAt            string
	changed             bool   // the app edited it, which people are not always told
	onlyFor             string // an ephemeral message is seen by this person
	posted              time.Time
	picks               map[string]picks // each person's own choices in their client
	reactions           []reaction
	files               []*file
	locked              bool // nobody answers in its thread any more
}

// client is the state of one person's Slack application.
type client struct {
	views    []*view           // open forms, the top one last
	confirm  *confirmation     // a dialog that asks whether a press was meant
	warnings map[string]string // by control, see warningKey
}

// token is one credential and what it may do.
type token struct {
	value  string
	bot    bool
	scopes []string
	until  time.Time // when a token that is rotated ends
	state  string    // "" or Slack's error word for a token that no longer works
}

// newTS makes a message's timestamp: unique, and growing with time.
func (s *Server) newTS() string {
	s.serial++
	return fmt.Sprintf("%d.%06d", s.clock.Now().Unix(), s.serial)
}

// newID makes an id such as V0000012.
func (s *Server) newID(prefix string) string {
	s.serial++
	return fmt.Sprintf("%s%07d", prefix, s.serial)
}

func (s *Server) person(id string) *Person {
	i := slices.IndexFunc(s.people, func(p Person) bool { return p.ID == id })
	if i < 0 {
		return nil
	}
	return &s.people[i]
}

func (s *Server) client(person string) *client {
	c := s.clients[person]
	if c == nil {
		c = &client{warnings: map[string]string{}}
		s.clients[person] = c
	}
	return c
}

// member tells whether the person (or the bot) belongs to the conversation.
func (c *conversation) member(id string) bool { return slices.Contains(c.Members, id) }

func (c *conversation) find(ts string) *message {
	for _, m := range c.messages {
		if m.ts == ts {
			return m
		}
	}
	return nil
}

// locked tells whether nobody can answer in a thread any more.
func (c *conversation) locked(thread string) bool {
	root := c.find(thread)
	return root != nil && root.locked
}

func (c *conversation) remove(gone *message) {
	c.messages = slices.DeleteFunc(c.messages, func(m *message) bool { return m == gone })
}

// conversationFor finds what the argument channel names: an id, a name with #, or a person, whose direct message with
// the bot is opened.
func (s *Server) conversationFor(name string) *conversation {
	if c := s.conversations[name]; c != nil {
		return c
	}
	if plain, named := strings.CutPrefix(name, "#"); named {
		for _, c := range s.conversations {
			if c.Name == plain && c.with == "" {
				return c
			}
		}
	}
	if p := s.person(name); p != nil && !p.Bot && !p.Disabled {
		return s.direct(p)
	}
	return nil
}

// direct returns the bot's direct message with a person.
func (s *Server) direct(p *Person) *conversation {
	id := "D" + p.ID[1:]
	c := s.conversations[id]
	if c == nil {
		c = &conversation{Channel: Channel{ID: id, Members: []string{p.ID, s.opts.BotUser}}, with: p.ID}
		s.conversations[id] = c
	}
	return c
}

// sortedConversations lists every conversation by id.
func (s *Server) sortedConversations() []*conversation {
	return slices.SortedFunc(maps.Values(s.conversations), func(a, b *conversation) int {
		return strings.Compare(a.ID, b.ID)
	})
}

// objects turns decoded JSON into a list of objects; it is checked before that it is one.
func objects(v any) []object {
	list, _ := v.([]any)
	out := make([]object, 0, len(list))
	for _, item := range list {
		if o, ok := item.(object); ok {
			out = append(out, o)
		}
	}
	return out
}

// text reads a string member, and "" where there is none.
func text(o object, name string) string {
	s, _ := o[name].(string)
	return s
}

// child reads an object member, and nil where there is none.
func child(o object, name string) object {
	c, _ := o[name].(object)
	return c
}

// number reads a whole number.
func number(v any) (int, bool) {
	switch n := v.(type) {
	case json.Number:
		i, err := strconv.Atoi(n.String())
		return i, err == nil
	case float64:
		return int(n), n == float64(int(n))
	default:
		return 0, false
	}
}

// adopt copies blocks that passed the checks and gives ids to those that came without.
func (s *Server) adopt(blocks []object) []object {
	out := make([]object, 0, len(blocks))
	for _, b := range blocks {
		b, _ := double.Clone(b).(object)
		walkTexts(b, spellOut)
		if text(b, "block_id") == "" {
			b["block_id"] = s.newID("b")
		}
		for _, e := range elementsOf(b) {
			if interactive(text(e, "type")) && text(e, "action_id") == "" {
				e["action_id"] = s.newID("a")
			}
		}
		out = append(out, b)
	}
	return out
}

// spellOut adds the members of a text object that Slack adds: what an app gets back is not byte for byte what it sent.
func spellOut(o object) {
	name, otherwise := "emoji", true
	if text(o, "type") == "mrkdwn" {
		name, otherwise = "verbatim", false
	}
	if _, given := o[name]; !given {
		o[name] = otherwise
	}
}

// elementsOf lists the elements of a block wherever they stand in it.
func elementsOf(block object) []object {
	var out []object
	for _, name := range []string{"accessory", "element"} {
		if e := child(block, name); e != nil {
			out = append(out, e)
		}
	}
	if kind := text(block, "type"); kind == "actions" || kind == "context_actions" {
		out = append(out, objects(block["elements"])...)
	}
	return out
}
