package page

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/chatsim"
)

// inspect describes one message: the platform's data, the related exchanges, and the rules
// broken meanwhile. The query contains platform and message.
func (h *handler) inspect(w http.ResponseWriter, r *http.Request) {
	c := h.chat(r.URL.Query().Get("platform"))
	message := r.URL.Query().Get("message")
	if c == nil || message == "" {
		http.Error(w, "No such platform or message.", http.StatusNotFound)
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

// lastPart returns the last path segment of an API method.
func lastPart(name string) string { return name[strings.LastIndex(name, "/")+1:] }

// about selects the exchanges related to a message: those that contain its id, and those that
// contain ids unique to its interactions: a trigger, a token, a form.
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

// handles returns the ids that identify one interaction in later exchanges.
func handles(body string) []string {
	var payload struct {
		Trigger string          `json:"trigger_id"`
		URL     string          `json:"response_url"`
		Token   string          `json:"token"`
		ID      string          `json:"id"`
		View    json.RawMessage `json:"view"` // an object in the platform's payloads, and sometimes in the app's requests
	}
	if json.Unmarshal([]byte(body), &payload) != nil {
		return nil
	}
	var view struct {
		ID string `json:"id"`
	}
	_ = json.Unmarshal(payload.View, &view) // no view, no id
	out := []string{payload.Trigger, view.ID}
	if to, err := url.Parse(payload.URL); err == nil {
		out = append(out, to.Path)
	}
	if payload.ID != "" && payload.Token != "" {
		out = append(out, payload.Token) // A Discord interaction; Slack's token is the same in every payload.
	}
	return slices.DeleteFunc(out, func(key string) bool { return key == "" })
}
