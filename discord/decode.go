package discord

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/components"
)

// The handled interactions; see
// https://docs.discord.com/developers/interactions/receiving-and-responding.
const (
	typePing      = 1
	typeCommand   = 2
	typeComponent = 3
	typeModal     = 5
)

// ephemeral is the flag of an ephemeral message.
const ephemeral = 1 << 6

// maxDepth is the maximum nesting depth of decoded components; Discord uses three levels.
const maxDepth = 8

// maxName is the maximum length of a name; Discord's have 32 characters.
const maxName = 80

// payload contains the members of an interaction that are used. Decoding more could fail on
// unknown content of the message and lose a click.
type payload struct {
	ID          string `json:"id"`
	Application string `json:"application_id"`
	Type        int    `json:"type"`
	// Token is a credential for fifteen minutes: never log it.
	Token   string `json:"token"`
	Guild   string `json:"guild_id"`
	Channel string `json:"channel_id"`
	// Locale is the language of the person's client
	// (https://docs.discord.com/developers/reference#locales).
	Locale  string  `json:"locale"`
	Member  member  `json:"member"` // in a server
	User    user    `json:"user"`   // in a direct message
	Message message `json:"message"`
	Data    struct {
		Name    string `json:"name"` // of a command
		Options []struct {
			Name string `json:"name"`
		} `json:"options"`
		CustomID   string   `json:"custom_id"`
		Values     []string `json:"values"`
		Components []part   `json:"components"`
		// Resolved contains the people selected in a form.
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

// guest is the flag of a person invited to a single voice channel
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
	// Cause is the interaction that the message is a response to, with the message whose control was
	// used (https://docs.discord.com/developers/resources/message#message-interaction-metadata-object).
	Cause struct {
		Type int    `json:"type"`
		Used string `json:"interacted_message_id"`
	} `json:"interaction_metadata"`
}

// part is a component of a submitted form: an input, or a container.
type part struct {
	CustomID string `json:"custom_id"`
	// Value is the typed text or the single selected value; null for none.
	Value *string `json:"value"`
	// Values are the values selected in a list.
	Values     []string `json:"values"`
	Component  *part    `json:"component"`  // in a label
	Components []part   `json:"components"` // in a row
}

// typed returns the text typed into a part.
func (p part) typed() string {
	if p.Value == nil {
		return ""
	}
	return *p.Value
}

// Reasons to ignore an interaction.
var (
	errUnwanted = errors.New("not an act we wait for")
	errForeign  = errors.New("another application")
	errUnknown  = errors.New("a control that is not ours")
)

// decode parses a payload. It fails only for input that is not JSON.
func decode(raw []byte) (*payload, error) {
	var p payload
	if err := connector.ReadLoosely(raw, &p); err != nil {
		return nil, fmt.Errorf("discord: payload: %w", err)
	}
	return &p, nil
}

// interaction converts the payload to the bridge's type. application is the bot's application
// id, or empty if unknown.
func (p *payload) interaction(application string) (platform.Interaction, error) {
	if p.Type != typeComponent && p.Type != typeModal && !p.opensInbox() {
		return platform.Interaction{}, errUnwanted
	}
	if application != "" && p.Application != application {
		return platform.Interaction{}, errForeign
	}
	// Ids contain their creation time, so a later action has a larger one
	// (https://docs.discord.com/developers/reference#snowflakes).
	order, err := strconv.ParseInt(p.ID, 10, 64)
	who := p.who()
	if err != nil || order <= 0 || p.Token == "" || !snowflake.MatchString(who.ID) || !snowflake.MatchString(p.Application) {
		return platform.Interaction{}, errUnwanted
	}
	i := platform.Interaction{
		ID: Name + ":" + p.ID, Order: order,
		Person:   ask.Person{Platform: Name, ID: who.ID, Name: nameOf(p.Member.Nick, who)},
		Groups:   p.groups(),
		Bot:      who.Bot || who.System,
		Language: p.Locale,
		Message:  p.ref(),
		Private:  p.private(),

		Membership: p.belongs(application),
	}
	if i.Inbox = p.opensInbox() || p.inInbox(); i.Inbox {
		i.Message = inboxRef()
	}
	if p.opensInbox() {
		i.Token = render.InboxToken(0)
		return i, nil
	}
	if p.Type == typeModal {
		if i.Token, err = components.ModalToken(p.Data.CustomID); err != nil {
			return platform.Interaction{}, errUnknown
		}
		i.Opened = opened(p.Data.CustomID)
		var f filled
		f.take(i.Token.Request, p.Data.Components, 0)
		i.Picks, i.Texts, i.Notes = f.picks, f.texts, f.notes
		i.Chosen = p.chosen(f.chosen)
		return i, nil
	}
	if i.Token, err = render.ParseToken(p.Data.CustomID); err != nil {
		return platform.Interaction{}, errUnknown
	}
	if i.Token.Verb == render.Pick {
		i.Picks = map[int][]int{i.Token.Question: indexes(p.Data.Values)}
	}
	return i, nil
}

// opened returns the order of the press that opened a form; its interaction id is part of the
// form's id. A truncated id yields a smaller number, as if the form had shown less.
func opened(form string) int64 {
	press, err := strconv.ParseInt(components.ModalUnique(form), 10, 64)
	if err != nil || press < 0 {
		return 0
	}
	return press
}

// who returns the acting person: a member of a server, or a user in a direct message.
func (p *payload) who() user {
	if p.Member.User.ID != "" {
		return p.Member.User
	}
	return p.User
}

// belongs returns the person's membership in the server where they acted, which is the card's.
// It is unknown while the application id is unknown, and in direct messages.
func (p *payload) belongs(application string) ask.Membership {
	switch {
	case application == "", !snowflake.MatchString(p.Guild), p.Member.User.ID == "":
		return ask.Unknown
	case p.Member.Flags&guest != 0:
		return ask.Guest
	}
	return ask.Member
}

// nameOf returns the name that others see. People can enter anything there.
func nameOf(nick string, u user) string {
	return render.Cut(render.Line(cmp.Or(render.Line(nick), render.Line(u.GlobalName), u.Username)), maxName, nil)
}

// groups returns the person's roles in the server where they acted; none in direct messages.
func (p *payload) groups() []string {
	if p.Member.User.ID == "" {
		return nil
	}
	return rolesOf(p.Member)
}

// rolesOf returns a member's roles as entries.
func rolesOf(m member) []string {
	var groups []string
	for _, role := range m.Roles {
		if snowflake.MatchString(role) {
			groups = append(groups, ask.Entry{Platform: Name, Kind: "role", ID: role}.String())
		}
	}
	return groups
}

// ref returns the card that was used, or whose button opened the form. For an ephemeral message it is
// the card whose button the message is a response to.
func (p *payload) ref() platform.MessageRef {
	channel, id := cmp.Or(p.Message.Channel, p.Channel), p.Message.ID
	if p.private() && snowflake.MatchString(p.Message.Cause.Used) {
		id = p.Message.Cause.Used
	}
	if !snowflake.MatchString(channel) || !snowflake.MatchString(id) {
		return platform.MessageRef{}
	}
	return platform.MessageRef{Platform: Name, Channel: channel, Message: id}
}

// private reports whether the used control, or the one that opened the form, is on an ephemeral message.
// An inbox is not about one card.
func (p *payload) private() bool { return p.Message.Flags&ephemeral != 0 && !p.inInbox() }

// filled contains the values of a form, by question. A list without a selection is present with
// an empty selection.
type filled struct {
	picks        map[int][]int
	texts, notes map[int]string
	chosen       string // the selected person, if a form asks for one
}

// take adds the selections and texts of the parts of a form, recursively.
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

// chosen returns the selected person from the resolved data; nil if absent.
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

// indexes parses option indexes; never nil.
func indexes(values []string) []int {
	found := []int{}
	for _, v := range values {
		if n, err := strconv.Atoi(v); err == nil && n >= 0 && strconv.Itoa(n) == v {
			found = append(found, n)
		}
	}
	return found
}

// snowflakeEpoch is the start of ids, in milliseconds since 1970
// (https://docs.discord.com/developers/reference#snowflakes).
const snowflakeEpoch = 1420070400000

// made returns the creation time of an id, by Discord's clock.
func made(id string) time.Time {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return time.Now() // Ids are validated before; treat an invalid one as new.
	}
	return time.UnixMilli(n>>22 + snowflakeEpoch)
}

var (
	// snowflake matches Discord ids (https://docs.discord.com/developers/reference#snowflakes).
	snowflake = regexp.MustCompile(`^[1-9][0-9]{16,19}$`)
	version   = regexp.MustCompile(`^v[0-9]+$`)
)
