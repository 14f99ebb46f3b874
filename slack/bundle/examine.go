package bundle

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/app/doctor"
	"github.com/askbridge/askbridge/internal/app/provider"
	"github.com/askbridge/askbridge/slack"
	"github.com/askbridge/askbridge/slack/install"
)

// webAPI calls the Web API as the bot or, with the app-level token, as the app.
type webAPI struct {
	address  string
	bot, app config.Secret
}

// said contains the members of every Web API response.
type said struct {
	OK     bool   `json:"ok"`
	Error  string `json:"error"`
	Needed string `json:"needed"`
}

// call makes one call and decodes the response into out. word is Slack's error code; err is set
// if Slack sent no response.
func (a *webAPI) call(ctx context.Context, token config.Secret, method string, args url.Values, out any) (r doctor.Reply, word string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.address+method, strings.NewReader(args.Encode()))
	if err != nil {
		return r, "", doctor.Plain(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Authorization", "Bearer "+token.Reveal())
	if r, err = doctor.Send(http.DefaultClient, req); err != nil {
		return r, "", err
	}
	var s said
	r.Into(&s)
	switch {
	case r.Status == http.StatusTooManyRequests:
		return r, "ratelimited", nil
	case r.Status != http.StatusOK || !s.OK && s.Error == "":
		return r, "", fmt.Errorf("it answers with HTTP %d and not as Slack does", r.Status)
	}
	r.Into(out)
	return r, s.Error, nil
}

// exam checks one app in one workspace.
type exam struct {
	r   *doctor.Report
	cfg *Section
	api *webAPI
	doctor.Visit

	bot    string // the bot's name
	home   string // the workspace's address
	linked bool   // the addresses of cards were checked
	botID  string
	teams  []string // the workspaces of an organization-wide installation; "" for a single one, which need not be specified
	scopes []string // nil if Slack did not return them
}

func newExam(s *Section) *exam {
	address := strings.TrimSuffix(cmp.Or(s.APIURL, "https://slack.com/api/"), "/") + "/"
	return &exam{cfg: s, api: &webAPI{address: address, bot: s.BotToken, app: s.AppToken}}
}

// Advice about tokens.
const (
	doGetBot = "In the app's settings: OAuth & Permissions, Reinstall to Workspace, and copy the Bot User OAuth Token (xoxb-) into slack.bot_token."
	doGetApp = "In the app's settings: Basic Information, App-Level Tokens, make one with connections:write and copy it (xapp-) into slack.app_token."
)

// Examine checks the tokens, the scopes, how interactions are delivered, and every configured
// place and person.
func (s *Section) Examine(ctx context.Context, r *doctor.Report, named doctor.Named) {
	x := newExam(s)
	x.r = r
	x.Responders, x.Groups = named.Responders, named.Groups
	for _, place := range slices.Concat(named.Routes, named.Agents) {
		if place.User != "" {
			x.People = append(x.People, place.User)
		} else {
			x.Channels = append(x.Channels, place.Channel)
		}
	}
	x.Channels, x.People = doctor.Sorted(x.Channels), doctor.Sorted(x.People)
	x.examine(ctx, named)
}

func (x *exam) examine(ctx context.Context, named doctor.Named) {
	if x.cfg.ClientID != "" {
		x.r.OK("slack/token", "workspaces install the app at %s%s; askbridge slack installations lists them and their dead tokens",
			strings.TrimSuffix(x.cfg.Install.Address, "/"), install.StartPath)
		x.mode(ctx)
		return
	}
	if !x.cfg.BotToken.Set() {
		x.r.Add("slack/token", doctor.Broken, doGetBot, "slack.bot_token is missing")
		return
	}
	if !x.token(ctx) {
		return
	}
	x.granted(named.Replies)
	x.mode(ctx)
	x.Each(
		func(id string) { x.channel(ctx, id) },
		func(id string, asked bool) { x.person(ctx, id, asked) },
		func(g ask.Entry) { x.group(ctx, g) },
	)
}

// token checks the bot token with auth.test.
func (x *exam) token(ctx context.Context) bool {
	const id = "slack/token"
	var us struct {
		Team   string `json:"team"`
		TeamID string `json:"team_id"`
		User   string `json:"user"`
		BotID  string `json:"bot_id"`
		URL    string `json:"url"`
		Wide   bool   `json:"is_enterprise_install"`

		Enterprise string `json:"enterprise_id"`
	}
	r, word, err := x.api.call(ctx, x.api.bot, "auth.test", nil, &us)
	switch {
	case err != nil:
		x.r.Add(id, doctor.Broken, "Look at the network, the proxy and slack.api_url.", "Slack cannot be asked at %s: %v", doctor.Host(x.api.address), err)
		return false
	case word == "ratelimited":
		x.r.Add(id, doctor.Note, "Try again in a minute.", "Slack asks for patience")
		return false
	case word != "":
		x.r.Add(id, doctor.Broken, doGetBot, "Slack does not accept slack.bot_token: %s", word)
		return false
	}
	x.bot, x.botID, x.home, x.teams = us.User, us.BotID, us.URL, []string{""}
	if us.Wide {
		x.organisation(ctx, us.Team, cmp.Or(us.Enterprise, us.TeamID))
	} else {
		x.r.OK(id, "it is @%s in the workspace %s (%s)", us.User, us.Team, us.TeamID)
	}
	x.r.Clock("slack/clock", "Slack's", r, x.arrives() == slack.ModeHTTP)
	x.scopesIn(r)
	return true
}

// scopesIn keeps the bot's scopes, which every response lists.
func (x *exam) scopesIn(r doctor.Reply) {
	if _, sent := r.Header["X-Oauth-Scopes"]; !sent {
		return
	}
	x.scopes = []string{}
	for scope := range strings.SplitSeq(r.Header.Get("X-Oauth-Scopes"), ",") {
		if scope = strings.TrimSpace(scope); scope != "" {
			x.scopes = append(x.scopes, scope)
		}
	}
}

// organisation checks that the app was added to a workspace of its organization; none is the
// default (https://docs.slack.dev/enterprise/developing-for-enterprise-orgs).
func (x *exam) organisation(ctx context.Context, name, enterprise string) {
	const id = "slack/token"
	teams, word, err := x.workspaces(ctx)
	switch {
	case err != nil:
		x.r.Add(id, doctor.Note, "Try again.", "it is @%s in the organisation %s (%s), whose workspaces could not be looked at: %v", x.bot, name, enterprise, err)
	case word != "":
		x.r.Add(id, doctor.Note, "", "it is @%s in the organisation %s (%s), whose workspaces could not be looked at: %s", x.bot, name, enterprise, word)
	case len(teams) == 0:
		x.r.Add(id, doctor.Broken, "In the organisation's settings: Integrations, Installed apps, the app, Add to more workspaces.",
			"it is @%s in the organisation %s (%s) and in none of its workspaces", x.bot, name, enterprise)
	default:
		x.teams = teams
		x.r.OK(id, "it is @%s in the organisation %s (%s), in %s", x.bot, name, enterprise, strings.Join(teams, ", "))
	}
}

// workspaces lists the workspaces of an organization that have the app.
func (x *exam) workspaces(ctx context.Context) (teams []string, word string, err error) {
	var reply struct {
		Teams []struct {
			ID string `json:"id"`
		} `json:"teams"`
	}
	_, word, err = x.api.call(ctx, x.api.bot, "auth.teams.list", nil, &reply)
	for _, team := range reply.Teams {
		teams = append(teams, team.ID)
	}
	return teams, word, err
}

// granted compares the bot's scopes with those of the features. Features that every app has and those that the configuration
// uses should work; the others may be off.
func (x *exam) granted(replies bool) {
	const (
		id = "slack/scopes"
		do = "In the app's settings: OAuth & Permissions, Bot Token Scopes, add them and reinstall; or paste what \"askbridge slack manifest\" prints."
	)
	if x.scopes == nil {
		x.r.Add(id, doctor.Note, "", "Slack did not return the bot's scopes")
		return
	}
	required := map[string]bool{
		"chat:write": true, "im:write": len(x.People) > 0, "usergroups:read": len(x.Groups) > 0,
		"users:read": x.cfg.Guests == slack.GuestsRefuse,
	}
	agentless := x.cfg.AgentStatus && !slices.Contains(x.scopes, slack.ScopeAgent)
	if agentless {
		x.r.Add(id, doctor.Warn, "Paste what \"askbridge slack manifest --agent\" prints, with your other flags, and reinstall the app.",
			"slack.%s needs an app that is declared an agent (%s)", slack.SettingAgent, slack.ScopeAgent)
	}
	var broken, missing, off, switches []string
	for _, f := range slack.Lacking(x.scopes, false) {
		switch {
		case slices.ContainsFunc(f.Scopes, func(s string) bool { return required[s] }):
			broken = append(broken, f.String())
		case f.Switch == "", len(f.Events) > 0 && replies:
			missing = append(missing, f.String())
		default:
			off, switches = append(off, f.String()), append(switches, "--"+f.Switch)
		}
	}
	if len(broken) > 0 {
		x.r.Add(id, doctor.Broken, do, "the bot lacks the scopes for %s", strings.Join(broken, "; "))
	}
	if len(missing) > 0 {
		x.r.Add(id, doctor.Warn, do, "the bot lacks the scopes for %s", strings.Join(missing, "; "))
	}
	if len(off) > 0 {
		x.r.Add(id, doctor.Note, "To use them, grant the scopes, or paste what \"askbridge slack manifest "+strings.Join(switches, " ")+"\" prints.",
			"off without their scopes: %s", strings.Join(off, "; "))
	}
	known := []string{slack.ScopePublic}
	for _, s := range slices.Concat(slack.Scopes(), slack.SetupScopes()) {
		known = append(known, s.Name)
	}
	extra := slices.DeleteFunc(slices.Clone(x.scopes), func(s string) bool { return slices.Contains(known, s) })
	if len(extra) > 0 {
		x.r.Add(id, doctor.Note, "Remove them if nothing else uses this app.", "the bot has more than askbridge uses: %s", strings.Join(extra, ", "))
	}
	if len(broken)+len(missing)+len(off)+len(extra) == 0 && !agentless {
		x.r.OK(id, "the bot has those of every feature")
	}
}

// arrives returns how the program receives interactions.
func (x *exam) arrives() string {
	switch {
	case x.cfg.Mode != "":
		return x.cfg.Mode
	case x.cfg.AppToken.Set():
		return slack.ModeSocket
	}
	return slack.ModeHTTP
}

// mode checks whether interactions can be delivered.
func (x *exam) mode(ctx context.Context) {
	const id = "slack/mode"
	socket := x.arrives() == slack.ModeSocket
	if !x.cfg.AppToken.Set() {
		if socket {
			x.r.Add(id, doctor.Broken, doGetApp, "Socket Mode needs slack.app_token")
			return
		}
		x.httpNote()
		return
	}
	x.sameApp(ctx)
	_, word, err := x.api.call(ctx, x.api.app, "apps.connections.open", nil, &struct{}{})
	switch {
	case err != nil:
		x.r.Add(id, doctor.Broken, "Look at the network and the proxy.", "Slack cannot be asked for a socket: %v", err)
	case word == "" && socket:
		x.r.OK(id, "Socket Mode: Slack gives us a connection")
	case word == "":
		x.r.Add(id, doctor.Broken, "Switch Socket Mode off in the app's settings, or set slack.mode to socket.",
			"Socket Mode is enabled in the app, so Slack sends nothing over HTTP, which slack.mode requires")
	case !socket:
		x.httpNote()
	case word == "missing_scope":
		x.r.Add(id, doctor.Broken, doGetApp, "slack.app_token lacks %s", slack.AppScope)
	case strings.Contains(word, "socket_mode"):
		x.r.Add(id, doctor.Broken, "In the app's settings: Socket Mode, Enable Socket Mode.", "Socket Mode is off in the app")
	default:
		x.r.Add(id, doctor.Broken, doGetApp, "Slack does not accept slack.app_token: %s", word)
	}
}

// httpNote lists what can only be checked in the app's settings. Slack sends no events to a URL
// that has not answered its challenge
// (https://docs.slack.dev/apis/events-api/using-http-request-urls).
func (x *exam) httpNote() {
	x.r.Add("slack/mode", doctor.Note, "It must be https://<your address>"+provider.Callback(slack.Name)+" in the app's settings, under Interactivity & Shortcuts "+
		"and under Event Subscriptions. While askbridge serve runs, press Retry there until it shows Verified: before that Slack sends no typed answers.",
		"over HTTP: cannot check that the Request URL points here")
}

// sameApp checks that both tokens belong to one app. The app-level token contains its app's id.
func (x *exam) sameApp(ctx context.Context) {
	parts := strings.Split(x.cfg.AppToken.Reveal(), "-")
	if len(parts) < 4 || x.botID == "" {
		return
	}
	var reply struct {
		Bot struct {
			AppID string `json:"app_id"`
		} `json:"bot"`
	}
	_, word, err := x.api.call(ctx, x.api.bot, "bots.info", url.Values{"bot": {x.botID}}, &reply)
	if err != nil || word != "" || reply.Bot.AppID == "" || reply.Bot.AppID == parts[2] {
		return
	}
	x.r.Add("slack/tokens", doctor.Broken, "Copy both tokens from the settings of the same app.",
		"slack.app_token is of the app %s and slack.bot_token of %s", parts[2], reply.Bot.AppID)
}
