package api

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/client"
)

// submitRequest submits a request: POST /v1/requests.
func submitRequest(x *exchange) error {
	wait, err := x.waitTime()
	if err != nil {
		return err
	}
	heard, err := x.heardUpTo()
	if err != nil {
		return err
	}
	made, err := takeRequest(x, wait > 0)
	if err != nil {
		return err
	}
	status := http.StatusCreated
	if made.existed {
		status = http.StatusOK
	}
	return x.whenHeard(made.record, wait, heard, func(r *bridge.Record, err error) error {
		if err != nil {
			r = made.record // The request was created, which matters most to the caller.
		}
		reply := show(x, r)
		reply.Advice, reply.Ignored, reply.Replayed = made.advice, made.ignored, made.handed
		x.w.Header().Set("Location", "/v1/requests/"+r.ID)
		return handOver(x, status, reply, r)
	})
}

// accepted is a submission with its advice.
type accepted struct {
	record  *bridge.Record
	existed bool
	// handed means that it was answered before.
	handed  bool
	advice  []client.Remark
	ignored []string
}

// takeRequest reads the body and submits it.
func takeRequest(x *exchange, waits bool) (*accepted, error) {
	data, err := x.body(MaxRequest)
	if err != nil {
		return nil, err
	}
	req, ignored, err := ask.DecodeRequest(data)
	var problems []ask.Problem
	if wrong, ok := errors.AsType[*ask.InvalidError](err); ok {
		problems = wrong.Problems
	}
	if problems = append(problems, misspelt(ignored)...); len(problems) > 0 {
		err = (&ask.InvalidError{Problems: problems}).Merge(x.who.Check(x.r.Context(), req))
	}
	if err != nil {
		return nil, cmp.Or(wellFormed(data, `{"questions":[{"question":"…","options":["…","…"]}]}`), err)
	}
	acc := &accepted{ignored: ignored}
	if key := x.r.Header.Get("Idempotency-Key"); key != "" {
		req.Key = key
	}
	if name := x.who.Name; name != "" && req.Agent != "" && req.Agent != name {
		acc.ignored = append(acc.ignored, "agent")
		acc.advice = append(acc.advice, client.Remark{Path: "agent", Detail: fmt.Sprintf("the name shown is the token's own, %q", name)})
	}
	acc.advice = append(acc.advice, remarks(ask.Advise(req.Questions))...)
	if err := submitted(x, req, acc, waits); err != nil {
		return nil, err
	}
	return acc, nil
}

// submitted submits the decoded request, within the caller's permissions.
func submitted(x *exchange, req ask.Request, acc *accepted, waits bool) error {
	if sent := x.r.Header["Traceparent"]; len(sent) == 1 {
		req.TraceParent, req.TraceState = sent[0], ask.TraceState(x.r.Header["Tracestate"]...) // Ambiguous with several parents, so ignore them.
	}
	ctx, cancel := budgetBefore(x.r.Context())
	defer cancel()
	var s bridge.Submission
	var err error
	if waits {
		s, x.place, err = x.who.Begin(ctx, req)
	} else {
		s, err = x.who.Submit(ctx, req)
	}
	x.about = s.Record.ID
	if errors.Is(err, bridge.ErrConflict) {
		p := problemOf(err)
		p.RequestID = s.Record.ID
		return p
	}
	if err != nil {
		return err
	}
	acc.record, acc.existed, acc.handed = &s.Record, s.Existed, s.Handed
	acc.advice = append(acc.advice, remarks(s.Advice)...)
	return nil
}

// getRequest returns one request: GET /v1/requests/{id}.
func getRequest(x *exchange) error {
	wait, err := x.waitTime()
	if err != nil {
		return err
	}
	if name := x.r.URL.Query().Get("as"); name != "" {
		return getAs(x, name, wait)
	}
	heard, err := x.heardUpTo()
	if err != nil {
		return err
	}
	r, err := parkAndLoad(x)
	if err != nil {
		return err
	}
	return x.whenHeard(r, wait, heard, func(r *bridge.Record, err error) error {
		if err != nil {
			return err
		}
		return handOver(x, http.StatusOK, show(x, r), r)
	})
}

// handOver responds with the state of a request. If it has ended, the agent has received the
// answer.
func handOver(x *exchange, status int, reply *client.Request, r *bridge.Record) error {
	if err := x.reply(status, reply); err != nil || !x.written {
		return err
	}
	x.who.Handed(r)
	return nil
}

// parkAndLoad is load for a caller who may wait afterwards.
func parkAndLoad(x *exchange) (*bridge.Record, error) {
	x.place = x.s.bridge.Park(x.r.PathValue("id"))
	return loadRequest(x)
}

// loadRequest returns the request in the path if it belongs to the caller.
func loadRequest(x *exchange) (*bridge.Record, error) {
	r, err := x.fetch(x.r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	x.about = r.ID
	return r, nil
}

// maxReason is the maximum length of a reason, in characters.
const maxReason = 1000

// cancelRequest withdraws a request: POST /v1/requests/{id}/cancel.
func cancelRequest(x *exchange) error {
	var sent client.CancelBody
	if err := x.parseForm(&sent, false, "nothing was cancelled", `send {"reason":"…"}, or no body`); err != nil {
		return err
	}
	if n := utf8.RuneCountInString(sent.Reason); n > maxReason {
		return problem(http.StatusUnprocessableEntity, "nothing was cancelled").
			at("reason", "has %d characters; at most %d are allowed", n, maxReason)
	}
	ctx, stop := budget(x.r.Context())
	defer stop()
	r, err := x.who.Load(ctx, x.r.PathValue("id"))
	if err != nil {
		return err
	}
	x.about = r.ID
	cancel := func() (err error) {
		r, err = x.who.Cancel(ctx, r.ID, sent.Reason)
		return err
	}
	if r.Open() && !x.who.Asked(&r) {
		err = audited(ctx, x, "request_cancel", r.ID, cancel) // The request's own history names the agent that asked.
	} else {
		err = cancel()
	}
	if err != nil {
		return err
	}
	return x.reply(http.StatusOK, show(x, &r))
}

// change applies an operation to the request in the path, if the route lets the caller change it.
func change(x *exchange, operation access.Change) (*bridge.Record, error) {
	ctx, stop := budget(x.r.Context())
	defer stop()
	after, err := x.who.Change(ctx, x.r.PathValue("id"), x.route.whose, operation)
	if err == nil {
		x.about = after.ID
	}
	return &after, err
}

// changes serves a route that applies an operation and returns the request.
func changes(operation access.Change) func(*exchange) error {
	return func(x *exchange) error {
		after, err := change(x, operation)
		if err != nil {
			return err
		}
		return x.reply(http.StatusOK, show(x, after))
	}
}

const (
	defaultPage = 50
	maxPage     = 200
	// listEffort is the number of records examined for one page of a filtered list.
	listEffort = 2000
)

// stateEnded selects all requests that are not open.
const stateEnded ask.State = "ended"

// listStates are the states that a list can select, listCalls those of a webhook.
var listStates, listCalls = enumOf[listParams]("state"), enumOf[listParams]("webhook")

// listQuery contains the filters of a list.
type listQuery struct {
	bridge.Query

	state   ask.State
	webhook record.Call
	since   time.Time
	mine    bool
}

func readList(query url.Values) (*listQuery, error) {
	q := &listQuery{state: ask.State(query.Get("state")), webhook: record.Call(query.Get("webhook")), Query: bridge.Query{Limit: defaultPage}}
	if q.webhook != "" && !slices.Contains(listCalls, string(q.webhook)) {
		return nil, parameter("webhook", "is not one of %s", strings.Join(listCalls, ", "))
	}
	switch {
	case q.state != "":
	case q.webhook != "":
		q.state = stateEnded
	default:
		q.state = ask.Open
	}
	if !slices.Contains(listStates, string(q.state)) {
		return nil, parameter("state", "is not one of %s", strings.Join(listStates, ", "))
	}
	q.Ended = q.state != ask.Open
	if s := query.Get("limit"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return nil, parameter("limit", "is not a number from 1 to %d", maxPage)
		}
		q.Limit = min(n, maxPage)
	}
	if s := query.Get("since"); s != "" {
		var err error
		if q.since, err = time.Parse(time.RFC3339, s); err != nil {
			return nil, parameter("since", "is not a moment such as 2026-11-24T09:30:00Z")
		}
		if !q.Ended {
			return nil, parameter("since", "applies to ended requests; use state=ended or one of the final states")
		}
		q.After = bridge.Cursor{At: q.since}
	}
	if s := query.Get("mine"); s != "" {
		var err error
		if q.mine, err = strconv.ParseBool(s); err != nil {
			return nil, parameter("mine", "is neither true nor false")
		}
		if q.mine && q.Ended {
			return nil, parameter("mine", "applies to open requests")
		}
	}
	if s := query.Get("cursor"); s != "" {
		var err error
		if q.After, err = parseCursor(s, q.Ended); err != nil {
			return nil, parameter("cursor", "is not the next of an earlier page with the same state")
		}
	}
	return q, nil
}

// fits reports whether a record matches the filters.
func (q *listQuery) fits(r *bridge.Record) bool {
	if q.webhook != "" && (r.Webhook == nil || r.Webhook.State != q.webhook) {
		return false
	}
	return !r.EndedAt.Before(q.since) && (q.state == stateEnded || r.Outcome.State == q.state)
}

// listRequests returns requests in pages: GET /v1/requests.
func listRequests(x *exchange) error {
	q, err := readList(x.r.URL.Query())
	if err != nil {
		return err
	}
	if q.mine {
		if err := x.who.May(access.Answer); err != nil {
			return err
		}
	}
	ctx, cancel := budget(x.r.Context())
	defer cancel()
	page := client.Page{Requests: []client.Request{}}
	for seen := 0; ; {
		found, err := x.who.List(ctx, q.Query)
		if err != nil {
			return err
		}
		for n := range found {
			q.After = bridge.CursorOf(&found[n], q.Ended)
			if q.fits(&found[n]) && (!q.mine || x.who.Awaited(&found[n])) {
				page.Requests = append(page.Requests, *show(x, &found[n]))
			}
			if len(page.Requests) == q.Limit {
				break
			}
		}
		if len(page.Requests) < q.Limit && len(found) < q.Limit {
			return x.reply(http.StatusOK, page)
		}
		if seen += len(found); len(page.Requests) == q.Limit || seen >= listEffort {
			page.Next = cursor(q.After, q.Ended)
			return x.reply(http.StatusOK, page)
		}
	}
}

// cursor encodes the last record of a page: its position in its index.
func cursor(c bridge.Cursor, ended bool) string {
	kind := "o"
	if ended {
		kind = "e"
	}
	return base64.RawURLEncoding.EncodeToString([]byte(kind + " " + c.At.UTC().Format(time.RFC3339Nano) + " " + c.ID))
}

func parseCursor(s string, ended bool) (bridge.Cursor, error) {
	data, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil {
		return bridge.Cursor{}, err
	}
	part := strings.Split(string(data), " ")
	if len(part) != 3 || ended != (part[0] == "e") {
		return bridge.Cursor{}, errors.New("api: not a cursor")
	}
	at, err := time.Parse(time.RFC3339Nano, part[1])
	if err != nil {
		return bridge.Cursor{}, err
	}
	return bridge.Cursor{At: at, ID: part[2]}, nil
}
