package slacksim

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/internal/double"
)

// view is one modal or Home tab of one person.
type view struct {
	id, root, previous, hash string
	person                   string
	def                      object // everything the app sent except the blocks
	blocks                   []object
	picks                    picks
	errors                   map[string]string // errors below inputs, by block_id
	trouble                  string            // the generic error
}

// trigger is the right to open one view, for a short time.
type trigger struct {
	person string
	made   time.Time
	used   bool
}

// newTrigger issues the trigger_id of an interaction.
func (s *Server) newTrigger(person string) string {
	s.serial++
	id := fmt.Sprintf("%d.%d.%s", s.serial, s.clock.Now().Unix(), s.secretFor(fmt.Sprint("trigger", s.serial)))
	s.triggers[id] = &trigger{person: person, made: s.clock.Now()}
	return id
}

// secretFor returns a URL segment that cannot be guessed without the signing secret.
func (a *App) secretFor(what string) string {
	mac := hmac.New(sha256.New, []byte(a.opts.SigningSecret))
	mac.Write([]byte(what))
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// takeTrigger returns a call's trigger if it is still valid.
func (s *Server) takeTrigger(c *call) (*trigger, *apiError) {
	id := c.args.str("trigger_id")
	t := s.triggers[id]
	switch {
	case id == "":
		s.violate(ruleArguments, c.method, "missing required field: trigger_id")
		return nil, no("invalid_arguments")
	case t == nil:
		s.violate(ruleTrigger, c.method, "unknown trigger_id %q", id)
		return nil, no("invalid_trigger_id")
	case t.used:
		s.violate(triggerOnce, c.method, "the trigger_id was used before")
		return nil, no("exchanged_trigger_id")
	case s.clock.Since(t.made) >= s.opts.Patience:
		s.violate(triggerInAge, c.method, "the trigger_id is %v old", s.clock.Since(t.made))
		return nil, no("expired_trigger_id")
	}
	return t, nil
}

// readView parses and checks the view of a call.
func (s *Server) readView(c *call, kind string) (object, *apiError) {
	v, given, err := c.args.tree("view")
	if err != nil || !given {
		s.violate(ruleArguments, c.method+" /view", "no view, or one that is no JSON")
		return nil, no("invalid_arguments")
	}
	def, found, refused := anyView(v, kind)
	s.report(c.method, found)
	return def, refused
}

// newView parses the modal that a trigger opens.
func (s *Server) newView(c *call) (*trigger, object, *apiError) {
	t, refused := s.takeTrigger(c)
	if refused != nil {
		return nil, nil, refused
	}
	def, refused := s.readView(c, modal)
	if refused != nil {
		return nil, nil, refused
	}
	if s.viewNamed(text(def, "external_id")) != nil {
		return nil, nil, no("duplicate_external_id")
	}
	return t, def, nil
}

// viewsOpen opens a modal.
// https://docs.slack.dev/reference/methods/views.open
func (s *Server) viewsOpen(c *call) (object, *apiError) {
	t, def, refused := s.newView(c)
	if refused != nil {
		return nil, refused
	}
	t.used = true
	if len(s.client(t.person).views) > 0 {
		s.warn(noteReplaced, c.method, "%s had a form open", t.person)
		s.closeViews(t.person)
	}
	return object{"view": s.viewJSON(s.pushView(t.person, def))}, nil
}

// viewsPush opens a modal on top of the current one.
// https://docs.slack.dev/reference/methods/views.push
func (s *Server) viewsPush(c *call) (object, *apiError) {
	t, def, refused := s.newView(c)
	if refused != nil {
		return nil, refused
	}
	switch depth := len(s.client(t.person).views); {
	case depth == 0:
		return nil, no("not_found")
	case depth >= maxViewStack.max:
		s.violate(maxViewStack, c.method, "%d views are open", depth)
		return nil, no("push_limit_reached")
	}
	t.used = true
	return object{"view": s.viewJSON(s.pushView(t.person, def))}, nil
}

// viewsUpdate replaces an open modal.
// https://docs.slack.dev/reference/methods/views.update
func (s *Server) viewsUpdate(c *call) (object, *apiError) {
	v := s.views[c.args.str("view_id")]
	if v == nil {
		v = s.viewNamed(c.args.str("external_id"))
	}
	if v == nil {
		return nil, no("not_found")
	}
	if hash := c.args.str("hash"); hash != "" && hash != v.hash {
		return nil, no("hash_conflict")
	}
	def, refused := s.readView(c, modal)
	if refused != nil {
		return nil, refused
	}
	if other := s.viewNamed(text(def, "external_id")); other != nil && other != v {
		return nil, no("duplicate_external_id")
	}
	s.changeView(v, def)
	return object{"view": s.viewJSON(v)}, nil
}

func (s *Server) viewNamed(external string) *view {
	for _, v := range slices.Concat(slices.Collect(maps.Values(s.views)), slices.Collect(maps.Values(s.homes))) {
		if external != "" && text(v.def, "external_id") == external {
			return v
		}
	}
	return nil
}

// pushView opens a new view for a person.
func (s *Server) pushView(person string, def object) *view {
	c := s.client(person)
	v := &view{id: s.newID("V"), person: person, picks: picks{}}
	v.root = v.id
	if len(c.views) > 0 {
		v.root, v.previous = c.views[0].id, c.views[len(c.views)-1].id
	}
	s.define(v, def)
	s.views[v.id] = v
	c.views = append(c.views, v)
	c.confirm = nil
	s.record(chatsim.Event{Kind: chatsim.OpenedForm, Person: person, Form: v.id, Text: plainOf(def["title"])})
	return v
}

// changeView replaces the content of a view.
func (s *Server) changeView(v *view, def object) {
	s.define(v, def)
	v.picks.keep(v.blocks)
	s.record(chatsim.Event{Kind: chatsim.ChangedForm, Person: v.person, Form: v.id, Text: plainOf(def["title"])})
}

func (s *Server) define(v *view, def object) {
	v.def, _ = double.Clone(def).(object)
	v.blocks = s.adopt(objects(def["blocks"]))
	delete(v.def, "blocks")
	walkTexts(v.def, spellOut)
	v.errors, v.trouble = nil, ""
	v.hash = fmt.Sprintf("%d.%s", s.clock.Now().Unix(), s.newID("h"))
}

// popView closes a view and those above it.
func (s *Server) popView(v *view) {
	c := s.client(v.person)
	at := slices.Index(c.views, v)
	if at < 0 {
		return
	}
	for _, gone := range c.views[at:] {
		delete(s.views, gone.id)
		s.record(chatsim.Event{Kind: chatsim.ClosedForm, Person: v.person, Form: gone.id})
	}
	c.views = slices.Clone(c.views[:at])
	c.confirm = nil
}

// closeViews closes all views of a person.
func (s *Server) closeViews(person string) {
	if c := s.client(person); len(c.views) > 0 {
		s.popView(c.views[0])
	}
}

// viewJSON renders a view as in Slack's responses and payloads.
// https://docs.slack.dev/reference/interaction-payloads/view-interactions-payload
func (s *Server) viewJSON(v *view) object {
	out := object{
		"id": v.id, "team_id": s.opts.Team, "type": "modal", "blocks": double.Clone(v.blocks),
		"private_metadata": "", "callback_id": "", "external_id": "", "submit": nil, "close": nil,
		"title":          object{"type": "plain_text", "text": "View Title", "emoji": true}, // Slack's title of a Home tab, which has none of its own
		"clear_on_close": false, "notify_on_close": false, "submit_disabled": false,
		"state": object{"values": stateValues(v.blocks, v.picks)}, "hash": v.hash,
		"root_view_id": v.root, "previous_view_id": nil,
		"app_id": s.opts.AppID, "app_installed_team_id": s.opts.Team, "bot_id": s.opts.BotID,
	}
	if v.previous != "" {
		out["previous_view_id"] = v.previous
	}
	given, _ := double.Clone(v.def).(object)
	maps.Copy(out, given)
	return out
}
