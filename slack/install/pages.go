package install

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/slack"
	"github.com/askbridge/askbridge/store/keyvalue"
)

// The paths of the pages.
const (
	StartPath    = "/slack/install"
	CallbackPath = "/slack/oauth/callback"
)

const (
	// stateTime is how long a person may take on Slack's page: as long as Slack's code lives
	// (https://docs.slack.dev/authentication/installing-with-oauth).
	stateTime  = 10 * time.Minute
	cookieName = "askbridge_install"
)

var (
	// installed matches the id of a workspace or an organization, word an error code of Slack.
	installed = regexp.MustCompile(`^[TE][A-Z0-9]{2,}$`)
	word      = regexp.MustCompile(`^[a-z0-9_]{1,80}$`)
)

// Pages returns the pages by their paths.
func (s *Service) Pages() map[string]http.Handler {
	return map[string]http.Handler{StartPath: page(s.start), CallbackPath: page(s.callback)}
}

// page serves GET only and lets nothing be stored, framed or run.
func page(f http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Content-Type-Options", "nosniff")
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			h.Set("Allow", "GET, HEAD")
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		f(w, r)
	})
}

// start sends a person to Slack's authorize page. A HEAD request, as of a link preview, starts nothing.
func (s *Service) start(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodHead {
		return
	}
	invitation := ""
	if s.o.Invitations {
		invitation = r.URL.Query().Get(invitationParameter)
	}
	if s.uninvited(w, invitation) {
		return
	}
	browser := rand.Text()
	http.SetCookie(w, &http.Cookie{
		Name: cookieName, Value: browser, Path: CallbackPath, MaxAge: int(stateTime.Seconds()),
		HttpOnly: true, Secure: true, SameSite: http.SameSiteLaxMode,
	})
	query := url.Values{
		"client_id": {s.o.ClientID}, "scope": {strings.Join(s.o.Scopes, ",")},
		"state": {s.state(browser, invitation, time.Now())}, "redirect_uri": {s.redirect()},
	}
	http.Redirect(w, r, s.authorize()+"?"+query.Encode(), http.StatusFound)
}

// redirect is the address to which Slack sends people back; both calls must name it alike.
func (s *Service) redirect() string { return s.o.Address + CallbackPath }

// authorize is the address of Slack's page, next to the API.
func (s *Service) authorize() string {
	return strings.TrimSuffix(s.o.APIURL, "api/") + "oauth/v2/authorize"
}

// state returns a signed state for a browser: when it expires, a nonce, the invitation if there is one, and
// the signature.
func (s *Service) state(browser, invitation string, now time.Time) string {
	text := strconv.FormatInt(now.Add(stateTime).Unix(), 10) + "." + rand.Text()
	if invitation != "" {
		text += "." + invitation
	}
	return text + "." + s.sign(signsState, text, browser)
}

// invitationIn returns the invitation in a genuine state, or "".
func invitationIn(state string) string {
	if parts := strings.Split(state, "."); len(parts) == 6 {
		return strings.Join(parts[2:5], ".")
	}
	return ""
}

// What a signature is for.
const (
	signsState      = "askbridge slack install state"
	signsInvitation = "askbridge slack invitation"
)

func (s *Service) sign(what, text, browser string) string {
	mac := hmac.New(sha256.New, []byte(s.o.ClientSecret))
	mac.Write([]byte(what + "\x00" + text + "\x00" + browser))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

var errState = errors.New("the link is too old, was used before, or was opened in another browser")

// spend checks a state and marks it as used.
func (s *Service) spend(ctx context.Context, state, browser string, now time.Time) error {
	cut := strings.LastIndexByte(state, '.')
	if cut < 0 || browser == "" || !hmac.Equal([]byte(state[cut+1:]), []byte(s.sign(signsState, state[:cut], browser))) {
		return errState
	}
	if !now.Before(expiry(state)) {
		return errState
	}
	_, err := s.o.Values().Put(ctx, spent(state), nil, &keyvalue.PutOptions{If: keyvalue.Absent, TTL: stateTime})
	switch {
	case errors.Is(err, keyvalue.ErrConflict):
		return errState
	case errors.Is(err, storage.ErrNotReplicated):
		return nil
	}
	return err
}

// spent is the key of a state or an invitation that was used.
func spent(text string) keyvalue.Key {
	sum := sha256.Sum256([]byte(text))
	return keyvalue.Key{Kind: kindState, ID: hex.EncodeToString(sum[:])}
}

// callback trades the code that Slack sent for a token.
func (s *Service) callback(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 4*callTimeout)
	defer cancel()
	query := r.URL.Query()
	browser := ""
	if c, err := r.Cookie(cookieName); err == nil {
		browser = c.Value
	}
	if err := s.spend(ctx, query.Get("state"), browser, time.Now()); err != nil {
		if !errors.Is(err, errState) {
			s.log.Warn("slack install state not stored", "error", err)
			show(w, http.StatusServiceUnavailable, view{Title: "Not installed", Text: "Something went wrong here. Try again in a minute.", Again: true})
			return
		}
		s.log.Info("slack install refused", "reason", err)
		show(w, http.StatusBadRequest, view{Title: "Not installed", Text: "This link is too old, was used before, or was opened in another browser.", Again: true})
		return
	}
	http.SetCookie(w, &http.Cookie{Name: cookieName, Path: CallbackPath, MaxAge: -1, HttpOnly: true, Secure: true, SameSite: http.SameSiteLaxMode})
	if refused := query.Get("error"); refused != "" {
		text := "Slack did not install the app."
		if refused == "access_denied" {
			text = "You cancelled the installation."
		}
		show(w, http.StatusOK, view{Title: "Not installed", Text: text, Again: true})
		return
	}
	i, why := s.exchange(ctx, query.Get("code"), invitationIn(query.Get("state")))
	if why != "" {
		show(w, http.StatusBadRequest, view{Title: "Not installed", Text: why, Again: true})
		return
	}
	s.log.Info("slack app installed", "installation", i.ID, "name", i.Name, "person", i.By, "scopes", strings.Join(i.Scopes, ","))
	if i.public().Wide() {
		// The app is in none of the organization's workspaces until an admin adds it
		// (https://docs.slack.dev/enterprise/developing-for-enterprise-orgs).
		http.Redirect(w, r, "https://app.slack.com/manage/"+url.PathEscape(i.ID)+"/integrations/profile/"+url.PathEscape(i.App)+"/workspaces/add", http.StatusSeeOther)
		return
	}
	show(w, http.StatusOK, view{
		Title: "Installed", Text: "The app is installed in " + i.Name + ". Invite it to a channel, and name the channel as in the example.",
		Example: slack.Name + "@" + i.ID + ":C0123ABCD",
		Open:    "slack://app?" + url.Values{"team": {i.ID}, "id": {i.App}, "tab": {"home"}}.Encode(),
	})
}

// exchange trades a code for an installation, which it stores, or returns why not.
func (s *Service) exchange(ctx context.Context, code, invitation string) (*saved, string) {
	const (
		failed   = "Slack did not accept the installation. Try again."
		unstored = "The installation could not be stored. Try again in a minute."
	)
	if code == "" {
		return nil, failed
	}
	reply, err := slackapi.GetOAuthV2ResponseContext(ctx, s.o.HTTPClient, s.o.ClientID, s.o.ClientSecret, code, s.redirect(), slackapi.OAuthOptionAPIURL(s.o.APIURL))
	if err != nil {
		code := codeOf(err)
		s.log.Warn("slack refused an installation", "code", code)
		if code == "cannot_install_an_org_installed_app" {
			return nil, "The app is installed for your whole organization. Its admin can add this workspace to that installation; nothing else is needed."
		}
		return nil, failed
	}
	i := &saved{
		ID: reply.Team.ID, Name: reply.Team.Name, Enterprise: reply.Enterprise.ID, App: reply.AppID, BotUser: reply.BotUserID,
		By: reply.AuthedUser.ID, At: time.Now().UTC(),
	}
	if reply.IsEnterpriseInstall {
		i.ID, i.Name = reply.Enterprise.ID, reply.Enterprise.Name
	}
	i.take(reply, time.Now())
	api := s.client(i.Token)
	if !installed.MatchString(i.ID) || reply.TokenType != "bot" || i.Token == "" || i.App == "" {
		s.log.Warn("slack sent an installation without a bot token")
		return nil, failed
	}
	admitted, err := s.admit(ctx, i, invitation)
	if err != nil {
		s.log.Error("slack installation not stored", "installation", i.ID, "error", err)
		return nil, unstored
	}
	if !admitted {
		_, err := api.SendAuthRevokeContext(ctx, "")
		s.log.Warn("slack app installed by a workspace that may not", "installation", i.ID, "name", i.Name, "revoked", err == nil)
		if s.o.Invitations {
			return nil, "This invitation link has been used, or is for no one. Ask the operator of this bridge for another one."
		}
		return nil, "The operator of this bridge does not allow " + i.Name + " to install the app. The operator can add its id, " + i.ID + "."
	}
	who, err := api.AuthTestContext(ctx)
	if err != nil {
		s.log.Warn("slack refused a new token", "installation", i.ID, "code", codeOf(err))
		return nil, failed
	}
	i.BotID, i.Address = who.BotID, who.URL
	if err := s.put(ctx, i, ""); err != nil {
		s.log.Error("slack installation not stored", "installation", i.ID, "error", err)
		return nil, unstored
	}
	return i, ""
}

// view is the content of a page.
type view struct {
	Title, Text, Example string
	// Open is an address of the Slack app.
	Open  string
	Again bool
}

const style = `body{font:1.1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:4rem auto;padding:0 1rem;color:#1d1c1d;background:#fff}` +
	`code{background:#f4f4f4;padding:.1rem .3rem}@media(prefers-color-scheme:dark){body{color:#eee;background:#1a1d21}code{background:#333}a{color:#8ab4f8}}`

// show writes a page. Package html/template would keep the linker from removing unused methods, which
// are a quarter of the program.
func show(w http.ResponseWriter, status int, v view) {
	var page strings.Builder
	write := func(format, text string) {
		if text != "" {
			fmt.Fprintf(&page, format, html.EscapeString(text))
		}
	}
	page.WriteString("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
	write("<title>%s</title>\n", v.Title)
	page.WriteString("<style>" + style + "</style>\n</head>\n<body>\n<main>\n")
	write("<h1>%s</h1>\n", v.Title)
	write("<p>%s</p>\n", v.Text)
	write("<p><code>%s</code></p>\n", v.Example)
	write("<p><a href=\"%s\">Open Slack</a></p>\n", v.Open)
	if v.Again {
		write("<p><a href=\"%s\">Install the app</a></p>\n", StartPath)
	}
	page.WriteString("</main>\n</body>\n</html>\n")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, page.String()) // The person may be gone.
}
