package client

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// StatsQuery selects the requests that [Client.Stats] counts.
type StatsQuery struct {
	// Since and Until are when the requests were asked. Zero is seven days ago, and now.
	Since, Until time.Time
	// Tenant selects the requests of one tenant; nil is all of them.
	Tenant *string
}

// Stats are the numbers of the requests that were asked in a period, as they are now.
type Stats struct {
	Since time.Time `json:"since" doc:"The requests were asked then or later"`
	Until time.Time `json:"until" doc:"They were asked before"`
	Total Numbers   `json:"total" doc:"All of them"`
	// Routes and Agents are ordered by the number of requests. A request without a route counts in no route.
	Routes []Share `json:"routes" nullable:"false" doc:"By route, most requests first. A request that names its places itself counts in none"`
	Agents []Share `json:"agents" nullable:"false" doc:"By agent, most requests first"`
	// Installations is empty if no place names one. A request counts in each installation that it was posted to.
	Installations []Share `json:"installations,omitempty" nullable:"false" doc:"By Slack workspace or organization and Discord server, most requests first; absent unless places name their installation. A request counts in each one that it was posted to"`
	// People is empty unless audit.count_people allows it.
	People []PersonNumbers `json:"people,omitempty" doc:"By person, most decisions first; absent unless the configuration sets audit.count_people"`
}

// Share are the numbers of one route, agent or installation.
type Share struct {
	Name string `json:"name" doc:"The route, the agent, or the ID of the installation"`
	Numbers
}

// Numbers count requests. Each request is in exactly one of Open, Answered, Dismissed, Expired, Withdrawn,
// Superseded and Failed.
type Numbers struct {
	Asked      int `json:"asked" doc:"How many requests there were"`
	Open       int `json:"open" doc:"Still open"`
	Answered   int `json:"answered" doc:"Answered, by people or by a grant"`
	Dismissed  int `json:"dismissed" doc:"Ended by a person without an answer: dismissed, or replied to in words"`
	Expired    int `json:"expired" doc:"Expired at the deadline"`
	Withdrawn  int `json:"withdrawn" doc:"Withdrawn by the agent or an operator"`
	Superseded int `json:"superseded" doc:"Replaced by a newer request"`
	Failed     int `json:"failed" doc:"Not delivered"`
	// Granted is part of Answered.
	Granted   int `json:"granted" doc:"Answered by a grant, without asking anyone; part of answered"`
	Joined    int `json:"joined" doc:"Equal requests that shared one of these, and were answered with it"`
	Reminders int `json:"reminders" doc:"Reminders and escalations that were needed"`
	// ToFirstAct and ToEnd leave out what a grant answered.
	ToFirstAct Times `json:"to_first_act,omitzero" doc:"From the question to the first thing a person did with it; without what grants answered"`
	ToEnd      Times `json:"to_end,omitzero" doc:"From the question to the answer or dismissal by people; without what grants answered"`
}

// Times summarize durations, in seconds.
type Times struct {
	Count  int     `json:"count" doc:"How many durations these are"`
	Median float64 `json:"median" doc:"Half of them were at most this long, in seconds"`
	P90    float64 `json:"p90" doc:"Nine of ten were at most this long, in seconds"`
}

// PersonNumbers count what one person did.
type PersonNumbers struct {
	Person     string `json:"person" doc:"The person's account, or the name under which the configuration links their accounts" example:"slack:U0000001"`
	Decided    int    `json:"decided" doc:"Requests that this person answered or dismissed, or for which their vote counted"`
	Acted      int    `json:"acted" doc:"Requests with which this person did anything that was accepted"`
	ToFirstAct Times  `json:"to_first_act,omitzero" doc:"From the question to the first thing this person did with it"`
}

// Stats returns the numbers of a period of at most 366 days. The client's token must have the scope "admin"; a
// bridge that keeps no audit trail gives a [*Problem] that matches [ask.ErrNotFound].
func (c *Client) Stats(ctx context.Context, q StatsQuery) (*Stats, error) {
	query := url.Values{}
	for name, at := range map[string]time.Time{"since": q.Since, "until": q.Until} {
		if !at.IsZero() {
			query.Set(name, at.UTC().Format(time.RFC3339))
		}
	}
	if q.Tenant != nil {
		query.Set("tenant", *q.Tenant)
	}
	return send[Stats](ctx, c, call{method: http.MethodGet, path: "/v1/stats", query: query, tries: c.opts.Tries})
}
