package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/askbridge/askbridge/access"
)

// SignIn lets people sign in at the console with a browser, in addition to tokens. An error that is a
// [SignInRefused] is shown to the person.
type SignIn interface {
	// Begin returns the address at which a person signs in, and a cookie that binds the sign-in to the browser.
	Begin(ctx context.Context) (to string, set *http.Cookie, err error)
	// Finish returns who has signed in with a call that comes from there, and the cookies to set, also with an
	// error.
	Finish(r *http.Request) (who *access.Person, set []*http.Cookie, err error)
	// Session returns the person of a call's session; nil without one.
	Session(r *http.Request) (*access.Person, error)
	// End ends the session of a call, and returns whose it was, nil for none, and the cookie to set.
	End(r *http.Request) (who *access.Person, set *http.Cookie, err error)
}

// SignInRefused is an error of [SignIn] for the person.
type SignInRefused interface {
	error
	// Refused returns the reason, and who the person is if they are known but may see nothing.
	Refused() (reason string, who *access.Person)
}

// session returns the person whose session a call has, or nil if there is none that counts: the console alone
// uses it, from its own pages.
func (s *service) session(rt *route, r *http.Request) (*access.Caller, error) {
	if s.opts.SignIn == nil || !rt.console || !s.ownPage(r) || len(r.Header.Values("Authorization")) > 0 {
		return nil, nil //nolint:nilnil // No session is no mistake.
	}
	ctx, stop := budgetBefore(r.Context())
	defer stop()
	who, err := s.opts.SignIn.Session(r.WithContext(ctx))
	if refused, ok := errors.AsType[SignInRefused](err); ok {
		reason, _ := refused.Refused()
		return nil, problem(http.StatusUnauthorized, "%s", reason)
	}
	if who == nil || err != nil {
		return nil, err
	}
	return s.entrance.Load().gate.SignedIn(who), nil
}

// ownPage reports whether a page of this very origin makes a call. Browsers say so, and no page can:
// https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header
func (s *service) ownPage(r *http.Request) bool {
	return r.Header.Get("Sec-Fetch-Site") == "same-origin" && s.cross.Check(r) == nil
}
