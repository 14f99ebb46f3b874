package discordsim

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/askbridge/askbridge/chatsim"
)

// Types of application commands.
// https://docs.discord.com/developers/interactions/application-commands#application-command-object-application-command-types
const (
	commandChat    = 1
	commandUser    = 2
	commandMessage = 3
)

// commandMost is the maximum number of commands of each type per scope.
// https://docs.discord.com/developers/interactions/application-commands#registering-a-command
var commandMost = map[int]int{commandChat: 100, commandUser: 15, commandMessage: 15}

// chatName matches chat command names; capitals are rejected separately.
// https://docs.discord.com/developers/interactions/application-commands#application-command-object-application-command-naming
// It is compiled lazily because it costs a megabyte and a millisecond, and only tests need it.
var chatName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[-_'\p{L}\p{N}\p{Devanagari}\p{Thai}]{1,32}$`)
})

// command is a registered command, global or of this guild.
type command struct {
	id, guild string
	def       object
}

func (c *command) name() string { return text(c.def, "name") }

// optionSubcommand is the type of an option that is a command of its own.
// https://docs.discord.com/developers/interactions/application-commands#application-command-object-application-command-option-type
const optionSubcommand = 1

// subcommand reports whether a command can be run as one of its subcommands; "" is the command itself, which
// clients do not offer if it has subcommands.
func (c *command) subcommand(name string) bool {
	all := objects(c.def["options"])
	named := slices.ContainsFunc(all, func(o object) bool { return integer(o, "type", 3) == optionSubcommand && text(o, "name") == name })
	return named || name == "" && !slices.ContainsFunc(all, func(o object) bool { return integer(o, "type", 3) == optionSubcommand })
}

// plain lists the forms of a chat command that need no options.
func (c *command) plain() []string {
	if c.kind() != commandChat {
		return nil
	}
	needed := func(o object) bool { return flag(o, "required", false) }
	if c.subcommand("") {
		if slices.ContainsFunc(objects(c.def["options"]), needed) {
			return nil
		}
		return []string{c.name()}
	}
	var all []string
	for _, o := range objects(c.def["options"]) {
		if integer(o, "type", 3) == optionSubcommand && !slices.ContainsFunc(objects(o["options"]), needed) {
			all = append(all, c.name()+" "+text(o, "name"))
		}
	}
	return all
}

func (c *command) kind() int { return integer(c.def, "type", commandChat) }

var commandFields = []string{
	"name", "name_localizations", "description", "description_localizations", "options", "default_member_permissions",
	"dm_permission", "default_permission", "integration_types", "contexts", "type", "nsfw", "handler", "id",
}

// command checks a command definition.
func (c *check) command(at string, o object) {
	kind := integer(o, "type", commandChat)
	required := []string{"name"}
	if kind == commandChat {
		required = append(required, "description")
	}
	known := shape{}
	for _, field := range commandFields {
		known[field] = nil
	}
	known["name"], known["description"] = c.str(1, maxCommandName), c.str(0, maxCommandDesc)
	known["options"] = c.list(0, maxCommandOptions, c.commandOption)
	known["contexts"], known["integration_types"] = c.items(0, rule{}, c.between(0, kindUpTo(2))), c.items(0, rule{}, c.between(0, kindUpTo(1)))
	c.object(at, o, required, known)
	if kind == commandChat {
		c.commandName(at, o)
	}
	optional := false
	for i, option := range objects(o["options"]) {
		needed := flag(option, "required", false)
		if needed && optional {
			c.fail(ruleCommandOrder, join(join(at, "options"), i), "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID", "Required options must be placed before non-required options")
		}
		optional = optional || !needed
	}
	if commandMost[kind] == 0 {
		c.fail(ruleKind, join(at, "type"), "BASE_TYPE_CHOICES", "Value must be one of (1, 2, 3).")
	}
}

// commandName checks the name of a chat command or of one of its options.
func (c *check) commandName(at string, o object) {
	name := text(o, "name")
	if name != "" && (!chatName().MatchString(name) || strings.ToLower(name) != name) {
		c.fail(ruleCommandName, join(at, "name"), "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
	}
}

// commandOption checks an option of a chat command and its suboptions.
// https://docs.discord.com/developers/interactions/application-commands#application-command-object-application-command-option-structure
func (c *check) commandOption(at string, o object) {
	c.object(at, o, []string{"name", "description", "type"}, shape{
		"name": c.str(1, maxCommandName), "description": c.str(1, maxCommandDesc), "required": c.boolean, "autocomplete": c.boolean,
		"type": c.between(1, kindUpTo(11)), "options": c.list(0, maxCommandOptions, c.commandOption),
		"choices": c.list(0, maxCommandOptions, func(at string, o object) {
			c.object(at, o, []string{"name", "value"}, shape{"name": c.str(1, maxChoiceName), "value": nil, "name_localizations": nil})
		}),
		"name_localizations": nil, "description_localizations": nil, "channel_types": nil, "min_value": nil, "max_value": nil,
		"min_length": nil, "max_length": nil, "file_types": nil,
	})
	c.commandName(at, o)
}

// scope lists the commands in the scope of a call: the global ones, or those of this guild.
func (s *Server) scope(c *call) (guild string, listed []*command, refused *apiError) {
	guild = c.params["guild"]
	if c.params["application"] != s.opts.Application {
		return "", nil, no(10002)
	}
	if guild != "" && guild != s.opts.Guild {
		return "", nil, no(50001)
	}
	for _, known := range s.commands {
		if known.guild == guild {
			listed = append(listed, known)
		}
	}
	return guild, listed, nil
}

func (s *Server) commandJSON(c *command) object {
	out := maps.Clone(c.def)
	out["id"], out["application_id"], out["version"], out["type"] = c.id, s.opts.Application, c.id, c.kind()
	out["description"], out["default_member_permissions"] = text(c.def, "description"), c.def["default_member_permissions"]
	if c.guild != "" {
		out["guild_id"] = c.guild
	}
	return out
}

func (s *Server) listCommands(c *call) (*reply, *apiError) {
	_, listed, refused := s.scope(c)
	if refused != nil {
		return nil, refused
	}
	out := []any{}
	for _, known := range listed {
		out = append(out, s.commandJSON(known))
	}
	return ok(out)
}

// setCommands replaces all commands of a scope.
// https://docs.discord.com/developers/interactions/application-commands#bulk-overwrite-global-application-commands
func (s *Server) setCommands(c *call) (*reply, *apiError) {
	guild, listed, refused := s.scope(c)
	if refused != nil {
		return nil, refused
	}
	asked := newCheck()
	count, names := map[int]int{}, map[string]bool{}
	for i, def := range c.list {
		at := fmt.Sprint(i)
		asked.command(at, def)
		kind := integer(def, "type", commandChat)
		key := fmt.Sprint(kind, " ", text(def, "name"))
		if names[key] {
			asked.fail(ruleCommandTwice, at, "APPLICATION_COMMANDS_DUPLICATE_NAME", "Application command names must be unique")
		}
		names[key] = true
		count[kind]++
	}
	if refused := s.judgeCheck(c.route.name, "", asked); refused != nil {
		return nil, refused
	}
	for kind, n := range count {
		if n > commandMost[kind] {
			s.violate(maxCommands, c.route.name, "%d commands of type %d", n, kind)
			return nil, no(30032)
		}
	}
	fresh := 0
	for _, def := range c.list {
		made := &command{def: def}
		if !slices.ContainsFunc(listed, func(k *command) bool { return k.name() == made.name() && k.kind() == made.kind() }) {
			fresh++
		}
	}
	if !s.mayCreate(guild, fresh) {
		return nil, no(30034)
	}
	s.commands = slices.DeleteFunc(s.commands, func(known *command) bool { return known.guild == guild })
	out := []any{}
	for _, def := range c.list {
		made := &command{id: s.newID(), guild: guild, def: def}
		if i := slices.IndexFunc(listed, func(k *command) bool { return k.name() == made.name() && k.kind() == made.kind() }); i >= 0 {
			made.id = listed[i].id
		}
		s.commands = append(s.commands, made)
		out = append(out, s.commandJSON(made))
	}
	return ok(out)
}

// createCommand adds a command or overwrites the one with the same name and type.
// https://docs.discord.com/developers/interactions/application-commands#create-global-application-command
func (s *Server) createCommand(c *call) (*reply, *apiError) {
	guild, listed, refused := s.scope(c)
	if refused != nil {
		return nil, refused
	}
	asked := newCheck()
	asked.command("", c.body)
	if refused := s.judgeCheck(c.route.name, "", asked); refused != nil {
		return nil, refused
	}
	made := &command{id: s.newID(), guild: guild, def: c.body}
	same := 0
	for _, known := range listed {
		switch {
		case known.kind() != made.kind():
		case known.name() == made.name():
			known.def = c.body
			return ok(s.commandJSON(known))
		default:
			same++
		}
	}
	if same >= commandMost[made.kind()] {
		s.violate(maxCommands, c.route.name, "%d commands of type %d", same+1, made.kind())
		return nil, no(30032)
	}
	if !s.mayCreate(guild, 1) {
		return nil, no(30034)
	}
	s.commands = append(s.commands, made)
	return &reply{http.StatusCreated, s.commandJSON(made)}, nil
}

// mayCreate counts new commands and enforces their daily limit.
func (s *Server) mayCreate(guild string, n int) bool {
	now := s.clock.Now()
	lately := recent(s.created[guild], now, 24*time.Hour)
	if len(lately)+n > newCommands {
		s.created[guild] = lately
		return false
	}
	s.created[guild] = append(lately, slices.Repeat([]time.Time{now}, n)...)
	return true
}

// editCommand edits a command. Its name must stay unique within its type.
// https://docs.discord.com/developers/interactions/application-commands#edit-global-application-command
func (s *Server) editCommand(c *call) (*reply, *apiError) {
	_, listed, refused := s.scope(c)
	if refused != nil {
		return nil, refused
	}
	i := slices.IndexFunc(listed, func(known *command) bool { return known.id == c.params["command"] })
	if i < 0 {
		return nil, no(10063)
	}
	def := maps.Clone(listed[i].def)
	maps.Copy(def, c.body)
	asked := newCheck()
	asked.command("", def)
	if refused := s.judgeCheck(c.route.name, "", asked); refused != nil {
		return nil, refused
	}
	changed := &command{def: def}
	if slices.ContainsFunc(listed, func(k *command) bool {
		return k != listed[i] && k.name() == changed.name() && k.kind() == changed.kind()
	}) {
		return nil, no(40041)
	}
	listed[i].def = def
	return ok(s.commandJSON(listed[i]))
}

func (s *Server) deleteCommand(c *call) (*reply, *apiError) {
	_, listed, refused := s.scope(c)
	if refused != nil {
		return nil, refused
	}
	i := slices.IndexFunc(listed, func(known *command) bool { return known.id == c.params["command"] })
	if i < 0 {
		return nil, no(10063)
	}
	s.commands = slices.DeleteFunc(s.commands, func(known *command) bool { return known == listed[i] })
	return done()
}

// Command runs a chat command of the app in a channel, with a text for each of its options. A command with subcommands is
// run as one of them, such as "ask later". It
// returns when the app has responded, or with chatsim.ErrUnacknowledged after three seconds.
// https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-object-application-command-data-structure
func (t *Seat) Command(ctx context.Context, channelID, name string, options map[string]string) error {
	s := t.s
	s.mu.Lock()
	conv := s.channels[channelID]
	whole := name
	name, sub, _ := strings.Cut(name, " ")
	i := slices.IndexFunc(s.commands, func(c *command) bool { return c.kind() == commandChat && c.name() == name && c.subcommand(sub) })
	err := s.actor(t.person)
	if err == nil && (i < 0 || conv == nil || !s.seenBy(conv, t.person)) {
		err = fmt.Errorf("discordsim: %s: /%s in %s: %w", t.person, whole, channelID, chatsim.ErrNotThere)
	}
	if err != nil {
		s.mu.Unlock()
		return err
	}
	used := s.commands[i]
	data := object{"id": used.id, "name": name, "type": commandChat}
	if used.guild != "" {
		data["guild_id"] = used.guild
	}
	given := []any{}
	for _, o := range objects(used.def["options"]) {
		if integer(o, "type", 3) == optionSubcommand {
			if text(o, "name") == sub {
				given = append(given, object{"name": sub, "type": optionSubcommand, "options": []any{}})
			}
			continue
		}
		if value, ok := options[text(o, "name")]; ok {
			given = append(given, object{"name": text(o, "name"), "type": integer(o, "type", 3), "value": value})
		}
	}
	if len(given) > 0 {
		data["options"] = given
	}
	started := s.newInteraction(commanded, t.person, conv, nil)
	s.record(chatsim.Event{Kind: chatsim.Pressed, Person: t.person, Channel: conv.ID, Where: Commands, Text: "/" + whole})
	payload := s.interactionJSON(started, data)
	s.mu.Unlock()
	s.changed.Notify()

	err = s.deliver(ctx, Commands, started, payload)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.record(chatsim.Event{Kind: chatsim.Unacknowledged, Person: t.person, Where: Commands, Text: err.Error()})
		return fmt.Errorf("discordsim: %s: /%s: %w", t.person, name, err)
	}
	s.record(chatsim.Event{Kind: chatsim.Acknowledged, Person: t.person, Where: Commands, Text: started.id})
	return nil
}

// Run is Command without options in the channel of the newest message, as in "/ask later".
func (t *Seat) Run(ctx context.Context, command string) error {
	channel, _, err := t.newest(func(face) bool { return true })
	if err != nil {
		return err
	}
	return t.Command(ctx, channel, strings.TrimPrefix(command, "/"), nil)
}
