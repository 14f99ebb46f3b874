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

// object is decoded JSON. The double parses raw JSON and shares no types with client libraries.
type object = map[string]any

// conversation is a channel or a direct message with its messages.
type conversation struct {
	Channel

	with     string // in a direct message: the other person
	messages []*message
	posted   []time.Time // times of recent posts, for Options.PostPerSecond
}

// message is one stored message.
type message struct {
	channel, ts, thread string
	user                string // author; the bot's user id for the app
	text                string
	blocks              []object
	attachments         []any
	metadata            any
	editedAt            string
	changed             bool   // the app edited it; people do not always see an "edited" mark
	onlyFor             string // the only person who sees an ephemeral message
	posted              time.Time
	picks               map[string]picks // selections by person
	reactions           []reaction
	files               []*file
	locked              bool // no more replies in its thread
}

// client is the state of one person's Slack client.
type client struct {
	views    []*view           // open forms, top one last
	confirm  *confirmation     // open confirmation dialog
	warnings map[string]string // by control, see warningKey
}

// newTS returns a unique message timestamp; timestamps increase over time.
func (a *App) newTS() string {
	a.serial++
	return fmt.Sprintf("%d.%06d", a.clock.Now().Unix(), a.serial)
}

// newID returns an id such as V0000012.
func (a *App) newID(prefix string) string {
	a.serial++
	return fmt.Sprintf("%s%07d", prefix, a.serial)
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

// member reports whether the person or bot is a member of the conversation.
func (c *conversation) member(id string) bool { return slices.Contains(c.Members, id) }

func (c *conversation) find(ts string) *message {
	for _, m := range c.messages {
		if m.ts == ts {
			return m
		}
	}
	return nil
}

// locked reports whether a thread accepts no more replies.
func (c *conversation) locked(thread string) bool {
	root := c.find(thread)
	return root != nil && root.locked
}

func (c *conversation) remove(gone *message) {
	c.messages = slices.DeleteFunc(c.messages, func(m *message) bool { return m == gone })
}

// conversationFor resolves a channel argument: an id, a name with #, or a person, whose direct
// message with the bot is opened.
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

// objects converts decoded JSON that was checked to be a list of objects.
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

// text returns a string member, or "".
func text(o object, name string) string {
	s, _ := o[name].(string)
	return s
}

// child returns an object member, or nil.
func child(o object, name string) object {
	c, _ := o[name].(object)
	return c
}

// number converts a whole number.
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

// adopt copies validated blocks and generates missing block ids.
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

// spellOut adds the text object members that Slack fills in: responses are not byte for byte
// what the app sent.
func spellOut(o object) {
	name, otherwise := "emoji", true
	if text(o, "type") == "mrkdwn" {
		name, otherwise = "verbatim", false
	}
	if _, given := o[name]; !given {
		o[name] = otherwise
	}
}

// elementsOf lists the elements of a block at any depth.
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
