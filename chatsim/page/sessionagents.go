package page

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/askbridge/askbridge/chatsim"
)

// asking is an agent's request while the session is read.
type asking struct {
	agent, form, body, id string
	query                 string // query parameters of the host's call
	revised, received     int    // number of revisions, and the last question that the agent received
	end                   moment
}

// answered is the program's description of a request.
type answered struct {
	ID, State, Text, Reason string
	Replied                 bool
	By                      account
	AskedBack               []askedBack `json:"asked_back"`
}

type account struct{ Platform, ID string }

// askedBack is a question that a person asked the agent.
type askedBack struct {
	Number int
	By     account
	Text   string
}

// agents adds the agents' requests, withdrawals and answers.
func (p *play) agents(all []chatsim.Exchange, forms []Form) {
	var askings []*asking
	for _, e := range all {
		path, query, _ := strings.Cut(e.Path, "?")
		var request answered
		_ = json.Unmarshal([]byte(e.Response), &request) // An invalid body has no members.
		if i := slices.IndexFunc(forms, func(f Form) bool { return f.Path == path }); i >= 0 && e.Method == http.MethodPost && (e.Open || taken(e)) {
			a := &asking{body: e.Request, id: request.ID}
			if i > 0 { // The first form is the program's own.
				a.form, a.id, a.query = forms[i].Name, "", extraQuery(query)
			}
			if !slices.ContainsFunc(askings, func(b *asking) bool { return a.form == b.form && a.id == b.id && (a.id != "" || a.body == b.body) }) {
				askings = append(askings, a)
				p.asks(a, len(askings), e.At)
			}
		}
		for _, a := range askings {
			switch {
			case a.id != "" && path == "/v1/requests/"+a.id+"/cancel":
				var why struct{ Reason string }
				_ = json.Unmarshal([]byte(e.Request), &why) // Without a body there is no reason.
				p.at(e.At, fmt.Sprintf("%s cancels %q", a.agent, why.Reason))
			case a.id != "" && path == "/v1/requests/"+a.id && e.Method == http.MethodPatch && taken(e):
				p.revises(a, e)
			case a.id != "" && path == "/v1/requests/"+a.id+"/reply" && taken(e):
				p.replies(a, e, request.AskedBack)
			case a.id != "" && path == "/v1/requests/"+a.id+"/answer" && taken(e):
				p.at(e.At, fmt.Sprintf("# What %s asks was answered over the API here. A scene has no such step.", a.agent))
			case a.form == "" && a.id == request.ID && request.State != "" && request.State != "open":
				a.end = moment{at: ended(e), lines: []string{p.got(request)}}
			case a.form != "" && e.Request == a.body && strings.HasSuffix(path, "/"+a.form) && e.Status == http.StatusOK:
				a.end = moment{at: ended(e), lines: []string{e.Response}}
			}
		}
	}
	for _, a := range askings {
		if a.end.lines != nil {
			p.gets(a)
		}
	}
}

// extraQuery returns the query of a call except its wait, as it follows the form in a scene.
func extraQuery(query string) string {
	values, err := url.ParseQuery(query)
	values.Del("wait")
	if err != nil || len(values) == 0 {
		return ""
	}
	return "?" + values.Encode()
}

// taken reports whether the program accepted a request.
func taken(e chatsim.Exchange) bool { return e.Status >= 200 && e.Status < 300 }

// gets adds the end of a request, in a file if a txtar archive can hold it.
func (p *play) gets(a *asking) {
	got := a.end.lines[0]
	if marker.MatchString(got) {
		p.at(a.end.at, fmt.Sprintf("%s gets %q", a.agent, got))
		return
	}
	name := "result" + strings.TrimPrefix(a.agent, "agent") + ".txt"
	p.files = append(p.files, name, got)
	p.at(a.end.at, a.agent+" gets "+name)
}

// marker matches the marker line of a file in a txtar archive.
var marker = regexp.MustCompile(`(?m)^-- .*--\s*$`)

// revises adds a revision of a request.
func (p *play) revises(a *asking, e chatsim.Exchange) {
	a.revised++
	name := strings.Replace(a.agent, "agent", "revision", 1) + ".json"
	if a.revised > 1 {
		name = fmt.Sprintf("%s.%d.json", strings.TrimSuffix(name, ".json"), a.revised)
	}
	p.files = append(p.files, name, e.Request)
	p.asked = append(p.asked, questionsOf(e.Request)...)
	p.at(e.At, a.agent+" revises "+name)
}

// replies adds the agent's reply to a person's question, and that the agent received it and
// those before.
func (p *play) replies(a *asking, e chatsim.Exchange, all []askedBack) {
	var reply struct {
		To   int
		Text string
	}
	_ = json.Unmarshal([]byte(e.Request), &reply) // It was accepted.
	if reply.To == 0 && len(all) > 0 {
		reply.To = all[len(all)-1].Number // Only one was unanswered.
	}
	var lines []string
	for _, asked := range all {
		if asked.Number > a.received && asked.Number <= reply.To {
			lines = append(lines, fmt.Sprintf("%s hears %q", a.agent, p.named(asked.By.Platform, asked.By.ID)+": "+asked.Text))
		}
	}
	a.received = max(a.received, reply.To)
	p.at(e.At, append(lines, fmt.Sprintf("%s replies %q", a.agent, reply.Text))...)
}

func ended(e chatsim.Exchange) time.Time {
	return e.At.Add(time.Duration(e.Took * float64(time.Millisecond)))
}

// asks adds a request, with a file for its body.
func (p *play) asks(a *asking, n int, at time.Time) {
	a.agent = "agent"
	if n > 1 {
		a.agent = fmt.Sprintf("agent%d", n)
	}
	name := strings.Replace(a.agent, "agent", "request", 1) + ".json"
	line := a.agent + " asks " + name
	if a.form != "" {
		line += " as " + a.form + a.query
	}
	p.at(at, line)
	p.files = append(p.files, name, a.body)
	p.asked = append(p.asked, questionsOf(a.body)...)
}

// questionsOf finds the texts of questions anywhere in an agent's request.
func questionsOf(body string) []string {
	var found []string
	var visit func(v any)
	visit = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, member := range v {
				if text, is := member.(string); is && slices.Contains([]string{"question", "text", "prompt"}, name) && text != "" {
					found = append(found, text)
				}
				visit(member)
			}
		case []any:
			for _, item := range v {
				visit(item)
			}
		}
	}
	var v any
	_ = json.Unmarshal([]byte(body), &v) // It was accepted; a body that is not JSON has no questions.
	visit(v)
	return found
}

// got returns the end of a request in scene notation.
func (p *play) got(o answered) string {
	got := o.State
	if o.By.ID != "" {
		got += " by " + p.named(o.By.Platform, o.By.ID)
	}
	switch {
	case o.State == "answered":
		got += "\n" + o.Text
	case o.Replied:
		got += ": " + o.Reason
	}
	return got
}
