package page

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"

	"github.com/askbridge/askbridge/chatsim/slacksim"
)

// maxHops limits the redirects of an installation.
const maxHops = 10

// maxShown limits the text of the bot's page in the control API.
const maxShown = 64 << 10

// install walks through an installation as a person does in a browser: opens the bot's link,
// chooses a workspace on Slack's page, allows or cancels, and goes back to the bot.
func (h *handler) install(w http.ResponseWriter, r *http.Request) {
	var want struct{ Workspace, Person, URL, Decision string }
	if !readAction(w, r, &want) {
		return
	}
	sim, err := h.workspaceOf(want.Workspace)
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	person := Person{}
	if want.Person != "" {
		if person, err = who(otherWorkspace{&slackChat{Server: sim}, h.workspaces.home}, want.Person); err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
	}
	start, err := url.Parse(want.URL)
	switch {
	case err != nil || start.Host == "" || start.Scheme != "http" && start.Scheme != "https":
		http.Error(w, "url must be where the bot begins an installation, such as http://127.0.0.1:8080/slack/install.", http.StatusBadRequest)
		return
	case want.Decision != "" && want.Decision != "allow" && want.Decision != "cancel":
		http.Error(w, "decision must be allow or cancel.", http.StatusBadRequest)
		return
	}
	if want.Decision == "" {
		want.Decision = "allow"
	}
	ctx, cancel := context.WithTimeout(r.Context(), actTime)
	defer cancel()
	team, _ := sim.Team()
	b := newInstaller(sim, start, url.Values{"team": {team}, "person": {person.ID}, "decision": {want.Decision}})
	end, err := b.walk(ctx, start)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	h.note(fmt.Sprintf("# %s is chosen on the installation page of %s. A scene has no such step.", want.Decision, team))
	writeJSON(w, end)
}

// installed is where an installation ends.
type installed struct {
	Status    int    `json:"status"`    // of the last page
	URL       string `json:"url"`       // of the last page
	Text      string `json:"text"`      // of the last page, as HTML
	Installed bool   `json:"installed"` // the app is in the workspace now
}

// installer is a person's browser during an installation. It reaches the bot's public address,
// to which Slack sends people back, at the address of the link, as a proxy would forward it.
type installer struct {
	sim    *slacksim.Server
	bot    *url.URL
	choice url.Values
	jar    *cookiejar.Jar
	public *url.URL // the bot, for cookies
}

func newInstaller(sim *slacksim.Server, bot *url.URL, choice url.Values) *installer {
	jar, _ := cookiejar.New(nil) // It fails only with options.
	return &installer{sim: sim, bot: bot, choice: choice, jar: jar, public: &url.URL{Scheme: "https", Host: "bot.invalid"}}
}

// slackPage reports whether an address is Slack's.
func (b *installer) slackPage(at *url.URL) bool {
	return strings.HasPrefix(at.String(), b.sim.URL()+"/")
}

// walk follows the redirects from the bot's link to the last page.
func (b *installer) walk(ctx context.Context, at *url.URL) (installed, error) {
	for range maxHops {
		resp, err := b.visit(ctx, at)
		if err != nil {
			return installed{}, fmt.Errorf("%s cannot be opened: %w", at, err)
		}
		text, err := io.ReadAll(io.LimitReader(resp.Body, maxShown))
		_ = resp.Body.Close() // Everything needed has been read.
		if err != nil {
			return installed{}, fmt.Errorf("%s cannot be read: %w", at, err)
		}
		next, err := resp.Location()
		if errors.Is(err, http.ErrNoLocation) || resp.StatusCode < 300 || resp.StatusCode > 399 {
			return installed{resp.StatusCode, at.String(), string(text), b.sim.Installed()}, nil
		}
		if err != nil {
			return installed{}, fmt.Errorf("%s redirects to a malformed address: %w", at, err)
		}
		if next.Scheme != "http" && next.Scheme != "https" { // Such as slack://, which opens Slack.
			return installed{resp.StatusCode, resp.Header.Get("Location"), "", b.sim.Installed()}, nil
		}
		at = next
	}
	return installed{}, fmt.Errorf("more than %d redirects", maxHops)
}

// visit opens an address. On Slack's page it decides at once.
func (b *installer) visit(ctx context.Context, at *url.URL) (*http.Response, error) {
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if b.slackPage(at) {
		client.Transport = b.sim.Client().Transport
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, at.String(), strings.NewReader(b.choice.Encode()))
		if err != nil {
			return nil, err
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		return client.Do(req)
	}
	local, public := *at, *b.public
	if !b.slackPage(b.bot) {
		local.Scheme, local.Host = b.bot.Scheme, b.bot.Host
	}
	public.Path = at.Path
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, local.String(), http.NoBody)
	if err != nil {
		return nil, err
	}
	for _, c := range b.jar.Cookies(&public) {
		req.AddCookie(c)
	}
	resp, err := client.Do(req)
	if err == nil {
		b.jar.SetCookies(&public, resp.Cookies())
		resp.Request.URL = at // A relative redirect stays at the public address.
	}
	return resp, err
}
