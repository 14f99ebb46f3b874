package discord

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/askbridge/askbridge/internal/words"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/components"
)

const (
	// kindSubcommand is the type of an option that is a command of its own
	// (https://docs.discord.com/developers/interactions/application-commands#application-command-object-application-command-option-type).
	kindSubcommand = 1
	// inboxLife is how long an ephemeral message can be edited: a little less than the
	// fifteen minutes of its token.
	inboxLife = 14 * time.Minute

	opCommands = "Global Application Commands"
)

// chatCommand is a command or one of its options.
type chatCommand struct {
	Name         string            `json:"name"`
	Description  string            `json:"description"`
	Descriptions map[string]string `json:"description_localizations,omitempty"`
	Type         int               `json:"type"`
	Contexts     []int             `json:"contexts,omitempty"`
	Options      []chatCommand     `json:"options,omitempty"`
}

// locales are Discord's names of the languages that are not English
// (https://docs.discord.com/developers/reference#locales).
var locales = map[string]string{"de": "de", "es-ES": "es"}

// inboxCommand is the command in servers and in direct messages with the bot.
func inboxCommand() chatCommand {
	english := words.In(words.Default).Inbox
	command := chatCommand{Name: commandName, Description: english.Command, Descriptions: map[string]string{}, Type: 1, Contexts: []int{0, 1}}
	inbox := chatCommand{Name: inboxName, Description: english.Show, Descriptions: map[string]string{}, Type: kindSubcommand}
	for locale, language := range locales {
		w := words.In(language).Inbox
		command.Descriptions[locale], inbox.Descriptions[locale] = w.Command, w.Show
	}
	command.Options = []chatCommand{inbox}
	return command
}

// register makes the command known to Discord, once for all servers, unless it is already. It leaves other commands of
// the application alone.
func register(ctx context.Context, api *restAPI, application string, log *slog.Logger) error {
	path, want := "applications/"+application+"/commands", inboxCommand()
	var known []chatCommand
	if err := api.do(ctx, call{op: opCommands}, route{method: http.MethodGet, path: path}, &known); err != nil {
		return err
	}
	if slices.ContainsFunc(known, func(k chatCommand) bool {
		return k.Name == want.Name && k.Type == want.Type && k.Description == want.Description && len(k.Options) == 1 &&
			k.Options[0].Name == inboxName && k.Options[0].Description == want.Options[0].Description
	}) {
		return nil
	}
	if err := api.do(ctx, call{op: opCommands}, route{method: http.MethodPost, path: path, body: want}, nil); err != nil {
		return err
	}
	log.Info("discord command registered", "command", "/"+commandName+" "+inboxName)
	return nil
}

// ShowInbox shows the inbox to this person only, in place of the one that was used. It implements
// [platform.InboxResponder].
func (r *responder) ShowInbox(ctx context.Context, card render.Card) error {
	shown := newMessage(card)
	reply := answer{Type: replyRedraw, Data: shown}
	if r.p.Type == typeCommand {
		first := shown
		first.Flags |= ephemeral
		reply = answer{Type: replyMessage, Data: first}
	}
	if first, err := r.acknowledge(ctx, reply); first {
		return err
	}
	return r.later(ctx, func(ctx context.Context) error {
		r.mu.Lock()
		r.promised, r.deferred = false, false
		r.mu.Unlock()
		shown.Flags = components.Flags
		return r.insist(ctx, call{op: opOriginal}, route{method: http.MethodPatch, path: r.hook() + "/messages/@original", body: shown})
	})
}

// InboxLife returns how long changes can be shown.
func (r *responder) InboxLife() time.Duration { return inboxLife }
