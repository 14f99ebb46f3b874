package connect_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/askbridge/askbridge/chatsim"
)

// crush is a double of a Crush server: the routes and events of
// https://github.com/charmbracelet/crush/tree/37f36e9/internal/server for questions. Like the original, it replaces
// a question by a newer one and relies on the order of the responses; unlike it, it fails the test when a body
// differs from what Crush's own client sends.
type crush struct {
	testing.TB

	mu sync.Mutex
	// spaces are the projects, each with its pending question.
	spaces map[string]*crushSpace
	cut    bool
}

type crushSpace struct {
	path     string
	pending  *crushBatch
	streams  []chan string
	messages []string
	got      []string
}

type crushBatch struct {
	ID        string        `json:"id"`
	Session   string        `json:"session_id"`
	ToolCall  string        `json:"tool_call_id"`
	Questions []crushAsking `json:"questions"`
}

type crushAsking struct {
	ID          string        `json:"id"`
	Type        string        `json:"type"`
	Question    string        `json:"question"`
	Description string        `json:"description"`
	Choices     []crushChoice `json:"choices,omitempty"`
}

type crushChoice struct {
	ID    string `json:"id"`
	Label string `json:"label"`
}

// crushUUID is the client ID that the server expects.
var crushUUID = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

func newCrush(t *testing.T) (*crush, *http.Client) {
	t.Helper()
	d := &crush{TB: t, spaces: map[string]*crushSpace{}}
	d.open("w1", "/home/dana/ledger")
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/workspaces", d.list)
	mux.HandleFunc("GET /v1/workspaces/{id}/events", d.in(d.events))
	mux.HandleFunc("GET /v1/workspaces/{id}/sessions/{session}/messages", d.in(d.messages))
	mux.HandleFunc("POST /v1/workspaces/{id}/questions/answer", d.in(d.answer))
	mux.HandleFunc("POST /v1/workspaces/{id}/questions/cancel", d.in(d.cancel))
	host := chatsim.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.mu.Lock()
		cut := d.cut
		d.mu.Unlock()
		if cut {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		d.hangUp(true)
		if err := host.Close(); err != nil {
			t.Error(err)
		}
	})
	return d, host.Client()
}

func (d *crush) open(id, path string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.spaces[id] = &crushSpace{path: path}
}

// shut closes a project and its question.
func (d *crush) shut(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range d.spaces[id].streams {
		close(s)
	}
	delete(d.spaces, id)
}

// hangUp breaks every stream; away makes every further call fail.
func (d *crush) hangUp(away bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cut = away
	for _, w := range d.spaces {
		for _, s := range w.streams {
			close(s)
		}
		w.streams = nil
	}
}

// in wraps a route of a project that must exist.
func (d *crush) in(f func(*crushSpace, http.ResponseWriter, *http.Request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		d.mu.Lock()
		space := d.spaces[r.PathValue("id")]
		d.mu.Unlock()
		if space == nil {
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"message":"workspace not found"}`)
			return
		}
		f(space, w, r)
	}
}

func (d *crush) list(w http.ResponseWriter, _ *http.Request) {
	type item struct {
		ID   string `json:"id"`
		Path string `json:"path"`
	}
	all := []item{}
	d.mu.Lock()
	for id, s := range d.spaces {
		all = append(all, item{id, s.path})
	}
	d.mu.Unlock()
	if err := json.NewEncoder(w).Encode(all); err != nil {
		d.Error(err)
	}
}

func (d *crush) events(space *crushSpace, w http.ResponseWriter, r *http.Request) {
	if !crushUUID.MatchString(r.URL.Query().Get("client_id")) {
		d.Errorf("a stream for the client %q", r.URL.Query().Get("client_id"))
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	s := make(chan string, 10)
	d.mu.Lock()
	space.streams = append(space.streams, s)
	d.mu.Unlock()
	for {
		if http.NewResponseController(w).Flush() != nil {
			return
		}
		select {
		case line, ok := <-s:
			if !ok {
				return
			}
			fmt.Fprintf(w, "data: %s\n\n", line)
		case <-r.Context().Done():
			return
		}
	}
}

// publish must be called with the lock held.
func (s *crushSpace) publish(kind, payload string) {
	for _, c := range s.streams {
		c <- fmt.Sprintf(`{"type":%q,"payload":{"type":"created","payload":%s}}`, kind, payload)
	}
}

func (d *crush) messages(space *crushSpace, w http.ResponseWriter, r *http.Request) {
	if r.PathValue("session") != "ses_1" {
		d.Errorf("messages of session %q", r.PathValue("session"))
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	fmt.Fprintf(w, "[%s]", strings.Join(space.messages, ","))
}

func (d *crush) answer(space *crushSpace, w http.ResponseWriter, r *http.Request) {
	var body struct {
		Batch     string `json:"batch_request_id"`
		Responses []struct {
			Question string            `json:"request_id"`
			Selected []string          `json:"selected_ids"`
			FillIn   string            `json:"fill_in_text"`
			Yes      *bool             `json:"yes"`
			Notes    map[string]string `json:"notes"`
		} `json:"responses"`
	}
	in := json.NewDecoder(r.Body)
	in.DisallowUnknownFields()
	if err := in.Decode(&body); err != nil {
		d.Errorf("not an answer: %v", err)
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	p := space.pending
	if p == nil {
		fmt.Fprint(w, `{"resolved":false}`)
		return
	}
	if body.Batch != p.ID || len(body.Responses) != len(p.Questions) {
		d.Errorf("%d responses to %s, asked is %s with %d questions", len(body.Responses), body.Batch, p.ID, len(p.Questions))
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	var lines []string
	for i, r := range body.Responses {
		q := p.Questions[i]
		if r.Question != q.ID {
			d.Errorf("response %d is to %q, not %q", i, r.Question, q.ID)
		}
		for _, id := range r.Selected {
			if !slices.ContainsFunc(q.Choices, func(c crushChoice) bool { return c.ID == id }) {
				d.Errorf("%q is no choice of %s", id, q.ID)
			}
		}
		line := fmt.Sprintf("%s %v %q", r.Question, r.Selected, r.FillIn)
		if r.Yes != nil {
			line = fmt.Sprintf("%s yes=%v", r.Question, *r.Yes)
		}
		lines = append(lines, line)
	}
	space.settle(strings.Join(lines, "; "))
	fmt.Fprint(w, `{"resolved":true}`)
}

func (d *crush) cancel(space *crushSpace, w http.ResponseWriter, _ *http.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	resolved := space.pending != nil
	if resolved {
		space.settle("cancelled")
	}
	fmt.Fprintf(w, `{"resolved":%v}`, resolved)
}

// settle must be called with the lock held.
func (s *crushSpace) settle(how string) {
	s.got = append(s.got, s.pending.ID+": "+how)
	s.publish("question_batch_notification", fmt.Sprintf(`{"batch_id":%q}`, s.pending.ID))
	s.result()
}

// result ends the tool call, as at every end of a question.
func (s *crushSpace) result() {
	m := fmt.Sprintf(`{"id":"m","role":"tool","session_id":"ses_1","parts":[{"type":"tool_result","data":{"tool_call_id":%q,"name":"question","content":"…"}}]}`, s.pending.ToolCall)
	s.pending = nil
	s.messages = append(s.messages, m)
	s.publish("message", m)
}

// asks has the agent stop with a question.
func (d *crush) asks(workspace, batch string, questions ...crushAsking) {
	if len(questions) == 0 {
		questions = []crushAsking{whichQueue("Which queue for " + batch + "?")}
	}
	b := &crushBatch{ID: batch, Session: "ses_1", ToolCall: "call_" + batch, Questions: questions}
	data, err := json.Marshal(b)
	if err != nil {
		d.Fatal(err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.spaces[workspace].pending = b
	d.spaces[workspace].publish("question_batch_request", string(data))
}

func whichQueue(text string) crushAsking {
	return crushAsking{
		ID: "q-1", Type: "single_choice", Question: text, Description: "For the jobs.",
		Choices: []crushChoice{{"redis", "Redis"}, {"local", "In-process"}},
	}
}

// here acts in Crush itself, with the lock held.
func (d *crush) here(workspace string, f func(s *crushSpace)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f(d.spaces[workspace])
}

func (d *crush) got(workspace string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Join(d.spaces[workspace].got, "\n")
}
