package discordsim

import (
	"maps"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/chatsim/internal/double"
)

// content is the content of a message, as given in a call.
type content struct {
	*check

	before     *message // the message being edited; nil for a new one
	text       string
	components []object
	embeds     []any
	flags      int
	mentions   mentions
	poll       object
	files      []upload // uploaded with the call
	tooMany    bool     // files

	hasText, hasComponents, hasEmbeds, hasFlags bool
}

// empty reports whether the message would show nothing. White space does not count.
// https://github.com/NITKC-DEV/Kisarazu-Multi-Manager/issues/32
func (what *content) empty() bool {
	return strings.TrimSpace(what.text) == "" && len(what.components) == 0 && len(what.embeds) == 0 && len(what.attachments) == 0 && what.poll == nil
}

// settable are the flags that an app can set.
// https://docs.discord.com/developers/resources/message#create-message
const settable = flagSuppressEmbeds | flagEphemeral | flagSilent | flagV2

// readContent parses and checks the content of a message and its uploaded files. The problems
// are in the check.
func (s *Server) readContent(body object, files []upload, before *message) *content {
	return s.readAnswer(body, files, before, false)
}

// readAnswer is readContent; with drops, files that are not listed are removed.
func (s *Server) readAnswer(body object, files []upload, before *message, drops bool) *content {
	what := &content{check: newCheck(), before: before, files: files}
	if before != nil {
		what.flags = before.flags
	}
	if v, given := body["flags"]; given && v != nil {
		n, isNumber := number(v)
		if !isNumber || n&^settable != 0 {
			what.fail(ruleFlags, "flags", "NUMBER_TYPE_COERCE", "flags %v: only %d can be set", v, settable)
		}
		what.hasFlags, what.flags = true, n
	}
	what.v2 = what.flags&flagV2 != 0
	what.readText(body)
	if v := body["tts"]; v != nil {
		what.boolean("tts", v)
	}
	what.readEmbeds(body)
	s.readFiles(what, body, files, drops)
	what.readPoll(body)
	if v := body["components"]; v != nil {
		what.hasComponents = true
		what.components = objects(v)
		what.messageComponents(v)
	}
	what.legacy(body)
	if len(what.problems) == 0 {
		what.unshown()
	}
	what.readMentions(body)
	return what
}

func (what *content) readText(body object) {
	v, given := body["content"]
	what.hasText = given
	if v != nil {
		var isText bool
		if what.text, isText = v.(string); !isText {
			what.fail(ruleKind, "content", "BASE_TYPE_STRING", "Could not interpret \"%v\" as string.", v)
		}
	}
	if double.Length(what.text) > maxContent.max {
		what.fail(maxContent, "content", "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", maxContent.max)
	}
}

// legacy checks that the V2 flag is not combined with the fields it excludes.
// https://docs.discord.com/developers/components/reference#component-reference
func (what *content) legacy(body object) {
	wasV2 := what.before != nil && what.before.flags&flagV2 != 0
	if wasV2 && !what.v2 {
		what.v2 = true
		if what.hasComponents && len(what.problems) == 0 {
			what.fail(ruleV2Flag, "components", "UNION_TYPE_CHOICES", "the message has the V2 flag, which cannot be taken off")
		}
	}
	if !what.v2 {
		return
	}
	refuse := func(name string) {
		what.fail(ruleLegacy, name, "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2",
			"The '%s' field cannot be used when using MessageFlags.IS_COMPONENTS_V2", name)
	}
	if what.text != "" || (what.before != nil && what.before.content != "" && !what.hasText) {
		refuse("content")
	}
	if len(what.embeds) > 0 || (what.before != nil && len(what.before.embeds) > 0 && !what.hasEmbeds) {
		refuse("embeds")
	}
	for _, name := range []string{"sticker_ids", "poll"} {
		if list, isList := body[name].([]any); body[name] != nil && (!isList || len(list) > 0) {
			refuse(name)
		}
	}
	if what.hasComponents && len(what.components) == 0 {
		what.fail(ruleEmpty, "components", "BASE_TYPE_REQUIRED", "This field is required")
	}
}

// judge returns the error for invalid content, and warns about content that a careful app would
// not send.
func (s *Server) judge(c *call, what *content) *apiError {
	return s.judgeAt(c.route.name, "", c.body, c.route.known, what)
}

func (s *Server) judgeAt(where, under string, body object, known []string, what *content) *apiError {
	for _, name := range slices.Sorted(maps.Keys(body)) {
		if !slices.Contains(known, name) {
			s.warn(noteField, where, "unknown field %q", name)
		}
	}
	if (what.text != "" || len(what.components) > 0 || len(what.embeds) > 0) && !what.mentions.given {
		report := s.violate
		if s.opts.MentionsUnsaid {
			report = s.warn
		}
		report(ruleMentions, where, "allowed_mentions is missing, so mentions in the text notify people")
	}
	if what.tooMany {
		s.violate(maxFiles, where, "%d files, %d are allowed", len(what.attachments), maxFiles.max)
		return no(30015)
	}
	return s.judgeCheck(where, under, what.check)
}

// judgeCheck converts a check's findings into violations, warnings and Discord's error.
func (s *Server) judgeCheck(where, under string, c *check) *apiError {
	for _, p := range c.notes {
		s.warn(p.rule, where+" "+under+p.at, "%s", p.text)
	}
	for _, p := range c.warned {
		s.violate(p.rule, where+" "+under+p.at, "%s", p.text)
	}
	if len(c.problems) == 0 {
		return nil
	}
	problems := slices.Clone(c.problems)
	for i := range problems {
		problems[i].at = under + problems[i].at
	}
	return s.refuse(where, problems...)
}
