package discordsim

import (
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/internal/double"
)

// interaction is a person's action that the app must respond to.
type interaction struct {
	id, token string
	kind      int // see the constants
	person    string
	channel   *channel
	msg       *message     // the message whose control was used, also if it opened the form; nil for none
	opener    *interaction // for a submitted form: the interaction whose response opened it; nil for none
	born      time.Time

	answered  bool
	answer    int            // type of the first response
	done      chan struct{}  // closed by the first response
	original  *message       // the message that @original refers to
	delivered int            // number of connections it was sent on
	ways      sync.WaitGroup // pending HTTP deliveries
	replied   chan struct{}  // closed when the first HTTP delivery ends; nil for the gateway
	deaf      bool           // by a fault: responses do not arrive
	followUps int            // number of follow-up messages
	response  []byte         // the first response as received over HTTP
}

// Types of interactions.
// https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-object-interaction-type
const (
	pingInteraction = 1
	commanded       = 2
	pressed         = 3
	submitted       = 5
)

// Types of responses.
// https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-response-object-interaction-callback-type
const (
	answerMessage   = 4
	answerLater     = 5 // deferred message; people see that the app is thinking
	answerEditLater = 6 // deferred update, nothing visible
	answerEdit      = 7 // update of the control's message
	answerModal     = 9
)

// fitting returns the response types that are valid for an interaction.
func (i *interaction) fitting() []int {
	switch {
	case i.kind == pressed:
		return []int{answerMessage, answerLater, answerEditLater, answerEdit, answerModal}
	case i.kind == commanded:
		return []int{answerMessage, answerLater, answerModal}
	case i.msg != nil:
		return []int{answerMessage, answerLater, answerEditLater, answerEdit}
	default:
		return []int{answerMessage, answerLater}
	}
}

// callback handles the response to an interaction.
// https://docs.discord.com/developers/interactions/receiving-and-responding#create-interaction-response
func (s *Server) callback(c *call) (*reply, *apiError) {
	i := s.interactions[c.params["token"]]
	switch {
	case i == nil, i.id != c.params["interaction"]:
		return nil, no(10062)
	case i.deaf:
		panic(http.ErrAbortHandler)
	}
	if refused := s.respond(i, c.route.name, c.body, c.files); refused != nil {
		return nil, refused
	}
	if c.query.Get("with_response") != "true" {
		return done()
	}
	about := object{"id": i.id, "type": i.kind, "response_message_ephemeral": false, "response_message_loading": i.answer == answerLater}
	out := object{"interaction": about, "resource": object{"type": i.answer}}
	if m := i.original; m != nil {
		about["response_message_id"], about["response_message_ephemeral"] = m.id, m.onlyFor != ""
		out["resource"] = object{"type": i.answer, "message": s.messageJSON(m)}
	}
	return ok(out)
}

// respond applies the first response to an interaction, from the callback route or from the
// response to a signed request.
func (s *Server) respond(i *interaction, where string, body object, files []upload) *apiError {
	kind, _ := number(body["type"])
	switch {
	case i.answered && i.delivered > 1:
		s.warn(noteTwice, where, "interaction %s", i.id)
		return no(40060)
	case i.answered && kind == answerModal:
		s.violate(ruleModalFirst, where, "the interaction was answered with type %d before", i.answer)
		return no(40060)
	case i.answered:
		s.violate(ruleAckOnce, where, "the interaction was answered with type %d before", i.answer)
		return no(40060)
	case s.clock.Since(i.born) >= s.opts.Patience:
		return no(10062)
	case i.channel.Archived && i.channel.Locked: // https://github.com/discord/discord-api-docs/issues/5517
		return no(50083)
	}
	if !slices.Contains(i.fitting(), kind) {
		return s.refuse(where, problem{ruleCallback, "type", "BASE_TYPE_CHOICES", "Value must be one of {" + choices(i.fitting()) + "}."})
	}
	data := child(body, "data")
	refused := s.attachable(i.channel, files)
	switch {
	case refused != nil:
		return refused
	case kind == answerMessage:
		refused = s.answerMessage(i, where, data, files)
	case kind == answerLater:
		s.answerLater(i, where, data)
	case kind == answerEditLater:
		i.original = i.msg
	case kind == answerEdit:
		refused = s.answerEdit(i, where, data, files)
	case kind == answerModal:
		refused = s.openForm(i, where, data)
	}
	if refused != nil {
		return refused
	}
	i.answered, i.answer = true, kind
	close(i.done)
	return nil
}

// onlyPeople sets the default allowed mentions of a response: only users.
// https://docs.discord.com/developers/resources/message#allowed-mentions-object
func (what *content) onlyPeople() {
	if !what.mentions.given {
		what.mentions.parse = parseUsers
	}
}

func (s *Server) answerMessage(i *interaction, where string, data object, files []upload) *apiError {
	what := s.readContent(data, files, nil)
	what.onlyPeople()
	if refused := s.judgeAt(where, "data.", data, messageFields, what); refused != nil {
		return refused
	}
	if what.empty() {
		return no(50006)
	}
	i.original = s.postFor(i, where, what)
	return nil
}

// postFor posts a message in response to an interaction.
func (s *Server) postFor(i *interaction, where string, what *content) *message {
	m := s.post(i.channel, what)
	m.cause = i
	if i.msg != nil {
		m.reply = i.msg.id
	}
	if m.flags&flagEphemeral != 0 {
		m.onlyFor = i.person
	}
	s.tellMessage(chatsim.Posted, where, m)
	return m
}

// answerLater defers a message. Whether it is ephemeral is fixed here.
func (s *Server) answerLater(i *interaction, where string, data object) {
	flags := integer(data, "flags", 0)
	if flags&^flagEphemeral != 0 {
		s.violate(ruleDeferFlags, where+" data.flags", "flags %d: only %d counts", flags, flagEphemeral)
	}
	m := s.post(i.channel, &content{check: newCheck(), flags: flags&flagEphemeral | flagLoading})
	m.cause, m.thinking = i, true
	if i.msg != nil {
		m.reply = i.msg.id
	}
	if m.flags&flagEphemeral != 0 {
		m.onlyFor = i.person
	}
	i.original = m
	s.tellMessage(chatsim.Posted, where, m)
}

// answerEdit edits the message whose control was used.
func (s *Server) answerEdit(i *interaction, where string, data object, files []upload) *apiError {
	if i.channel.find(i.msg.id) == nil {
		return no(10008)
	}
	what := s.readAnswer(data, files, i.msg, true)
	what.onlyPeople()
	if refused := s.judgeAt(where, "data.", data, messageFields, what); refused != nil {
		return refused
	}
	i.original = i.msg
	s.edit(i.msg, what)
	s.tellMessage(chatsim.Edited, where, i.msg)
	return nil
}

// openForm opens a modal for the person.
func (s *Server) openForm(i *interaction, where string, data object) *apiError {
	c := checkModal(data)
	if id := text(data, "custom_id"); s.formsSeen[id] {
		c.warn(ruleModalFresh, "custom_id", "%q was opened before", id)
	}
	if refused := s.judgeCheck(where, "data.", c); refused != nil {
		return refused
	}
	s.formsSeen[text(data, "custom_id")] = true
	def := object{
		"custom_id": data["custom_id"], "title": data["title"], "components": double.Clone(adopt(objects(data["components"]))),
	}
	f := &form{id: s.newID(), def: def, cause: i, picks: picks{}, errors: map[string]string{}}
	s.client(i.person).form = f
	s.record(chatsim.Event{
		Kind: chatsim.OpenedForm, Person: i.person, Channel: i.channel.ID, Form: text(def, "custom_id"), Where: where,
		Text: text(def, "title"),
	})
	return nil
}
