package page_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/page"
	"github.com/askbridge/askbridge/chatsim/slacksim"
)

// world is a workspace, a small scripted app in it, and the page that shows it.
type world struct {
	t       *testing.T
	sim     *slacksim.Server
	traffic chatsim.Traffic

	server *httptest.Server
	url    string

	mu       sync.Mutex
	payloads []payload
	dead     bool // the app does not answer
}

// payload is what the app gets, as far as the tests look at it.
type payload struct {
	Type    string
	User    struct{ ID string }
	Trigger string `json:"trigger_id"`
	URL     string `json:"response_url"`
	Channel struct{ ID string }
	Message struct{ TS string }
	Actions []struct {
		ID    string `json:"action_id"`
		Block string `json:"block_id"`
	}
	State state
	View  struct {
		Callback string `json:"callback_id"`
		State    state
	}
}

type state struct {
	Values map[string]map[string]struct {
		Value    string
		Selected *choice  `json:"selected_option"`
		Several  []choice `json:"selected_options"`
	}
}

type choice struct{ Value string }

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, sim: slacksim.Start(t, nil)}
	w.traffic.Keep(10)
	w.sim.DeliverToHandler("/slack/interactions", w)
	srv := httptest.NewServer(page.Handler(&page.Options{Traffic: &w.traffic}, page.Slack(w.sim)))
	t.Cleanup(srv.Close)
	t.Cleanup(srv.CloseClientConnections)
	w.server, w.url = srv, srv.URL
	return w
}

// ServeHTTP is the app: it answers a button with a form, a form with an edit, and a Submit with what is missing.
func (w *world) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	var p payload
	if err := json.Unmarshal([]byte(r.PostFormValue("payload")), &p); err != nil {
		w.t.Errorf("payload: %v", err)
	}
	w.mu.Lock()
	w.payloads = append(w.payloads, p)
	dead := w.dead
	w.mu.Unlock()
	switch {
	case dead:
		rw.WriteHeader(http.StatusInternalServerError)
	case p.Type == "view_submission":
		w.submitted(rw, p)
	default:
		w.acted(p)
	}
}

func (w *world) acted(p payload) {
	verb := strings.Split(p.Actions[0].ID, ":")[2]
	switch verb {
	case "w":
		w.call("views.open", map[string]any{"trigger_id": p.Trigger, "view": card(w.t, "other.json")})
	case "c":
		w.answer(p, "answered.json")
	case "s":
		if held := p.State.Values["q0"]["1:p01r3v7k2m9qxw:p:0:-1"]; held.Selected == nil {
			w.post(p.URL, map[string]any{"text": "Still open: *Database*", "response_type": "ephemeral", "replace_original": false})
			return
		}
		w.answer(p, "answered.json")
	}
}

func (w *world) submitted(rw http.ResponseWriter, p payload) {
	if words := p.View.State.Values["q0"]["1:p01r3v7k2m9qxw:W:0:-1"].Value; strings.TrimSpace(words) == "nothing" {
		fmt.Fprint(rw, `{"response_action":"errors","errors":{"q0":"Please say a little more."}}`)
	}
}

// answer updates the message that was acted on.
func (w *world) answer(p payload, name string) {
	c := card(w.t, name)
	w.call("chat.update", map[string]any{"channel": p.Channel.ID, "ts": p.Message.TS, "text": c["text"], "blocks": c["blocks"]})
}

// say posts a card and returns its timestamp.
func (w *world) say(name string, more map[string]any) string {
	w.t.Helper()
	c := card(w.t, name)
	maps.Copy(c, more)
	if c["channel"] == nil {
		c["channel"] = "C0000001"
	}
	ts, _ := w.call("chat.postMessage", c)["ts"].(string)
	return ts
}

func (w *world) call(method string, args map[string]any) map[string]any {
	w.t.Helper()
	var out map[string]any
	if err := json.Unmarshal(w.post(w.sim.APIURL()+method, args), &out); err != nil || out["ok"] != true {
		w.t.Errorf("%s: %v %v", method, err, out)
	}
	return out
}

func (w *world) post(url string, body map[string]any) []byte {
	w.t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		w.t.Error(err)
	}
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, url, bytes.NewReader(raw))
	if err != nil {
		w.t.Error(err)
		return nil
	}
	r.Header.Set("Content-Type", "application/json; charset=utf-8")
	r.Header.Set("Authorization", "Bearer xoxb-sim")
	answer, err := w.sim.Client().Do(r)
	if err != nil {
		w.t.Error(err)
		return nil
	}
	defer answer.Body.Close()
	out, err := io.ReadAll(answer.Body)
	if err != nil {
		w.t.Error(err)
	}
	return out
}

// received returns the payloads that reached the app.
func (w *world) received() []payload {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]payload(nil), w.payloads...)
}

// last is the newest payload that reached the app.
func (w *world) last() payload {
	w.t.Helper()
	all := w.received()
	if len(all) == 0 {
		w.t.Fatal("the app received no payload")
	}
	return all[len(all)-1]
}

func (w *world) die(dead bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dead = dead
}
