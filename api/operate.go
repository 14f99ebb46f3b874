package api

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/client"
)

// notAnswered is the result of an invalid answer. Unknown members are an error too: one may be
// a note, or the revision that the person saw.
const notAnswered = "nothing was answered"

// answerRequest answers a request for a person: POST /v1/requests/{id}/answer.
func answerRequest(x *exchange) error {
	var given client.AnswerBody
	if err := x.parseForm(&given, true, notAnswered, `send {"answers":[{"index":0,"selected":["…"]}]}, {"reply":"…"} or {"dismiss":true}`); err != nil {
		return err
	}
	ctx, stop := budget(x.r.Context())
	defer stop()
	r, err := x.who.Load(ctx, x.r.PathValue("id"))
	if err != nil {
		return err
	}
	x.about = r.ID
	action, remarks := actionOf(r.Questions, given)
	switch {
	case !r.Open():
	case given.Revision == nil && r.Revised > 0 && decides(action.Kind):
		return revised(x, &r, "set revision to the one you answer")
	case given.Revision != nil && *given.Revision != r.Revised && len(remarks) > 0:
		return revised(x, &r, "nothing was recorded") // What is invalid now may have been valid then.
	}
	if len(remarks) > 0 {
		p := problem(http.StatusUnprocessableEntity, notAnswered)
		p.Errors = remarks
		return p
	}
	action.Revised = r.Revised
	if given.Revision != nil {
		action.Revised = *given.Revision
	}
	key := x.r.Header.Get("Idempotency-Key")
	if key == "" {
		key = rand.Text()
	}
	after, err := x.who.Answer(ctx, r.ID, key, action)
	if verdict, ok := errors.AsType[*bridge.VerdictError](err); ok {
		return uncounted(x, &after, verdict)
	}
	if err != nil {
		return err
	}
	reply := show(x, &after)
	if after.Held != nil {
		reply.UndoUntil = client.UTC(after.Held.Until)
	}
	return x.reply(http.StatusOK, reply)
}

// decides reports whether an action answers or ends the request. Undoing, claiming and passing
// on do not depend on the current questions.
func decides(kind ask.ActionKind) bool {
	return kind == ask.SubmitAll || kind == ask.Reply || kind == ask.Dismiss
}

// revised returns the problem for an answer that may refer to another revision, with the
// current request.
func revised(x *exchange, r *bridge.Record, then string) error {
	p := problem(http.StatusConflict, "this request has been revised, and is at revision %d; %s", r.Revised, then)
	p.RequestID, p.Request = r.ID, show(x, r)
	return p
}

// actionOf converts the body to the submission of a form with every question, or returns
// everything wrong with it.
func actionOf(questions []ask.Question, given client.AnswerBody) (ask.Action, []client.Remark) {
	var wrong []client.Remark
	say := func(path, format string, args ...any) {
		wrong = append(wrong, client.Remark{Path: path, Detail: fmt.Sprintf(format, args...)})
	}
	action := ask.Action{Kind: ask.SubmitAll, Question: -1, Option: -1, Picks: map[int][]int{}, Texts: map[int]string{}, Notes: map[int]string{}}
	ways := 0
	for _, used := range []bool{len(given.Answers) > 0, given.Reply != "", given.Dismiss, given.Undo, given.Claim, given.PassTo != ""} {
		if used {
			ways++
		}
	}
	switch {
	case ways != 1:
		say("answers", "give one of answers, reply, dismiss, undo, claim and pass_to")
	case given.Dismiss:
		action.Kind = ask.Dismiss
	case given.Undo:
		action.Kind = ask.Undo
	case given.Claim:
		action.Kind = ask.Claim
	case given.PassTo != "":
		action.Kind = ask.Pass
		e, ok := ask.ParseEntry(given.PassTo)
		if !ok || e.Word != "" || e.Kind != "" || e.Platform == ask.OnCall {
			say("pass_to", "must be a person such as \"slack:U0000001\"")
		}
		action.To.Person = e.Person()
	case given.Reply != "":
		action.Kind = ask.Reply
		action.Texts[-1] = given.Reply
		checkTyped(say, "reply", given.Reply)
	}
	for n, a := range given.Answers {
		path := fmt.Sprintf("answers[%d]", n)
		if a.Index < 0 || a.Index >= len(questions) {
			say(path+".index", "there are %d questions, numbered from 0", len(questions))
			continue
		}
		if _, twice := action.Picks[a.Index]; twice {
			say(path+".index", "this question has an answer already")
			continue
		}
		action.Picks[a.Index] = picked(questions[a.Index], a, path, say)
		if a.Other != "" {
			action.Texts[a.Index] = a.Other
		}
		if a.Notes != "" {
			action.Notes[a.Index] = a.Notes
		}
	}
	return action, wrong
}

// picked returns the options that an answer names, and reports what is wrong with it.
func picked(q ask.Question, a client.GivenAnswer, path string, say func(path, format string, args ...any)) []int {
	picks := []int{}
	for i, label := range a.Selected {
		n := slices.IndexFunc(q.Options, func(o ask.Option) bool { return o.Label == label })
		if n < 0 {
			say(fmt.Sprintf("%s.selected[%d]", path, i), "%q is not a label of this question", label)
			continue
		}
		picks = append(picks, n)
	}
	checkTyped(say, path+".other", a.Other)
	checkTyped(say, path+".notes", a.Notes)
	if a.Notes != "" && !q.Notes {
		say(path+".notes", "this question takes no note")
	}
	most := len(a.Selected)
	if a.Other != "" {
		most++
	}
	switch {
	case a.Skip && !q.Optional:
		say(path+".skip", "this question is not optional")
	case a.Skip && most > 0:
		say(path, "is skipped and answered at once")
	case a.Skip:
		return []int{q.Skip()}
	case a.Other != "" && q.NoOther:
		say(path+".other", "this question takes no answer in own words")
	case !q.MultiSelect && most > 1:
		say(path, "this question takes one answer")
	case most == 0 && (!q.Optional || a.Notes == ""):
		say(path, "names neither a label nor own words")
	}
	return picks
}

func checkTyped(say func(path, format string, args ...any), path, text string) {
	switch {
	case utf8.RuneCountInString(text) > ask.MaxTyped:
		say(path, "has more than %d characters", ask.MaxTyped)
	case text != "" && ask.Typed(text) == "":
		say(path, "contains no visible text")
	}
}

// notPassed are the reasons why a request was not passed on.
var notPassed = map[record.WhyNot]string{
	record.ToThemselves: "that person is this token's holder",
	record.ToBarred:     "that person may not answer this request",
	record.ToUnknown:    "cannot determine now whether that person may answer this request",
	record.ToPasser:     "that person has passed it on",
	record.ToVoter:      "that person votes on it already",
	record.ToApart:      "too few voters would remain that are known to be different people: that person's account on the other platform is unknown",
	record.HasVoted:     "this token's holder has voted, and would have to take the vote back",
	record.TooOften:     "it was passed on as often as it can be",
}

// uncounted returns the problem for an answer that did not count.
func uncounted(x *exchange, r *bridge.Record, e *bridge.VerdictError) error {
	switch e.Verdict {
	case record.Forbidden:
		who := strings.Join(r.Policy.Strings(), ", ")
		switch {
		case r.Voting != nil:
			who += "; a vote counts for an account where it is asked, which the token names as its requester"
		case r.Policy.Has(ask.NotRequester):
			who += "; not_requester takes a token whose requester names an account on a platform where it is asked"
		}
		return problem(http.StatusForbidden, "this token's holder is none of those who may answer: %s", who)
	case record.Incomplete:
		p := problem(http.StatusUnprocessableEntity, notAnswered)
		for _, q := range e.Missing {
			_ = p.at("answers", "has no answer for question %d, %q", q, r.Questions[q].Text)
		}
		return p
	case record.Decided:
		return problem(http.StatusConflict, "this request is decided, but the decision can still be undone; nothing was recorded")
	case record.Unknown:
		return problem(http.StatusConflict, "this request does not take that")
	case record.NotPassed:
		return problem(http.StatusConflict, "it was not passed on: %s", notPassed[e.Why])
	case record.Outdated:
		return revised(x, r, "nothing was recorded")
	case record.Unheld:
		return problem(http.StatusConflict, "there is nothing to undo")
	case record.Theirs:
		return problem(http.StatusForbidden, "another person decided, and only they can undo it")
	case record.Final:
		return problem(http.StatusConflict, "this token's holder has voted, and votes on this request cannot be changed")
	}
	p := problem(http.StatusConflict, "this request is %s already", r.Outcome.State)
	p.RequestID = r.ID
	return p
}
