package install

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store/keyvalue"
)

// MaxInvitation is how long an invitation can be valid.
const MaxInvitation = 30 * 24 * time.Hour

// invitationParameter is the query parameter of an invitation.
const invitationParameter = "invitation"

// Invite returns a link with which one workspace or organization can install the app once until it expires.
// Anyone with the link can use it.
func (s *Service) Invite(valid time.Duration, now time.Time) string {
	text := strconv.FormatInt(now.Add(valid).Unix(), 10) + "." + rand.Text()
	query := url.Values{invitationParameter: {text + "." + s.sign(signsInvitation, text, "")}}
	return s.o.Address + StartPath + "?" + query.Encode()
}

// genuine reports whether an invitation was signed here and is not too old.
func (s *Service) genuine(invitation string, now time.Time) bool {
	cut := strings.LastIndexByte(invitation, '.')
	if cut < 0 || !hmac.Equal([]byte(invitation[cut+1:]), []byte(s.sign(signsInvitation, invitation[:cut], ""))) {
		return false
	}
	return now.Before(expiry(invitation))
}

// expiry returns when a signed text expires, which it begins with; in the past for another text.
func expiry(text string) time.Time {
	seconds, _, _ := strings.Cut(text, ".")
	until, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(until, 0)
}

// uninvited answers a visitor who can install nothing, and reports whether that was so.
func (s *Service) uninvited(w http.ResponseWriter, invitation string) bool {
	if s.o.Anyone || invitation == "" && len(s.o.Allow) > 0 || s.genuine(invitation, time.Now()) {
		return false
	}
	text := "You need an invitation link to install this app. Ask the operator of this bridge for one."
	if invitation != "" {
		text = "This invitation link is too old or incomplete. Ask the operator of this bridge for another one."
	}
	show(w, http.StatusForbidden, view{Title: "Not installed", Text: text})
	return true
}

// admit reports whether a workspace of an organization, or the organization, may install the app: it is on
// the list, or uses an invitation that no other one has used. Installing again with the same link
// is allowed, since the first attempt may not have been stored.
func (s *Service) admit(ctx context.Context, i *saved, invitation string) (bool, error) {
	if s.allowed(i.ID, i.Enterprise) {
		return true, nil
	}
	if !s.o.Invitations || !s.genuine(invitation, time.Now()) {
		return false, nil
	}
	key := spent(invitation)
	_, err := s.o.Values().Put(ctx, key, []byte(i.ID), &keyvalue.PutOptions{If: keyvalue.Absent, TTL: time.Until(expiry(invitation)) + time.Minute})
	switch {
	case err == nil, errors.Is(err, storage.ErrNotReplicated):
		return true, nil
	case !errors.Is(err, keyvalue.ErrConflict):
		return false, err
	}
	e, err := s.o.Values().Get(ctx, key)
	return err == nil && string(e.Value) == i.ID, err
}
