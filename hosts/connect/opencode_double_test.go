package connect_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askbridge/askbridge/chatsim"
)

// openCode is a double of an OpenCode server: the routes and events of https://opencode.ai/docs/server for questions
// and permissions. These scenarios of test/hosts show the same of OpenCode 1.18.33:
//
//	"questions of a server"     the events and lists of questions, replies, rejections, an answer on its own screen, an
//	                            abort that takes nothing back
//	"permissions of a server"   the same of permissions, the replies once, always and reject with words, the folder
//	"a terminal with a port"    questions that wait before a client listens
//
// From documents: the password, several folders, a server without GET /path, and streams that break.
type openCode struct {
	testing.TB

	mu      sync.Mutex
	pending []question
	streams []chan string
	answers map[string]string
	// waiting holds the pending permission prompts by ID.
	waiting map[string]string
	// place is the result of GET /path.
	place string
	// cut refuses every call, like a server that is down.
	cut bool
}

type question struct {
	ID        string          `json:"id"`
	Session   string          `json:"sessionID"`
	Questions json.RawMessage `json:"questions"`
	Tool      json.RawMessage `json:"tool"`
}

func newOpenCode(t *testing.T) (*openCode, *http.Client) {
	t.Helper()
	o := &openCode{TB: t, answers: map[string]string{}, waiting: map[string]string{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /event", o.events)
	mux.HandleFunc("GET /question", o.list)
	mux.HandleFunc("POST /question/{id}/reply", o.reply)
	mux.HandleFunc("POST /question/{id}/reject", o.reject)
	mux.HandleFunc("GET /permission", o.prompts)
	mux.HandleFunc("GET /path", o.places)
	mux.HandleFunc("POST /permission/{id}/reply", o.permit)
	host := chatsim.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		o.mu.Lock()
		cut := o.cut
		o.mu.Unlock()
		switch {
		case cut:
			w.WriteHeader(http.StatusBadGateway)
		case user != "opencode" || password != "canary" || r.URL.Query().Get("directory") != "/home/dana/ledger":
			w.WriteHeader(http.StatusUnauthorized)
		default:
			mux.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(func() {
		o.hangUp(true)
		if err := host.Close(); err != nil {
			t.Error(err)
		}
	})
	return o, host.Client()
}

// places returns where the agent works. An older server has no such route.
func (o *openCode) places(w http.ResponseWriter, _ *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.place == "" {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	fmt.Fprint(w, o.place)
}

// wants has the agent wait for a permission.
func (o *openCode) wants(id, command string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waiting[id] = fmt.Sprintf(`{"id":%q,"sessionID":"ses_1","permission":"bash","patterns":[%q],"metadata":{"command":%q},"always":["git push *"],"tool":{"messageID":"msg_1","callID":"call_1"}}`, id, command, command)
	o.publish("permission.asked", o.waiting[id])
}

func (o *openCode) prompts(w http.ResponseWriter, _ *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	fmt.Fprintf(w, "[%s]", strings.Join(slices.Sorted(maps.Values(o.waiting)), ","))
}

func (o *openCode) permit(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Reply   string  `json:"reply"`
		Message *string `json:"message"`
	}
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(&body); err != nil || !slices.Contains([]string{"once", "always", "reject"}, body.Reply) || body.Message != nil && body.Reply != "reject" {
		o.Errorf("a reply of %+v, %v", body, err)
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	id := r.PathValue("id")
	if o.waiting[id] == "" {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	delete(o.waiting, id)
	if o.answers[id] = body.Reply; body.Message != nil {
		o.answers[id] += ": " + *body.Message
	}
	o.publish("permission.replied", fmt.Sprintf(`{"sessionID":"ses_1","requestID":%q,"reply":%q}`, id, body.Reply))
	fmt.Fprint(w, "true")
}

// hangUp breaks every stream.
func (o *openCode) hangUp(forGood bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.cut = forGood
	for _, s := range o.streams {
		close(s)
	}
	o.streams = nil
}

func (o *openCode) events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	s := make(chan string, 10)
	o.mu.Lock()
	o.streams = append(o.streams, s)
	o.mu.Unlock()
	beat := time.NewTicker(10 * time.Second)
	defer beat.Stop()
	line := `{"type":"server.connected","properties":{}}`
	for {
		fmt.Fprintf(w, "data: %s\n\n", line)
		if http.NewResponseController(w).Flush() != nil {
			return
		}
		var ok bool
		select {
		case line, ok = <-s:
			if !ok {
				return
			}
		case <-beat.C:
			line = `{"type":"server.heartbeat","properties":{}}`
		case <-r.Context().Done():
			return
		}
	}
}

// publish must be called with the lock held.
func (o *openCode) publish(event, properties string) {
	for _, s := range o.streams {
		s <- fmt.Sprintf(`{"id":"evt_1","type":%q,"properties":%s}`, event, properties)
	}
}

func (o *openCode) list(w http.ResponseWriter, _ *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := json.NewEncoder(w).Encode(append([]question{}, o.pending...)); err != nil {
		o.Error(err)
	}
}

// take removes a pending question.
func (o *openCode) take(id string) bool {
	n := len(o.pending)
	o.pending = slices.DeleteFunc(o.pending, func(q question) bool { return q.ID == id })
	return len(o.pending) < n
}

func (o *openCode) reply(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Answers [][]string `json:"answers"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || len(body.Answers) != 1 {
		o.Errorf("a reply of %v, %v", body, err)
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	o.settle(w, r, fmt.Sprint(body.Answers), "question.replied")
}

func (o *openCode) reject(w http.ResponseWriter, r *http.Request) {
	o.settle(w, r, "rejected", "question.rejected")
}

func (o *openCode) settle(w http.ResponseWriter, r *http.Request, answer, event string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	id := r.PathValue("id")
	if !o.take(id) {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	o.answers[id] = answer
	o.publish(event, fmt.Sprintf(`{"sessionID":"ses_1","requestID":%q}`, id))
	fmt.Fprint(w, "true")
}

// asks has the agent stop with a question.
func (o *openCode) asks(id string) {
	q := question{ID: id, Session: "ses_1", Tool: json.RawMessage(`{"messageID":"msg_1","callID":"call_1"}`), Questions: json.RawMessage(
		`[{"question":"Which queue for ` + id + `?","header":"Queue","options":[{"label":"Redis","description":"There"},{"label":"In-process","description":"New"}]}]`)}
	data, err := json.Marshal(q)
	if err != nil {
		o.Fatal(err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.pending = append(o.pending, q)
	o.publish("question.asked", string(data))
}

// answeredThere answers on OpenCode's own screen.
func (o *openCode) answeredThere(id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.take(id)
	o.publish("question.replied", fmt.Sprintf(`{"sessionID":"ses_1","requestID":%q,"answers":[["Redis"]]}`, id))
}

// aborted ends the turn of the session like the interrupt key. OpenCode resolves nothing and still lists its
// questions.
func (o *openCode) aborted() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.publish("session.error", `{"sessionID":"ses_1","error":{"name":"MessageAbortedError","data":{"message":"Aborted"}}}`)
	o.publish("session.idle", `{"sessionID":"ses_1"}`)
}

func (o *openCode) got(id string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.answers[id]
}
