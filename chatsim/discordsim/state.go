package discordsim

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// object is decoded JSON. The double parses raw JSON and shares no types with client libraries.
type object = map[string]any

// channel is a channel, a thread or a direct message with its messages.
type channel struct {
	Channel

	with     string // in a direct message: the other person
	messages []*message
	sent     int // number of messages ever sent, including deleted ones
}

// keep adds a message.
func (c *channel) keep(m *message) {
	c.messages = append(c.messages, m)
	c.sent++
}

// below returns the number of replies in a thread, given its number of messages: the first
// message of a forum post does not count.
func (c *channel) below(messages int) int {
	if messages > 0 && len(c.messages) > 0 && c.messages[0].id == c.ID {
		return messages - 1
	}
	return messages
}

// writers lists first followed by the other authors of the messages.
func (c *channel) writers(first string) []string {
	all := []string{first}
	for _, m := range c.messages {
		if !slices.Contains(all, m.author) {
			all = append(all, m.author)
		}
	}
	return all
}

// message is one stored message.
type message struct {
	id, channel string
	author      string
	content     string
	components  []object
	embeds      []any
	flags       int
	nonce       string
	reply       string // the message it replies to
	pings       string // the person a reply notifies
	onlyFor     string // the only person who sees an ephemeral message
	thinking    bool   // a deferred response without content yet
	posted      time.Time
	edited      time.Time
	cause       *interaction // the interaction it responds to
	attachments []*attachment
	poll        *poll
	allowed     mentions // its allowed mentions
	picks       map[string]picks
}

// picks are one person's values in the selects of a message or the fields of a form, by
// custom_id. A value is a list of values, or a text.
type picks map[string]any

// client is the state of one person's Discord client.
type client struct {
	form     *form
	warnings map[string]string // by message
}

// form is an open modal.
type form struct {
	id      string
	def     object // custom_id, title and components
	cause   *interaction
	picks   picks
	errors  map[string]string // by custom_id
	trouble string
}

// noncePost is a post with a nonce.
type noncePost struct {
	id string
	at time.Time
}

// Flags of a message.
// https://docs.discord.com/developers/resources/message#message-object-message-flags
const (
	flagSuppressEmbeds = 1 << 2
	flagEphemeral      = 1 << 6
	flagLoading        = 1 << 7
	flagSilent         = 1 << 12
	flagV2             = 1 << 15
)

// epoch is the start of Discord's ids. A test bubble's clock is long before it, so there the
// ids count from the start of the bubble, as if that were in 2024.
// https://docs.discord.com/developers/reference#snowflakes
var (
	epoch       = time.Date(2015, 1, 1, 0, 0, 0, 0, time.UTC)
	bubbleEpoch = time.Date(1990, 6, 1, 0, 0, 0, 0, time.UTC)
)

// newID returns an id; ids increase over time.
func (s *Server) newID() string {
	from := epoch
	if s.clock.Now().Before(epoch) {
		from = bubbleEpoch
	}
	id := uint64(s.clock.Since(from).Milliseconds()) << 22
	s.lastID = max(id, s.lastID+1)
	return strconv.FormatUint(s.lastID, 10)
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

// forgetWarnings removes the warnings below a changed message.
func (s *Server) forgetWarnings(id string) {
	for _, c := range s.clients {
		delete(c.warnings, id)
	}
}

// seenBy reports whether a person can see the channel.
func (s *Server) seenBy(c *channel, person string) bool {
	if c.with != "" {
		return c.with == person
	}
	p := s.person(person)
	return p != nil && !p.Outside && (c.Members == nil || slices.Contains(c.Members, person))
}

func (c *channel) find(id string) *message {
	for _, m := range c.messages {
		if m.id == id {
			return m
		}
	}
	return nil
}

func (c *channel) remove(gone *message) {
	c.messages = slices.DeleteFunc(c.messages, func(m *message) bool { return m == gone })
}

// directID returns the id of the bot's direct message with a person.
func directID(p *Person) string { return "7" + p.ID[1:] }

// direct returns the bot's direct message with a person.
func (s *Server) direct(p *Person) *channel {
	id := directID(p)
	c := s.channels[id]
	if c == nil {
		c = &channel{Channel: Channel{ID: id}, with: p.ID}
		s.channels[id] = c
	}
	return c
}

// sortedChannels lists every channel by id.
func (s *Server) sortedChannels() []*channel {
	return slices.SortedFunc(maps.Values(s.channels), func(a, b *channel) int { return strings.Compare(a.ID, b.ID) })
}

// allowed returns the bot's permissions in a channel.
func (s *Server) allowed(c *channel) Permission {
	denied := c.Denied
	if parent := s.channels[c.Parent]; parent != nil {
		denied |= parent.Denied
	}
	return everything &^ denied
}

// decode parses JSON and keeps numbers as they were written.
func decode(raw []byte) (any, error) {
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("discordsim: decode: %w", err)
	}
	if d.More() {
		return nil, fmt.Errorf("discordsim: decode: more than one value")
	}
	return v, nil
}

// objects converts decoded JSON to a list of objects.
func objects(v any) []object {
	if list, ok := v.([]object); ok {
		return list
	}
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

// flag returns a boolean member.
func flag(o object, name string, otherwise bool) bool {
	if b, ok := o[name].(bool); ok {
		return b
	}
	return otherwise
}

// number converts a whole number.
func number(v any) (int, bool) {
	switch n := v.(type) {
	case json.Number:
		i, err := strconv.Atoi(n.String())
		return i, err == nil
	case int:
		return n, true
	default:
		return 0, false
	}
}

// integer returns a whole-number member.
func integer(o object, name string, otherwise int) int {
	if n, ok := number(o[name]); ok {
		return n
	}
	return otherwise
}

// mustJSON encodes values built by the double, which always encode.
func mustJSON(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("discordsim: encode: " + err.Error())
	}
	return raw
}
