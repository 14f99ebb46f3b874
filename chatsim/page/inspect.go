package page

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/chatsim"
)

// inspect tells what is behind one message: what the platform holds of it, what crossed the wire for it and which rules
// were broken meanwhile. The query names platform and message.
func (h *handler) inspect(w http.ResponseWriter, r *http.Request) {
	c := h.chat(r.URL.Query().Get("platform"))
	message := r.URL.Query().Get("message")
	if c == nil || message == "" {
		http.Error(w, "There is no such platform or message.", http.StatusNotFound)
		return
	}
	all, _ := c.Traffic().Since(0)
	out := struct {
		Card       any                 `json:"card"`
		Exchanges  []chatsim.Exchange  `json:"exchanges"`
		Violations []chatsim.Violation `json:"violations"`
	}{c.Message(message), about(all, message), []chatsim.Violation{}}
	for _, v := range c.Ledger().All() {
		if slices.ContainsFunc(out.Exchanges, func(e chatsim.Exchange) bool { return strings.HasPrefix(v.Where, lastPart(e.Name)) }) {
			out.Violations = append(out.Violations, v)
		}
	}
	writeJSON(w, out)
}

// lastPart is a method of an API without the path before it.
func lastPart(name string) string { return name[strings.LastIndex(name, "/")+1:] }

// about picks the exchanges that have to do with a message: those that name it, and those that name what belongs to
// them alone: a trigger, a token, a form.
func about(all []chatsim.Exchange, message string) []chatsim.Exchange {
	keys := map[string]bool{message: true}
	picked := make([]bool, len(all))
	for again := true; again; {
		again = false
		for i, e := range all {
			if picked[i] || !mentions(e, keys) {
				continue
			}
			picked[i], again = true, true
			for _, body := range []string{e.Request, e.Response} {
				for _, key := range handles(body) {
					keys[key] = true
				}
			}
		}
	}
	out := []chatsim.Exchange{}
	for i, e := range all {
		if picked[i] {
			out = append(out, e)
		}
	}
	return out
}

func mentions(e chatsim.Exchange, keys map[string]bool) bool {
	for key := range keys {
		if strings.Contains(e.Path, key) || strings.Contains(e.Request, key) || strings.Contains(e.Response, key) {
			return true
		}
	}
	return false
}

// handles are what one interaction alone is known by in later exchanges.
func handles(body string) []string {
	var said struct {
		Trigger string          `json:"trigger_id"`
		URL     string          `json:"response_url"`
		Token   string          `json:"token"`
		ID      string          `json:"id"`
		View    json.RawMessage `json:"view"` // an object in what the platform says, and also in what the app does
	}
	if json.Unmarshal([]byte(body), &said) != nil {
		return nil
	}
	var view struct {
		ID string `json:"id"`
	}
	_ = json.Unmarshal(said.View, &view) // No view, no id.
	out := []string{said.Trigger, view.ID}
	if to, err := url.Parse(said.URL); err == nil {
		out = append(out, to.Path)
	}
	if said.ID != "" && said.Token != "" {
		out = append(out, said.Token) // An interaction of Discord; the token of Slack is the same in each.
	}
	return slices.DeleteFunc(out, func(key string) bool { return key == "" })
}
