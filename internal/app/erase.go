package app

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/app/audit"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/store"
)

// Eraser erases texts from a store in parts: from ended requests, then from the audit trail, then from
// the free pages of a file.
type Eraser struct {
	store bridge.Store
	trail *Audit // Nil if there is none.
}

// OpenEraser opens the configured store. If it is a file, askbridge serve must not be running.
func OpenEraser(ctx context.Context, cfg *config.Config, log *slog.Logger) (*Eraser, error) {
	if cfg.Store.Type == config.StoreMemory {
		return nil, errors.New("store.type is memory, which has no stored data")
	}
	s, err := OpenStore(ctx, cfg, log)
	if err != nil {
		return nil, err
	}
	x := &Eraser{store: s}
	if cfg.Audit.On() {
		if x.trail, _, err = newAudit(cfg, s.KeyValue()); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	return x, nil
}

// Close closes the store.
func (x *Eraser) Close() error { return x.store.Close() }

// Erase is [client.Client.Erase].
func (x *Eraser) Erase(ctx context.Context, e client.Erase) (*client.Erased, error) {
	return x.EraseFor(ctx, e, access.Operator)
}

// The steps of an erasure.
const (
	inRequests = ""
	inTrail    = "trail"
	inFree     = "free"
)

// erasePlace is the progress of an erasure. With an audit trail it has the ticket of its note.
type erasePlace struct {
	Of     string      `json:"of,omitempty"`
	Ticket string      `json:"ticket,omitempty"`
	Step   string      `json:"step,omitempty"`
	Behind store.Place `json:"behind,omitzero"`
	Tenant string      `json:"tenant,omitempty"`
	Trail  string      `json:"trail,omitempty"`
	Page   int         `json:"page,omitempty"`
}

func parseErasePlace(cursor string) (at erasePlace, err error) {
	if cursor == "" {
		return at, nil
	}
	data, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil {
		err = json.Unmarshal(data, &at)
	}
	if err != nil || !slices.Contains([]string{inRequests, inTrail, inFree}, at.Step) || at.Page < 0 {
		return at, notErased("cursor", "is of no erasure")
	}
	return at, nil
}

func (at erasePlace) cursor() (string, error) {
	data, err := json.Marshal(at)
	return base64.RawURLEncoding.EncodeToString(data), err
}

// notErased is a mistake of the caller.
func notErased(path, detail string) error {
	return &ask.InvalidError{Problems: []ask.Problem{{Path: path, Detail: detail}}}
}

// checkPerson rejects what is not a person of a platform; empty is everyone.
func checkPerson(who string) error {
	if e, ok := ask.ParseEntry(who); who == "" || ok && e.Word == "" && e.Kind == "" {
		return nil
	}
	return notErased("person", "must be a person, such as slack:U0000001")
}

// EraseFor processes a part of an erasure for a caller. The trail records it before anything is erased.
// An erasure that selects nothing is an [*ask.InvalidError].
func (x *Eraser) EraseFor(ctx context.Context, e client.Erase, by string) (*client.Erased, error) {
	at, err := parseErasePlace(e.Cursor)
	if err != nil {
		return nil, err
	}
	if e.Person == "" && e.Request == "" && e.EndedBefore.IsZero() {
		return nil, notErased("person", "say what to erase: a request, a person, or what ended before a moment")
	}
	if err := checkPerson(e.Person); err != nil {
		return nil, err
	}
	if e.Cursor == "" {
		at.Of = wanted(e)
	}
	if at.Of != wanted(e) || at.Step != inRequests && e.DryRun || at.Step == inTrail && !x.inTrail(e) {
		return nil, notErased("cursor", "is of another erasure")
	}
	if err := x.note(ctx, e, &at, by); err != nil {
		return nil, err
	}
	sum, more := &client.Erased{}, false
	switch at.Step {
	case inRequests:
		more, err = x.requests(ctx, e, &at, sum)
	case inTrail:
		more, err = x.lines(ctx, e, &at, sum, by)
	case inFree:
		more, err = x.free(&at)
	}
	if err != nil {
		return nil, err
	}
	if at.Step == inRequests && e.Request != "" && sum.Requests == 0 {
		return sum, nil // It ended later, so its trail is kept, too.
	}
	if !more && !x.follow(&at, e) {
		return sum, nil
	}
	sum.Next, err = at.cursor()
	return sum, err
}

// note records an erasure in the trail before its first part, and verifies that for the others.
func (x *Eraser) note(ctx context.Context, e client.Erase, at *erasePlace, by string) error {
	switch {
	case e.DryRun || x.trail == nil:
	case e.Cursor == "":
		if err := x.trail.Note(ctx, noteErase, by, wanted(e)); err != nil {
			return err
		}
		at.Ticket = x.trail.log.Ticket(noteErase, by, wanted(e))
	case !x.trail.log.Noted(at.Ticket, noteErase, by, wanted(e)):
		return auditError(audit.ErrErasureCursor)
	}
	return nil
}

// noteErase is the kind of the line that records an erasure.
const noteErase = "request_erase"

// wanted describes an erasure for the trail and its cursor.
func wanted(e client.Erase) string {
	var of []string
	for _, pair := range [][2]string{{"person", e.Person}, {"request", e.Request}, {"ended_before", moment(e.EndedBefore)}} {
		if pair[1] != "" {
			of = append(of, pair[0]+"="+pair[1])
		}
	}
	if e.DryRun {
		of = append(of, "dry_run")
	}
	return strings.Join(of, " ")
}

func moment(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}

// wiper is a store with free pages that contain deleted data.
type wiper interface {
	Wipe(from int) (next int, err error)
}

// inTrail reports whether there is a trail to erase from.
func (x *Eraser) inTrail(e client.Erase) bool {
	return x.trail != nil && (e.Person != "" || e.Request != "")
}

// follow moves to the next step, if there is one.
func (x *Eraser) follow(at *erasePlace, e client.Erase) bool {
	_, wipes := x.store.(wiper)
	switch {
	case e.DryRun || at.Step == inFree:
		return false
	case at.Step == inRequests && x.inTrail(e):
		*at = erasePlace{Of: at.Of, Step: inTrail, Ticket: at.Ticket}
	default:
		*at = erasePlace{Of: at.Of, Step: inFree, Ticket: at.Ticket}
		return wipes
	}
	return true
}

func (x *Eraser) requests(ctx context.Context, e client.Erase, at *erasePlace, sum *client.Erased) (more bool, err error) {
	n, next, err := store.Erase(ctx, x.store, store.Erasure{Request: e.Request, Person: e.Person, Before: e.EndedBefore, DryRun: e.DryRun}, at.Behind)
	at.Behind = next
	sum.Requests, sum.Erased, sum.Open = n.Requests, n.Erased, n.Open
	return next != store.Place{}, err
}

// lines erases in the chains of all tenants, by name.
func (x *Eraser) lines(ctx context.Context, e client.Erase, at *erasePlace, sum *client.Erased, by string) (more bool, err error) {
	tenants, err := x.trail.Tenants(ctx)
	if err != nil {
		return false, err
	}
	slices.Sort(tenants)
	n, found := slices.BinarySearch(tenants, at.Tenant)
	if n == len(tenants) {
		return false, nil
	}
	if !found {
		at.Tenant, at.Trail = tenants[n], ""
	}
	erased, err := x.trail.eraseBefore(ctx, client.AuditErase{Tenant: at.Tenant, Request: e.Request, Person: e.Person, Cursor: at.Trail}, e.EndedBefore, by)
	if err != nil {
		return false, fmt.Errorf("erase from the trail of %q: %w", at.Tenant, err)
	}
	sum.Lines, at.Trail = erased.Lines, erased.Next
	if erased.Next == "" && n+1 < len(tenants) {
		at.Tenant = tenants[n+1]
	}
	return erased.Next != "" || n+1 < len(tenants), nil
}

func (x *Eraser) free(at *erasePlace) (more bool, err error) {
	s, wipes := x.store.(wiper)
	if !wipes {
		return false, nil
	}
	at.Page, err = s.Wipe(at.Page)
	return at.Page != 0, err
}
