//go:build hosts

package hosts

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"

	"github.com/askbridge/askbridge/test/logbuffer"
)

// rpc is a client of a host that speaks JSON-RPC as lines on standard input and output: a Codex app server or an ACP
// agent.
type rpc struct {
	*world

	in     io.WriteCloser
	output logbuffer.Buffer

	mu       sync.Mutex
	changed  chan struct{}
	messages []message
	ended    bool
	calls    int
	taken    map[int]bool
}

// message is one message of the host.
type message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"`
}

// speak starts a host that speaks JSON-RPC.
func (w *world) speak(cmd *exec.Cmd) *rpc {
	w.Helper()
	r := &rpc{world: w, changed: make(chan struct{}), taken: map[int]bool{}}
	in, err := cmd.StdinPipe()
	if err != nil {
		w.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		w.Fatal(err)
	}
	cmd.Stderr = &r.output
	r.in = in
	if err := cmd.Start(); err != nil {
		w.Fatal(err)
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		r.read(out)
	}()
	w.Cleanup(func() {
		_ = in.Close()
		_ = endGroup(cmd) // It may have ended.
		<-over
		_ = cmd.Wait()
		if w.Failed() {
			w.Logf("the host sent:\n%s", &r.output)
		}
	})
	return r
}

func (r *rpc) read(out io.Reader) {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		fmt.Fprintf(&r.output, "%s\n", lines.Bytes())
		var m message
		if json.Unmarshal(lines.Bytes(), &m) != nil {
			continue
		}
		r.mu.Lock()
		r.messages = append(r.messages, m)
		close(r.changed)
		r.changed = make(chan struct{})
		r.mu.Unlock()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
	close(r.changed)
	r.changed = make(chan struct{})
}

// await waits for a message, and takes it.
func (r *rpc) await(what string, fits func(*message) bool) *message {
	r.Helper()
	for {
		r.mu.Lock()
		for n := range r.messages {
			if !r.taken[n] && fits(&r.messages[n]) {
				r.taken[n] = true
				m := r.messages[n]
				r.mu.Unlock()
				return &m
			}
		}
		changed, ended := r.changed, r.ended
		r.mu.Unlock()
		if ended {
			r.Fatalf("the host ended before it sent %s", what)
		}
		select {
		case <-changed:
		case <-r.ctx.Done():
			r.Fatalf("the host never sent %s", what)
		}
	}
}

// count is how many messages of a method the host has sent.
func (r *rpc) count(method string) (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range r.messages {
		if m.Method == method {
			n++
		}
	}
	return n
}

// send writes one message.
func (r *rpc) send(m any) {
	r.Helper()
	if _, err := r.in.Write(append(encode(r.T, m), '\n')); err != nil {
		r.Fatal(err)
	}
}

// begin sends a request and returns its id.
func (r *rpc) begin(method string, params any) string {
	r.Helper()
	r.calls++
	id := fmt.Sprint(r.calls)
	r.send(map[string]any{"jsonrpc": "2.0", "id": r.calls, "method": method, "params": params})
	return id
}

// end waits for the response to a request.
func (r *rpc) end(id string) json.RawMessage {
	r.Helper()
	m := r.await("the response to request "+id, func(m *message) bool { return m.Method == "" && string(m.ID) == id })
	if m.Error != nil {
		r.Fatalf("request %s failed: %s", id, m.Error)
	}
	return m.Result
}

// call sends a request and waits for its response.
func (r *rpc) call(method string, params any) json.RawMessage {
	r.Helper()
	return r.end(r.begin(method, params))
}

// requested waits for a request of the host.
func (r *rpc) requested(method string) *message {
	r.Helper()
	return r.await("a request "+method, func(m *message) bool { return m.Method == method && m.ID != nil })
}

// respond answers a request of the host.
func (r *rpc) respond(m *message, result json.RawMessage) {
	r.Helper()
	r.send(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result})
}

// member reads a member of a JSON object, by a path with dots.
func (w *world) member(data json.RawMessage, path string) string {
	w.Helper()
	for name := range strings.SplitSeq(path, ".") {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(data, &object); err != nil {
			w.Fatalf("no member %s in %s", path, data)
		}
		data = object[name]
	}
	var text string
	if json.Unmarshal(data, &text) != nil {
		return string(bytes.TrimSpace(data))
	}
	return text
}
