package discordsim

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// route is one entry of the table of API routes.
type route struct {
	name, verb, path string
	open             bool     // requires no bot token: the path contains a token
	limit            limit    // rate limit per channel or webhook; zero for none
	known            []string // documented body fields
	list             bool     // the body is a list
	state, note      string   // "done" or "partly", and what is missing, for COVERAGE.md
	doc              string
	do               func(*Server, *call) (*reply, *apiError)
	unlocked         func(*Server, context.Context, *call) (*reply, *apiError) // replaces do for routes that call the app
}

// messageFields are the body fields of a message.
var messageFields = []string{
	"content", "tts", "embeds", "allowed_mentions", "components", "attachments", "flags", "poll",
}

// routes is the table of implemented API routes.
// https://docs.discord.com/developers/reference#http-api
var routes = sync.OnceValue(func() []*route {
	create := append([]string{"nonce", "enforce_nonce", "message_reference", "sticker_ids"}, messageFields...)
	const followUp = "/webhooks/{application}/{token}"
	const commands, guildCommands = "/applications/{application}/commands", "/applications/{application}/guilds/{guild}/commands"
	return []*route{
		{name: "get gateway", verb: "GET", path: "/gateway", open: true, do: (*Server).getGateway, state: "done", doc: docGateway + "get-gateway"},
		{name: "get gateway bot", verb: "GET", path: "/gateway/bot", do: (*Server).getGatewayBot, state: "done", doc: docGateway + "get-gateway-bot"},
		{name: "get current user", verb: "GET", path: "/users/@me", do: (*Server).getMe, state: "partly", note: "names and flags", doc: docUser + "get-current-user"},
		{name: "get user", verb: "GET", path: "/users/{user}", do: (*Server).getUser, state: "partly", note: "names and flags", doc: docUser + "get-user"},
		{name: "get current user guilds", verb: "GET", path: "/users/@me/guilds", do: (*Server).getMyGuilds, state: "done", doc: docUser + "get-current-user-guilds"},
		{name: "create dm", verb: "POST", path: "/users/@me/channels", do: (*Server).createDM, known: []string{"recipient_id"}, state: "partly", note: "one person", doc: docUser + "create-dm"},
		{name: "get current application", verb: "GET", path: "/applications/@me", do: (*Server).getApplication, state: "partly", note: "what a bot asks for", doc: docApp + "get-current-application"},
		{
			name: "edit current application", verb: "PATCH", path: "/applications/@me", unlocked: (*Server).editApplication,
			known: []string{"interactions_endpoint_url"}, state: "partly", note: "interactions_endpoint_url, which is checked with a PING", doc: docApp + "edit-current-application",
		},
		{name: "get guild", verb: "GET", path: "/guilds/{guild}", do: (*Server).getGuild, state: "partly", note: "names and roles", doc: docGuild + "get-guild"},
		{name: "get guild channels", verb: "GET", path: "/guilds/{guild}/channels", do: (*Server).getGuildChannels, state: "partly", note: "as get channel", doc: docGuild + "get-guild-channels"},
		{name: "get guild roles", verb: "GET", path: "/guilds/{guild}/roles", do: (*Server).getGuildRoles, state: "partly", note: "names and permissions", doc: docGuild + "get-guild-roles"},
		{name: "get guild member", verb: "GET", path: "/guilds/{guild}/members/{user}", do: (*Server).getGuildMember, state: "done", doc: docGuild + "get-guild-member"},
		{name: "search guild members", verb: "GET", path: "/guilds/{guild}/members/search", do: (*Server).searchMembers, state: "done", doc: docGuild + "search-guild-members"},
		{name: "get channel", verb: "GET", path: "/channels/{channel}", do: (*Server).getChannel, limit: limitReads, state: "partly", note: "text channels, direct messages, forums and threads", doc: docChannel + "get-channel"},

		{name: "modify channel", verb: "PATCH", path: "/channels/{channel}", do: (*Server).modifyChannel, limit: limitMessages, known: []string{"archived"}, state: "partly", note: "archiving threads", doc: docChannel + "modify-channel"},
		{name: "start thread from message", verb: "POST", path: "/channels/{channel}/messages/{message}/threads", do: (*Server).threadFromMessage, limit: limitMessages, known: threadFields, state: "done", doc: docChannel + "start-thread-from-message"},
		{name: "start thread", verb: "POST", path: "/channels/{channel}/threads", do: (*Server).startThread, limit: limitMessages, known: append([]string{"type", "invitable", "message", "applied_tags"}, threadFields...), state: "partly", note: "public threads, and posts in forums", doc: docChannel + "start-thread-without-message"},
		{name: "add thread member", verb: "PUT", path: "/channels/{channel}/thread-members/{user}", do: (*Server).addToThread, limit: limitMessages, state: "partly", note: "no notification", doc: docChannel + "add-thread-member"},
		{name: "list messages", verb: "GET", path: "/channels/{channel}/messages", do: (*Server).listMessages, limit: limitReads, state: "done", doc: docMessages + "get-channel-messages"},
		{name: "get message", verb: "GET", path: "/channels/{channel}/messages/{message}", do: (*Server).getMessage, limit: limitReads, state: "done", doc: docMessages + "get-channel-message"},
		{name: "create message", verb: "POST", path: "/channels/{channel}/messages", do: (*Server).createMessage, limit: limitMessages, known: create, state: "partly", note: "no stickers", doc: docMessages + "create-message"},
		{name: "edit message", verb: "PATCH", path: "/channels/{channel}/messages/{message}", do: (*Server).editMessage, limit: limitMessages, known: messageFields, state: "partly", note: "as create message", doc: docMessages + "edit-message"},
		{name: "delete message", verb: "DELETE", path: "/channels/{channel}/messages/{message}", do: (*Server).deleteMessage, limit: limit{5, time.Second}, state: "done", doc: docMessages + "delete-message"},

		{name: "bulk delete messages", verb: "POST", path: "/channels/{channel}/messages/bulk-delete", do: (*Server).bulkDelete, limit: limitMessages, known: []string{"messages"}, state: "done", doc: docMessages + "bulk-delete-messages"},
		{name: "get answer voters", verb: "GET", path: "/channels/{channel}/polls/{message}/answers/{answer}", do: (*Server).pollVoters, limit: limitReads, state: "partly", note: "one page of all", doc: docPoll + "get-answer-voters"},
		{name: "end poll", verb: "POST", path: "/channels/{channel}/polls/{message}/expire", do: (*Server).endPoll, limit: limitMessages, state: "done", doc: docPoll + "end-poll"},

		{name: "interaction callback", verb: "POST", path: "/interactions/{interaction}/{token}/callback", open: true, do: (*Server).callback, known: []string{"type", "data"}, state: "partly", note: "types 4, 5, 6, 7 and 9", doc: docInteract + "create-interaction-response"},
		{name: "get original response", verb: "GET", path: followUp + "/messages/@original", open: true, do: (*Server).getResponse, limit: limitReads, state: "done", doc: docInteract + "get-original-interaction-response"},
		{name: "edit original response", verb: "PATCH", path: followUp + "/messages/@original", open: true, do: (*Server).editResponse, limit: limitMessages, known: messageFields, state: "partly", note: "as create message", doc: docInteract + "edit-original-interaction-response"},
		{name: "delete original response", verb: "DELETE", path: followUp + "/messages/@original", open: true, do: (*Server).deleteResponse, limit: limitMessages, state: "done", doc: docInteract + "delete-original-interaction-response"},
		{name: "create followup message", verb: "POST", path: followUp, open: true, do: (*Server).createFollowUp, limit: limitMessages, known: messageFields, state: "partly", note: "as create message", doc: docInteract + "create-followup-message"},
		{name: "get followup message", verb: "GET", path: followUp + "/messages/{message}", open: true, do: (*Server).getResponse, limit: limitReads, state: "done", doc: docInteract + "get-followup-message"},
		{name: "edit followup message", verb: "PATCH", path: followUp + "/messages/{message}", open: true, do: (*Server).editResponse, limit: limitMessages, known: messageFields, state: "partly", note: "as create message", doc: docInteract + "edit-followup-message"},
		{name: "delete followup message", verb: "DELETE", path: followUp + "/messages/{message}", open: true, do: (*Server).deleteResponse, limit: limitMessages, state: "done", doc: docInteract + "delete-followup-message"},

		{name: "get commands", verb: "GET", path: commands, do: (*Server).listCommands, limit: limitReads, state: "done", doc: docCommands + "get-global-application-commands"},
		{name: "bulk overwrite commands", verb: "PUT", path: commands, list: true, do: (*Server).setCommands, limit: limitMessages, state: "partly", note: "names, counts and the outer shape of options", doc: docCommands + "bulk-overwrite-global-application-commands"},
		{name: "create command", verb: "POST", path: commands, known: commandFields, do: (*Server).createCommand, limit: limitMessages, state: "partly", note: "as bulk overwrite commands", doc: docCommands + "create-global-application-command"},
		{name: "edit command", verb: "PATCH", path: commands + "/{command}", known: commandFields, do: (*Server).editCommand, limit: limitMessages, state: "partly", note: "as bulk overwrite commands", doc: docCommands + "edit-global-application-command"},
		{name: "delete command", verb: "DELETE", path: commands + "/{command}", do: (*Server).deleteCommand, limit: limitMessages, state: "done", doc: docCommands + "delete-global-application-command"},
		{name: "get guild commands", verb: "GET", path: guildCommands, do: (*Server).listCommands, limit: limitReads, state: "done", doc: docCommands + "get-guild-application-commands"},
		{name: "bulk overwrite guild commands", verb: "PUT", path: guildCommands, list: true, do: (*Server).setCommands, limit: limitMessages, state: "partly", note: "as bulk overwrite commands", doc: docCommands + "bulk-overwrite-guild-application-commands"},
		{name: "create guild command", verb: "POST", path: guildCommands, known: commandFields, do: (*Server).createCommand, limit: limitMessages, state: "partly", note: "as bulk overwrite commands", doc: docCommands + "create-guild-application-command"},
		{name: "edit guild command", verb: "PATCH", path: guildCommands + "/{command}", known: commandFields, do: (*Server).editCommand, limit: limitMessages, state: "partly", note: "as bulk overwrite commands", doc: docCommands + "edit-guild-application-command"},
		{name: "delete guild command", verb: "DELETE", path: guildCommands + "/{command}", do: (*Server).deleteCommand, limit: limitMessages, state: "done", doc: docCommands + "delete-guild-application-command"},
	}
})

// match finds the route of a request. A literal path segment takes precedence over a parameter.
func match(verb, path string) (found *route, params map[string]string, elsewhere bool) {
	parts := strings.Split(path, "/")
	best := len(parts) + 1
	for _, r := range routes() {
		given, fits := r.fit(parts)
		switch {
		case !fits:
		case r.verb != verb:
			elsewhere = true
		case len(given) < best:
			found, params, best = r, given, len(given)
		}
	}
	return found, params, elsewhere
}

func (r *route) fit(parts []string) (map[string]string, bool) {
	pattern := strings.Split(strings.TrimPrefix(r.path, "/"), "/")
	if len(pattern) != len(parts) {
		return nil, false
	}
	params := map[string]string{}
	for i, p := range pattern {
		switch {
		case strings.HasPrefix(p, "{"):
			params[strings.Trim(p, "{}")] = parts[i]
		case p != parts[i]:
			return nil, false
		}
	}
	return params, true
}

func (s *Server) getGateway(*call) (*reply, *apiError) {
	return ok(object{"url": s.socketURL("gateway")})
}

func (s *Server) getGatewayBot(*call) (*reply, *apiError) {
	now := s.clock.Now()
	s.starts = recent(s.starts, now, 24*time.Hour)
	reset := time.Duration(0)
	if len(s.starts) > 0 {
		reset = 24*time.Hour - now.Sub(s.starts[0])
	}
	return ok(object{
		"url": s.socketURL("gateway"), "shards": 1,
		"session_start_limit": object{
			"total": startsPerDay, "remaining": max(0, startsPerDay-len(s.starts)), "reset_after": reset.Milliseconds(),
			"max_concurrency": s.opts.MaxConcurrency,
		},
	})
}

// socketURL returns the URL of the gateway.
func (s *Server) socketURL(path string) string {
	return "ws" + strings.TrimPrefix(s.service.URL(), "http") + "/" + path
}

func (s *Server) getMe(*call) (*reply, *apiError) {
	me := s.userJSON(s.opts.BotUser)
	me["verified"], me["mfa_enabled"], me["email"] = true, false, nil
	me["locale"] = "en-US"
	return ok(me)
}

func (s *Server) getUser(c *call) (*reply, *apiError) {
	id := c.params["user"]
	if id != s.opts.BotUser && s.person(id) == nil {
		return nil, no(10013)
	}
	return ok(s.userJSON(id))
}

// createDM opens a direct message. It succeeds even if posting to it will fail.
// https://docs.discord.com/developers/resources/user#create-dm
func (s *Server) createDM(c *call) (*reply, *apiError) {
	p := s.person(idOf(c.body["recipient_id"]))
	if p == nil {
		return nil, s.refuse(c.route.name, problem{ruleKind, "recipient_id", "BASE_TYPE_BAD_SNOWFLAKE", "no such user"})
	}
	if s.channels[directID(p)] == nil && !s.opts.Unlimited {
		now := s.clock.Now()
		if s.opened = recent(s.opened, now, dmWindow); s.flagged {
			return nil, no(20026)
		} else if len(s.opened) >= newDMs {
			s.burst++
			s.flagged = s.burst >= burstsForgiven
			e := no(40003)
			e.retryAfter, e.scope = dmWindow-now.Sub(s.opened[0]), "user"
			return nil, e
		}
		s.opened = append(s.opened, now)
	}
	return ok(s.channelJSON(s.direct(p)))
}

func (s *Server) getApplication(*call) (*reply, *apiError) { return ok(s.applicationJSON()) }

// editApplication changes the interactions endpoint. Discord accepts an endpoint that passes
// its check.
// https://docs.discord.com/developers/interactions/overview#preparing-for-interactions
func (s *Server) editApplication(ctx context.Context, c *call) (*reply, *apiError) {
	if v, given := c.body["interactions_endpoint_url"]; given {
		url, _ := v.(string)
		s.DeliverTo(url, nil)
		if err := s.Verify(ctx); err != nil {
			return nil, s.refuse(c.route.name, problem{
				rulePing, "interactions_endpoint_url", "APPLICATION_INTERACTIONS_ENDPOINT_URL_INVALID",
				"The specified interactions endpoint url could not be verified.",
			})
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return ok(s.applicationJSON())
}

func (s *Server) getGuild(c *call) (*reply, *apiError) {
	if c.params["guild"] != s.opts.Guild || s.left {
		return nil, no(10004)
	}
	return ok(object{
		"id": s.opts.Guild, "name": s.opts.GuildName, "icon": nil, "owner_id": "900000000000000001", "features": []any{},
		"preferred_locale": s.opts.Locale, "roles": s.rolesJSON(), "emojis": []any{}, "stickers": []any{},
	})
}

func (s *Server) getGuildChannels(c *call) (*reply, *apiError) {
	if c.params["guild"] != s.opts.Guild || s.left {
		return nil, no(10004)
	}
	if s.absent() {
		return nil, no(50001)
	}
	out := []any{}
	for _, conv := range s.sortedChannels() {
		if conv.with == "" && conv.Parent == "" {
			out = append(out, s.channelJSON(conv))
		}
	}
	return ok(out)
}

func (s *Server) getGuildRoles(c *call) (*reply, *apiError) {
	if c.params["guild"] != s.opts.Guild || s.left {
		return nil, no(10004)
	}
	return ok(s.rolesJSON())
}

func (s *Server) getGuildMember(c *call) (*reply, *apiError) {
	if c.params["guild"] != s.opts.Guild || s.left {
		return nil, no(10004)
	}
	id := c.params["user"]
	p := s.person(id)
	switch {
	case id == s.opts.BotUser:
		return ok(s.memberJSON(&Person{ID: id}))
	case p == nil:
		return nil, no(10013)
	case p.Outside:
		return nil, no(10007)
	}
	return ok(s.memberJSON(p))
}

// searchMembers lists the members whose username or nickname begins with a text, one by default.
// https://docs.discord.com/developers/resources/guild#search-guild-members
func (s *Server) searchMembers(c *call) (*reply, *apiError) {
	if c.params["guild"] != s.opts.Guild || s.left {
		return nil, no(10004)
	}
	limit := 1
	if asked := c.query.Get("limit"); asked != "" {
		n, err := strconv.Atoi(asked)
		if err != nil || n < 1 || n > 1000 {
			return nil, no(50035)
		}
		limit = n
	}
	query := strings.ToLower(c.query.Get("query"))
	if query == "" {
		return nil, no(50035)
	}
	out := []any{}
	for _, p := range s.people {
		begins := strings.HasPrefix(strings.ToLower(p.Name), query) || strings.HasPrefix(strings.ToLower(p.RealName), query)
		if begins && !p.Outside && len(out) < limit {
			out = append(out, s.memberJSON(&p))
		}
	}
	return ok(out)
}

func (s *Server) getChannel(c *call) (*reply, *apiError) {
	conv, refused := s.reach(c)
	if refused != nil {
		return nil, refused
	}
	return ok(s.channelJSON(conv))
}

// modifyChannel archives or unarchives a thread. Archiving requires a moderator; anyone who may
// post can unarchive it unless it is locked.
// https://docs.discord.com/developers/resources/channel#modify-channel
func (s *Server) modifyChannel(c *call) (*reply, *apiError) {
	conv, refused := s.reach(c)
	archived, given := c.body["archived"].(bool)
	switch {
	case refused != nil:
		return nil, refused
	case conv.Parent == "", conv.Locked, archived, s.allowed(conv)&SendMessages == 0:
		return nil, no(50013)
	case given:
		conv.Archived = false
	}
	return ok(s.channelJSON(conv))
}

// reach finds the channel of a call and checks that the bot can see it.
func (s *Server) reach(c *call) (*channel, *apiError) {
	conv := s.channels[c.params["channel"]]
	switch {
	case conv == nil:
		return nil, no(10003)
	case s.allowed(conv)&ViewChannel == 0, s.absent() && conv.with == "":
		return nil, no(50001)
	}
	return conv, nil
}

// refuse rejects a body with its problems and records them.
func (s *Server) refuse(where string, problems ...problem) *apiError {
	for _, p := range problems {
		s.violate(p.rule, where+" "+p.at, "%s", p.text)
	}
	if len(problems) > 0 && problems[0].code == "" {
		return plain(http.StatusInternalServerError)
	}
	return invalid(problems)
}
