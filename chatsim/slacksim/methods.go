package slacksim

import (
	"slices"
	"strconv"
)

// method is one entry of the table of Web API methods.
type method struct {
	scope    string   // required scope; "" for none
	appToken bool     // requires the app-level token instead of the bot token
	open     bool     // requires no token
	form     bool     // accepts only form-encoded arguments
	args     []string // documented arguments
	team     bool     // requires team_id with the token of an organization-wide installation
	state    string   // "done" or "partly", for COVERAGE.md
	note     string   // limits of the method, for COVERAGE.md
	do       func(*Server, *call) (object, *apiError)
}

// methods is the table of implemented Web API methods. https://docs.slack.dev/reference/methods
func methods() map[string]method {
	with := func(args []string, more ...string) []string { return append(slices.Clip(args), more...) }
	saying := []string{"as_user", "attachments", "blocks", "channel", "link_names", "markdown_text", "metadata", "parse", "text"}
	dressed := with(saying, "icon_emoji", "icon_url", "thread_ts", "username")
	paging := []string{"channel", "cursor", "include_all_metadata", "inclusive", "latest", "limit", "oldest"}
	return map[string]method{
		"auth.test":             {do: (*Server).authTest, state: "done"},
		"auth.teams.list":       {do: (*Server).authTeamsList, form: true, args: []string{"cursor", "include_icon", "limit"}, state: "done"},
		"team.info":             {do: (*Server).teamInfo, scope: "team:read", args: []string{"team", "domain"}, state: "partly", note: "id, name and domain"},
		"bots.info":             {do: (*Server).botsInfo, form: true, scope: "users:read", args: []string{"bot", "team_id"}, state: "partly", note: "our own bot"},
		"users.info":            {do: (*Server).usersInfo, form: true, scope: "users:read", args: []string{"user", "include_locale"}, state: "partly", note: "names, team, time zone, locale, flags"},
		"users.list":            {do: (*Server).usersList, form: true, scope: "users:read", team: true, args: []string{"cursor", "include_locale", "limit", "team_id"}, state: "partly", note: "as users.info; without a limit one page of all"},
		"usergroups.list":       {do: (*Server).groupList, form: true, scope: "usergroups:read", team: true, args: []string{"include_count", "include_disabled", "include_users", "team_id"}, state: "partly", note: "ids, names, handles, members"},
		"usergroups.users.list": {do: (*Server).groupUsers, form: true, scope: "usergroups:read", team: true, args: []string{"usergroup", "include_disabled", "team_id"}, state: "done"},

		"conversations.open":    {do: (*Server).conversationsOpen, scope: "im:write", args: []string{"channel", "users", "return_im", "prevent_creation"}, state: "partly", note: "one person at a time"},
		"conversations.info":    {do: (*Server).conversationsInfo, form: true, args: []string{"channel", "include_locale", "include_num_members"}, state: "partly", note: "names and flags"},
		"conversations.list":    {do: (*Server).conversationsList, form: true, team: true, args: []string{"cursor", "exclude_archived", "limit", "team_id", "types"}, state: "partly", note: "names and flags"},
		"conversations.history": {do: (*Server).conversationsHistory, args: paging, state: "partly", note: "a cursor leads nowhere once its message is deleted"},
		"conversations.replies": {do: (*Server).conversationsReplies, form: true, args: with(paging, "ts"), state: "partly", note: "a cursor leads nowhere once its message is deleted"},

		"chat.postMessage":   {do: (*Server).chatPostMessage, scope: "chat:write", args: with(dressed, "mrkdwn", "reply_broadcast", "unfurl_links", "unfurl_media"), state: "partly", note: "no markdown_text, username, icons or broadcast replies"},
		"chat.postEphemeral": {do: (*Server).chatPostEphemeral, scope: "chat:write", args: with(dressed, "user"), state: "partly", note: "as chat.postMessage"},
		"chat.update":        {do: (*Server).chatUpdate, scope: "chat:write", args: with(saying, "file_ids", "reply_broadcast", "ts"), state: "partly", note: "as chat.postMessage"},
		"chat.delete":        {do: (*Server).chatDelete, scope: "chat:write", args: []string{"channel", "ts", "as_user"}, state: "done"},

		"chat.getPermalink":           {do: (*Server).chatGetPermalink, form: true, args: []string{"channel", "message_ts"}, state: "done"},
		"chat.scheduleMessage":        {do: (*Server).chatScheduleMessage, scope: "chat:write", args: with(saying, "post_at", "reply_broadcast", "thread_ts", "unfurl_links", "unfurl_media"), state: "partly", note: "as chat.postMessage"},
		"chat.deleteScheduledMessage": {do: (*Server).chatDeleteScheduledMessage, scope: "chat:write", args: []string{"channel", "scheduled_message_id", "as_user"}, state: "done"},
		"chat.scheduledMessages.list": {do: (*Server).chatScheduledMessagesList, team: true, args: []string{"channel", "cursor", "latest", "limit", "oldest", "team_id"}, state: "partly", note: "one page of all"},
		"reactions.add":               {do: (*Server).reactionsAdd, scope: "reactions:write", args: []string{"channel", "name", "timestamp"}, state: "done"},
		"reactions.remove":            {do: (*Server).reactionsRemove, scope: "reactions:write", args: []string{"channel", "file", "file_comment", "name", "timestamp"}, state: "partly", note: "of messages"},
		"conversations.join":          {do: (*Server).conversationsJoin, scope: "channels:join", args: []string{"channel"}, state: "done"},
		"dnd.info":                    {do: (*Server).dndInfo, form: true, scope: "dnd:read", args: []string{"team_id", "user"}, team: true, state: "partly", note: "no snooze"},
		"dnd.teamInfo":                {do: (*Server).dndTeamInfo, form: true, scope: "dnd:read", args: []string{"team_id", "users"}, team: true, state: "done"},
		"users.getPresence":           {do: (*Server).usersGetPresence, form: true, scope: "users:read", args: []string{"user"}, state: "partly", note: "of others"},
		"users.lookupByEmail":         {do: (*Server).usersLookupByEmail, form: true, scope: "users:read.email", args: []string{"email"}, state: "done"},

		"files.getUploadURLExternal":   {do: (*Server).filesUploadURL, form: true, scope: "files:write", args: []string{"alt_txt", "filename", "length", "snippet_type"}, state: "done"},
		"files.completeUploadExternal": {do: (*Server).filesComplete, scope: "files:write", args: []string{"blocks", "channel_id", "channels", "files", "initial_comment", "thread_ts"}, state: "partly", note: "shared at once, not some time later"},
		"files.info":                   {do: (*Server).filesInfo, form: true, scope: "files:read", args: []string{"count", "cursor", "file", "limit", "page"}, state: "partly", note: "no comments"},
		"files.delete":                 {do: (*Server).filesDelete, scope: "files:write", args: []string{"file"}, state: "done"},

		"views.open":    {do: (*Server).viewsOpen, args: []string{"trigger_id", "view", "interactivity_pointer"}, state: "partly", note: "modals; no interactivity pointers"},
		"views.push":    {do: (*Server).viewsPush, args: []string{"trigger_id", "view", "interactivity_pointer"}, state: "partly", note: "modals; no interactivity pointers"},
		"views.publish": {do: (*Server).viewsPublish, args: []string{"user_id", "view", "hash"}, state: "done"},
		"views.update":  {do: (*Server).viewsUpdate, args: []string{"view_id", "external_id", "view", "hash"}, state: "partly", note: "modals"},

		"agents.sessions.setStatus": {do: (*Server).agentsSetStatus, scope: "chat:write", args: []string{"channel_id", "icon_emoji", "icon_url", "initiator_user_id", "status", "thread_ts", "title", "username"}, state: "partly", note: "one agent per session; AgentStatus has it, people do not see it"},

		"oauth.v2.access":       {do: (*Server).oauthAccess, form: true, open: true, args: []string{"client_id", "client_secret", "code", "code_verifier", "grant_type", "redirect_uri", "refresh_token"}, state: "partly", note: "bot tokens, without PKCE"},
		"oauth.v2.exchange":     {do: (*Server).oauthExchange, form: true, open: true, args: []string{"client_id", "client_secret"}, state: "partly", note: "bot tokens"},
		"auth.revoke":           {do: (*Server).authRevoke, form: true, args: []string{"test"}, state: "done"},
		"apps.uninstall":        {do: (*Server).appsUninstall, form: true, args: []string{"client_id", "client_secret"}, state: "done"},
		"apps.connections.open": {do: (*Server).connectionsOpen, scope: "connections:write", appToken: true, state: "done"},
	}
}

// authTest describes the token. For an organization-wide installation it returns the
// organization instead of the workspace.
func (s *Server) authTest(c *call) (object, *apiError) {
	i := c.token.of
	out := object{
		"url": "https://" + s.opts.TeamDomain + ".slack.com/", "team": s.opts.TeamName, "user": s.opts.BotName,
		"team_id": s.opts.Team, "user_id": i.botUser, "bot_id": i.botID,
		"is_enterprise_install": i.wide(),
	}
	if s.opts.Enterprise != "" {
		out["enterprise_id"] = s.opts.Enterprise
	}
	if i.wide() {
		out["enterprise_id"], out["team_id"], out["team"] = i.org.id, i.org.id, i.org.name
		out["url"] = "https://" + i.org.domain + ".slack.com/"
	}
	return out, nil
}

// authTeamsList lists the workspaces that the token may act in.
// https://docs.slack.dev/reference/methods/auth.teams.list
func (s *Server) authTeamsList(c *call) (object, *apiError) {
	teams := slices.DeleteFunc(s.sortedTeams(), func(team *Server) bool { return !c.token.of.covers(team) })
	limit := teamsPerPage
	if c.args.has("limit") {
		n, err := strconv.Atoi(c.args.str("limit"))
		if err != nil || n < 1 || n > 1000 {
			return nil, no("invalid_arguments")
		}
		limit = n
	}
	page, next, refused := pageAt(teams, c.args.str("cursor"), "team", limit, func(team *Server) string { return team.opts.Team })
	if refused != nil {
		return nil, refused
	}
	list := []any{}
	for _, team := range page {
		list = append(list, object{"id": team.opts.Team, "name": team.opts.TeamName})
	}
	return object{"teams": list, "response_metadata": object{"next_cursor": next}}, nil
}

func (s *Server) teamInfo(c *call) (object, *apiError) {
	if id := c.args.str("team"); id != "" && id != s.opts.Team {
		return nil, no("team_not_found")
	}
	return object{"team": object{"id": s.opts.Team, "name": s.opts.TeamName, "domain": s.opts.TeamDomain}}, nil
}

func (s *Server) botsInfo(c *call) (object, *apiError) {
	if id := c.args.str("bot"); id != "" && id != s.opts.BotID {
		return nil, no("bot_not_found")
	}
	return object{"bot": object{
		"id": s.opts.BotID, "deleted": false, "name": s.opts.BotName, "user_id": s.opts.BotUser, "app_id": s.opts.AppID,
	}}, nil
}

func (s *Server) usersInfo(c *call) (object, *apiError) {
	id := c.args.str("user")
	if id == s.opts.BotUser {
		return object{"user": object{
			"id": id, "team_id": s.opts.Team, "name": s.opts.BotName, "real_name": s.opts.BotName, "is_bot": true,
			"deleted": false, "profile": object{"real_name": s.opts.BotName, "bot_id": s.opts.BotID, "api_app_id": s.opts.AppID},
		}}, nil
	}
	p := s.person(id)
	if p == nil {
		return nil, no("user_not_found")
	}
	_, offset := s.clock.Now().In(p.Zone).Zone()
	user := object{
		"id": p.ID, "team_id": p.Team, "name": p.Name, "real_name": p.RealName, "deleted": p.Disabled, "is_bot": p.Bot,
		"is_restricted": p.Guest != NoGuest, "is_ultra_restricted": p.Guest == SingleChannelGuest,
		"is_stranger": s.stranger(p), "tz": p.Zone.String(), "tz_offset": offset,
		"profile": object{"real_name": p.RealName, "display_name": p.RealName, "team": p.Team},
	}
	if c.args.flag("include_locale", false) && !s.stranger(p) {
		user["locale"] = p.Locale
	}
	if s.opts.Enterprise != "" && len(p.Teams) > 0 {
		user["enterprise_user"] = object{"id": p.ID, "enterprise_id": s.opts.Enterprise, "teams": s.teamsOf(p)}
	}
	return object{"user": user}, nil
}

// teamsOf lists the workspaces of a person of the organization.
func (s *Server) teamsOf(p *Person) []string {
	teams := slices.Clone(p.Teams)
	for _, other := range s.workspaces(s.org) {
		if there := other.person(p.ID); there != nil {
			teams = append(teams, there.Teams...)
		}
	}
	slices.Sort(teams)
	return slices.Compact(teams)
}

// stranger reports whether a person belongs to another workspace and shares no channel with the
// app. Members of a shared channel are not strangers, whatever workspace they belong to.
// https://docs.slack.dev/reference/objects/user-object
func (s *Server) stranger(p *Person) bool {
	if p.Team == s.opts.Team || slices.Contains(p.Teams, s.opts.Team) {
		return false
	}
	for _, c := range s.conversations {
		if c.member(p.ID) && c.member(s.opts.BotUser) {
			return false
		}
	}
	return true
}

func (s *Server) groupUsers(c *call) (object, *apiError) {
	if s.opts.FreePlan {
		return nil, no("plan_upgrade_required")
	}
	i := slices.IndexFunc(s.groups, func(g Group) bool { return g.ID == c.args.str("usergroup") })
	if i < 0 {
		return nil, no("no_such_subteam")
	}
	return object{"users": s.groups[i].Members}, nil
}

// groupList lists the user groups.
// https://docs.slack.dev/reference/methods/usergroups.list
func (s *Server) groupList(c *call) (object, *apiError) {
	if s.opts.FreePlan {
		return nil, no("plan_upgrade_required")
	}
	groups := []any{}
	for _, g := range s.groups {
		shown := object{
			"id": g.ID, "team_id": s.opts.Team, "is_usergroup": true, "name": g.Handle, "handle": g.Handle, "user_count": len(g.Members),
		}
		if c.args.flag("include_users", false) {
			shown["users"] = g.Members
		}
		groups = append(groups, shown)
	}
	return object{"usergroups": groups}, nil
}
