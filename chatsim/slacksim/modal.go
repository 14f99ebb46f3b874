package slacksim

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/chatsim"
)

// submission validates the top form as the client does and returns its payload. The caller
// holds the lock.
func (s *Server) submission(person string) (*view, object, error) {
	views := s.client(person).views
	if len(views) == 0 {
		return nil, nil, fmt.Errorf("slacksim: %s: submit: %w: %w", person, chatsim.ErrNotThere, chatsim.ErrNoForm)
	}
	v := views[len(views)-1]
	if v.def["submit"] == nil {
		return nil, nil, fmt.Errorf("slacksim: %s: submit: %w: the form has no submit button", person, chatsim.ErrNotThere)
	}
	v.trouble = ""
	if v.errors = inputErrors(v); len(v.errors) > 0 {
		s.record(chatsim.Event{Kind: chatsim.Refused, Person: person, Form: v.id, Text: s.tellErrors(v)})
		return nil, nil, fmt.Errorf("slacksim: %s: submit: %w: %s", person, chatsim.ErrFormRejected, s.tellErrors(v))
	}
	payload := s.common("view_submission", person)
	payload["trigger_id"] = s.newTrigger(person)
	payload["view"] = s.viewJSON(v)
	payload["response_urls"] = []any{}
	s.record(chatsim.Event{Kind: chatsim.Submitted, Person: person, Form: v.id, Text: plainOf(v.def["title"])})
	return v, payload, nil
}

// tellErrors describes the field errors as the person reads them.
func (s *Server) tellErrors(v *view) string {
	var parts []string
	for _, b := range v.blocks {
		if words := v.errors[text(b, "block_id")]; words != "" {
			parts = append(parts, s.readText(b["label"])+": "+words)
		}
	}
	return strings.Join(parts, "; ")
}

// submit submits the top form and applies the app's response.
func (s *Server) submit(ctx context.Context, person string) error {
	s.mu.Lock()
	v, payload, err := s.submission(person)
	s.mu.Unlock()
	s.notify()
	if err != nil {
		return err
	}
	answer, err := s.deliver(ctx, payload)
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.notify()
	if err != nil {
		v.trouble = warnForm
		s.record(chatsim.Event{Kind: chatsim.Unacknowledged, Person: person, Form: v.id, Where: "view_submission", Text: err.Error()})
		return fmt.Errorf("slacksim: %s: submit: %w", person, err)
	}
	s.record(chatsim.Event{Kind: chatsim.Acknowledged, Person: person, Form: v.id, Where: "view_submission"})
	if err := s.obey(v, answer); err != nil {
		return fmt.Errorf("slacksim: %s: submit: %w", person, err)
	}
	return nil
}

// obey applies the app's response to a submission.
// https://docs.slack.dev/surfaces/modals/#close_updated_or_pushed_views
func (s *Server) obey(v *view, answer []byte) error {
	answer = bytes.TrimSpace(answer)
	if len(answer) == 0 || string(answer) == "null" {
		s.popView(v)
		return nil
	}
	decoded, err := decode(answer)
	o, ok := decoded.(object)
	if err != nil || !ok {
		return s.puzzled(v, ruleAnswer, "the answer is no JSON object: %.100s", answer)
	}
	switch action := text(o, "response_action"); action {
	case "":
		s.warn(noteAnswer, "view_submission", "an object without response_action")
		s.popView(v)
		return nil
	case "clear":
		s.closeViews(v.person)
		return nil
	case "errors":
		return s.showErrors(v, o)
	case "update", "push":
		def, found, refused := anyView(o["view"], modal)
		s.report("view_submission response", found)
		if refused != nil {
			return s.puzzled(v, ruleAnswer, "a view that Slack refuses: %s", refused.word)
		}
		if action == "update" {
			s.changeView(v, def)
			return nil
		}
		if depth := len(s.client(v.person).views); depth >= maxViewStack.max {
			return s.puzzled(v, maxViewStack, "%d views are open", depth)
		}
		s.pushView(v.person, def)
		return nil
	default:
		return s.puzzled(v, ruleAnswer, "unknown response_action %q", action)
	}
}

// showErrors displays the app's errors below the inputs they name.
// https://docs.slack.dev/surfaces/modals/#displaying_errors
func (s *Server) showErrors(v *view, o object) error {
	given := child(o, "errors")
	if len(given) == 0 {
		return s.puzzled(v, ruleAnswerErrors, "no errors in the answer")
	}
	shown := map[string]string{}
	for _, id := range slices.Sorted(maps.Keys(given)) {
		words, isText := given[id].(string)
		isInput := slices.ContainsFunc(v.blocks, func(b object) bool {
			return text(b, "type") == "input" && text(b, "block_id") == id
		})
		if !isText || words == "" || !isInput {
			return s.puzzled(v, ruleAnswerErrors, "%q is no block_id of an input block with a text", id)
		}
		shown[id] = words
	}
	v.errors = shown
	s.record(chatsim.Event{Kind: chatsim.Refused, Person: v.person, Form: v.id, Where: "view_submission", Text: s.tellErrors(v)})
	return fmt.Errorf("%w: %s", chatsim.ErrFormRejected, s.tellErrors(v))
}

// puzzled records an invalid response and shows Slack's generic error.
func (s *Server) puzzled(v *view, r rule, format string, args ...any) error {
	s.violate(r, "view_submission response", format, args...)
	v.trouble = warnForm
	return fmt.Errorf("%w: "+format, append([]any{chatsim.ErrUnacknowledged}, args...)...)
}

// dismissal closes forms and returns the payloads for those with notify_on_close. The caller
// holds the lock.
// https://docs.slack.dev/reference/interaction-payloads/view-interactions-payload/#view_closed
func (s *Server) dismissal(person string, all bool) ([]object, error) {
	views := s.client(person).views
	if len(views) == 0 {
		return nil, fmt.Errorf("slacksim: %s: dismiss: %w: %w", person, chatsim.ErrNotThere, chatsim.ErrNoForm)
	}
	top := views[len(views)-1]
	if takesAll, _ := top.def["clear_on_close"].(bool); takesAll {
		all = true
	}
	gone := views[len(views)-1:]
	if all {
		gone = views
	}
	var payloads []object
	for _, v := range slices.Backward(gone) {
		if notify, _ := v.def["notify_on_close"].(bool); notify {
			payload := s.common("view_closed", person)
			payload["view"] = s.viewJSON(v)
			payload["is_cleared"] = all
			payloads = append(payloads, payload)
		}
	}
	s.record(chatsim.Event{Kind: chatsim.Dismissed, Person: person, Form: top.id})
	s.popView(gone[0])
	return payloads, nil
}

// dismiss closes the top form, or all, and delivers the view_closed payloads. The person does
// not see whether they are acknowledged.
func (s *Server) dismiss(ctx context.Context, person string, all bool) error {
	s.mu.Lock()
	payloads, err := s.dismissal(person, all)
	s.mu.Unlock()
	s.notify()
	if err != nil {
		return err
	}
	for _, payload := range payloads {
		e := chatsim.Event{Kind: chatsim.Acknowledged, Person: person, Where: "view_closed"}
		if _, err := s.deliver(ctx, payload); err != nil {
			e.Kind, e.Text = chatsim.Unacknowledged, err.Error()
		}
		s.record(e)
	}
	s.notify()
	return nil
}
