package api

import (
	"context"
	"errors"
	"fmt"
	"html"
	"net/http"
	"strings"

	"github.com/askbridge/askbridge/access"
)

// mountSignIn serves the sign-in of the console.
func (h *Handler) mountSignIn() {
	if h.service.opts.SignIn == nil {
		return
	}
	for pattern, serve := range map[string]func(*exchange) error{
		"GET /console/sign-in": beginSignIn, "GET /console/callback": finishSignIn, "POST /console/sign-out": endSession,
		"GET /console/session": showSession,
	} {
		method, path, _ := strings.Cut(pattern, " ")
		rt := route{method: method, path: path, open: true, serve: serve}
		h.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { h.service.serve(&rt, w, r) })
	}
}

// beginSignIn sends a browser to the provider: GET /console/sign-in.
func beginSignIn(x *exchange) error {
	ctx, stop := context.WithTimeout(x.r.Context(), signInBudget)
	defer stop()
	to, set, err := x.s.opts.SignIn.Begin(ctx)
	if err != nil {
		return notSignedIn(x, err)
	}
	http.SetCookie(x.w, set)
	redirect(x, to)
	return nil
}

// finishSignIn starts the session of a person who comes from the provider: GET /console/callback.
func finishSignIn(x *exchange) error {
	ctx, stop := context.WithTimeout(x.r.Context(), signInBudget)
	defer stop()
	who, set, err := x.s.opts.SignIn.Finish(x.r.WithContext(ctx))
	kind := "sign_in"
	if refused, ok := errors.AsType[SignInRefused](err); ok {
		_, who = refused.Refused()
		kind = "sign_in_refused"
	}
	if who != nil {
		if noted := noteSignIn(ctx, x, kind, who); noted != nil {
			return noted // A session without a record must not exist.
		}
	}
	for _, c := range set {
		http.SetCookie(x.w, c)
	}
	if err != nil {
		return notSignedIn(x, err)
	}
	x.s.log.Info("person signed in", "call_id", x.id(), "person", who.ID, "scopes", scopeList(who))
	// The next address is fixed: neither the provider nor a link chooses it.
	redirect(x, "../console")
	return nil
}

// signedIn is who has signed in, empty without a session.
type signedIn struct {
	Name   string         `json:"name,omitempty"`
	Scopes []access.Scope `json:"scopes,omitempty"`
}

// showSession shows the page who has signed in: GET /console/session.
func showSession(x *exchange) error {
	who, err := x.s.session(&route{console: true}, x.r)
	if p, ok := errors.AsType[*failure](err); ok && p.Status == http.StatusUnauthorized {
		err = nil // The page shows the sign-in.
	}
	if err != nil {
		return err
	}
	shown := signedIn{}
	if who != nil {
		shown = signedIn{Name: who.Name, Scopes: who.Scopes}
	}
	return x.reply(http.StatusOK, shown)
}

// endSession ends a session: POST /console/sign-out.
func endSession(x *exchange) error {
	if !x.s.ownPage(x.r) {
		return problem(http.StatusForbidden, "calls from pages of other origins are refused")
	}
	ctx, stop := budget(x.r.Context())
	defer stop()
	who, set, err := x.s.opts.SignIn.End(x.r.WithContext(ctx))
	if err != nil {
		return err
	}
	if who != nil {
		if err := noteSignIn(ctx, x, "sign_out", who); err != nil {
			return err
		}
		x.s.log.Info("person signed out", "call_id", x.id(), "person", who.ID)
	}
	http.SetCookie(x.w, set)
	return x.reply(http.StatusOK, struct{}{})
}

// noteSignIn records a sign-in or its end in the audit trail.
func noteSignIn(ctx context.Context, x *exchange, kind string, who *access.Person) error {
	if x.s.opts.Audit == nil {
		return nil
	}
	if err := x.s.opts.Audit.Note(ctx, kind, who.String(), "scopes="+scopeList(who)); err != nil {
		return fmt.Errorf("cannot write to the audit trail: %w", err)
	}
	return nil
}

func scopeList(who *access.Person) string {
	var all []string
	for _, s := range who.Scopes {
		all = append(all, string(s))
	}
	return strings.Join(all, ",")
}

// redirect sends a browser elsewhere.
func redirect(x *exchange, to string) {
	x.w.Header().Set("Location", to)
	x.w.Header().Set("Referrer-Policy", "no-referrer")
	x.send(http.StatusSeeOther, "text/plain; charset=utf-8", nil)
}

// notSignedIn shows a person why a sign-in failed.
func notSignedIn(x *exchange, err error) error {
	reason, status := "The sign-in failed. Try again later.", http.StatusServiceUnavailable
	if refused, ok := errors.AsType[SignInRefused](err); ok {
		reason, _ = refused.Refused()
		status = http.StatusForbidden
	}
	x.s.log.Warn("sign-in failed", "call_id", x.id(), "remote", x.s.remote(x.r), "error", err)
	x.w.Header().Set("Content-Security-Policy", docsPolicy)
	x.w.Header().Set("Referrer-Policy", "no-referrer")
	x.send(status, docsKinds[".html"], []byte(strings.Replace(refusedPage, "{reason}", html.EscapeString(reason), 1)))
	return nil
}
