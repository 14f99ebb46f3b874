package discord

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/components"
)

// The interactions we act on; see
// https://docs.discord.com/developers/interactions/receiving-and-responding.
const (
	typePing      = 1
	typeComponent = 3
	typeModal     = 5
)

// ephemeral marks a message that one person sees.
const ephemeral = 1 << 6

// maxDepth is how deep components are read; Discord nests them three deep.
const maxDepth = 8

// maxName is how long a name may be; Discord's have 32 characters.
const maxName = 80

// payload is the part of an interaction that we read. One part of the message
// that a stricter decoder does not know would cost somebody's click.
type payload struct {
	ID          string `json:"id"`
	Application string `json:"application_id"`
	Type        int    `json:"type"`
	// Token is as good as a password for fifteen minutes: it is never logged.
	Token   string `json:"token"`
	Guild   string `json:"guild_id"`
	Channel string `json:"channel_id"`
	// Locale is the language that the person has chosen in their client
	// (https://docs.discord.com/developers/reference#locales).
	Locale  string  `json:"locale"`
	Member  member  `json:"member"` // in a server
	User    user    `json:"user"`   // in a direct message
	Message message `json:"message"`
	Data    struct {
		CustomID   string   `json:"custom_id"`
		Values     []string `json:"values"`
		Components []part   `json:"components"`
		// Resolved are the people who were chosen in a form.
		Resolved struct {
			Users   map[string]user   `json:"users"`
			Members map[string]member `json:"members"`
		} `json:"resolved"`
	} `json:"data"`
}

type member struct {
	User  user     `json:"user"`
	Nick  string   `json:"nick"`
	Roles []string `json:"roles"`
	Flags int      `json:"flags"`
}

// guest is the flag of somebody who was invited into one voice channel and
// belongs to nothing else
// (https://docs.discord.com/developers/resources/guild#guild-member-object-guild-member-flags).
const guest = 1 << 4

type user struct {
	ID         string `json:"id"`
	Username   string `json:"username"`
	GlobalName string `json:"global_name"`
	Bot        bool   `json:"bot"`
	System     bool   `json:"system"`
}

type message struct {
	ID      string `json:"id"`
	Channel string `json:"channel_id"`
	Flags   int    `json:"flags"`
}

// part is one part of a submitted form: something filled in, or what holds such
// parts.
type part struct {
	CustomID string `json:"custom_id"`
	// Value is what was typed, or the one thing chosen; null for nothing.
	Value *string `json:"value"`
	// Values is what was chosen from a list.
	Values     []string `json:"values"`
	Component  *part    `json:"component"`  // in a label
	Components []part   `json:"components"` // in a row
}

// typed is what was typed into a part.
func (p part) typed() string {
	if p.Value == nil {
		return ""
	}
	return *p.Value
}

// Why an interaction is not for the bridge.
var (
	errUnwanted = errors.New("not an act we wait for")
	errForeign  = errors.New("another application")
	errUnknown  = errors.New("a control that is not ours")
)

// decode reads a payload. It fails only for what is no JSON at all.
func decode(raw []byte) (*payload, error) {
	var p payload
	if err := connector.ReadLoosely(raw, &p); err != nil {
		return nil, fmt.Errorf("discord: payload: %w", err)
	}
	return &p, nil
}

// interaction turns the payload into what the bridge understands. The
// application is ours, or empty while nobody knows.
func (p *payload) interaction(application string) (bridge.Interaction, error) {
	if p.Type != typeComponent && p.Type != typeModal {
		return bridge.Interaction{}, errUnwanted
	}
	if application != "" && p.Application != application {
		return bridge.Interaction{}, errForeign
	}
	// An id says when it was made, so a later act has a larger one
	// (https://docs.discord.com/developers/reference#snowflakes).
	order, err := strconv.ParseInt(p.ID, 10, 64)
	who := p.who()
	if err != nil || order <= 0 || p.Token == "" || !snowflake.MatchString(who.ID) || !snowflake.MatchString(p.Application) {
		return bridge.Interaction{}, errUnwanted
	}
	i := bridge.Interaction{
		ID: Name + ":" + p.ID, Order: order,
		Person:   ask.Person{Platform: Name, ID: who.ID, Name: nameOf(p.Member.Nick, who)},
		Groups:   p.groups(),
		Bot:      who.Bot || who.System,
		Language: p.Locale,
		Message:  p.ref(),

		Membership: p.belongs(application),
	}
	if p.Type == typeModal {
		if i.Token, err = components.ModalToken(p.Data.CustomID); err != nil {
			return bridge.Interaction{}, errUnknown
		}
		i.Opened = opened(p.Data.CustomID)
		var f filled
		f.take(i.Token.Request, p.Data.Components, 0)
		i.Picks, i.Texts, i.Notes = f.picks, f.texts, f.notes
		i.Chosen = p.chosen(f.chosen)
		return i, nil
	}
	if i.Token, err = render.ParseToken(p.Data.CustomID); err != nil {
		return bridge.Interaction{}, errUnknown
	}
	if i.Token.Verb == render.Pick {
		i.Picks = map[int][]int{i.Token.Question: indexes(p.Data.Values)}
	}
	return i, nil
}

// opened is the order of the press that opened a form: its id makes that of the form
// differ from others. Where that had no room for all of it, what is left is a smaller
// number: as if the form had shown less.
func opened(form string) int64 {
	press, err := strconv.ParseInt(components.ModalUnique(form), 10, 64)
	if err != nil || press < 0 {
		return 0
	}
	return press
}

// who acted: a member of a server, or a user in a direct message.
func (p *payload) who() user {
	if p.Member.User.ID != "" {
		return p.Member.User
	}
	return p.User
}

// belongs is how the person belongs to the server in which they acted, which is
// that of the card. Nobody is known to belong to anything while we do not know
// which application we are, nor in a direct message.
func (p *payload) belongs(application string) ask.Membership {
	switch {
	case application == "", !snowflake.MatchString(p.Guild), p.Member.User.ID == "":
		return ask.Unknown
	case p.Member.Flags&guest != 0:
		return ask.Guest
	}
	return ask.Member
}

// nameOf is the name that the people beside them see. Anybody can write anything
// there.
func nameOf(nick string, u user) string {
	return render.Cut(render.Line(cmp.Or(render.Line(nick), render.Line(u.GlobalName), u.Username)), maxName, nil)
}

// groups are the person's roles in the server where they acted; direct messages
// have none.
func (p *payload) groups() []string {
	if p.Member.User.ID == "" {
		return nil
	}
	return rolesOf(p.Member)
}

// rolesOf are a member's roles as entries.
func rolesOf(m member) []string {
	var groups []string
	for _, role := range m.Roles {
		if snowflake.MatchString(role) {
			groups = append(groups, ask.Entry{Platform: Name, Kind: "role", ID: role}.String())
		}
	}
	return groups
}

// ref is the card that was used, or whose button opened the form. A message that
// one person sees is none: it cannot be updated for long.
func (p *payload) ref() bridge.MessageRef {
	channel := cmp.Or(p.Message.Channel, p.Channel)
	if p.Message.Flags&ephemeral != 0 || !snowflake.MatchString(channel) || !snowflake.MatchString(p.Message.ID) {
		return bridge.MessageRef{}
	}
	return bridge.MessageRef{Platform: Name, Channel: channel, Message: p.Message.ID}
}

// filled is what the parts of a form hold, by question. A list in which nothing is
// selected is there, with an empty selection.
type filled struct {
	picks        map[int][]int
	texts, notes map[int]string
	chosen       string // the person, where a form asks for one
}

// take adds what is selected and typed in the parts of a form, and in those within them.
func (f *filled) take(request string, parts []part, depth int) {
	if depth > maxDepth {
		return
	}
	for _, p := range parts {
		f.take(request, p.Components, depth+1)
		if p.Component != nil {
			f.take(request, []part{*p.Component}, depth+1)
		}
		token, err := render.ParseToken(p.CustomID)
		if err != nil || token.Request != request {
			continue
		}
		switch token.Verb {
		case render.Pick:
			values := p.Values
			if p.Value != nil {
				values = append([]string{*p.Value}, values...)
			}
			f.picks = connector.With(f.picks, token.Question, indexes(values))
		case render.SubmitText:
			f.texts = connector.With(f.texts, token.Question, p.typed())
		case render.SubmitPass:
			if len(p.Values) == 1 {
				f.chosen = p.Values[0]
			}
		case render.SubmitNote:
			f.notes = connector.With(f.notes, token.Question, p.typed())
		}
	}
}

// chosen is the person with an id, as Discord tells of them together with the choice; nil
// for nobody of whom it tells.
func (p *payload) chosen(id string) *ask.Responder {
	who, known := p.Data.Resolved.Users[id]
	if !known || !snowflake.MatchString(id) {
		return nil
	}
	m, member := p.Data.Resolved.Members[id]
	chosen := &ask.Responder{
		Person: ask.Person{Platform: Name, ID: id, Name: nameOf(m.Nick, who)},
		Groups: rolesOf(m), Membership: ask.Outsider, Bot: who.Bot || who.System,
	}
	switch {
	case member && m.Flags&guest != 0:
		chosen.Membership = ask.Guest
	case member:
		chosen.Membership = ask.Member
	}
	return chosen
}

// indexes reads option indexes; never nil.
func indexes(values []string) []int {
	found := []int{}
	for _, v := range values {
		if n, err := strconv.Atoi(v); err == nil && n >= 0 && strconv.Itoa(n) == v {
			found = append(found, n)
		}
	}
	return found
}

// snowflakeEpoch is when ids begin to count, in milliseconds since 1970
// (https://docs.discord.com/developers/reference#snowflakes).
const snowflakeEpoch = 1420070400000

// made is when Discord made the thing with this id, by Discord's clock.
func made(id string) time.Time {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return time.Now() // Ids are checked before; nobody is late for an odd one.
	}
	return time.UnixMilli(n>>22 + snowflakeEpoch)
}
