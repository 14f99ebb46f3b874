package discord

import "github.com/askbridge/askbridge/platform"

// commandName and inboxName are the words of the command "/askbridge inbox".
const commandName, inboxName = "askbridge", "inbox"

// opensInbox reports whether the interaction is the command that shows an inbox.
func (p *payload) opensInbox() bool {
	return p.Type == typeCommand && p.Data.Name == commandName && len(p.Data.Options) == 1 && p.Data.Options[0].Name == inboxName
}

// inInbox reports whether the used control, or the one that opened the form, is in an inbox: the response to a command.
func (p *payload) inInbox() bool {
	return p.Message.Flags&ephemeral != 0 && p.Message.Cause.Type == typeCommand
}

// inboxRef is the reference of an act in an inbox, which is no posted message.
func inboxRef() platform.MessageRef { return platform.MessageRef{Platform: Name} }
