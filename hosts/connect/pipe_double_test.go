package connect_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/hosts/connect"
)

// talk is a Pipe between doubles of a host and of its client.
type talk struct {
	*fixture

	host, front *speaker
	done        chan error

	mu sync.Mutex
	// log is the whole exchange in order.
	log strings.Builder
}

// speaker is one end of a Pipe.
type speaker struct {
	*talk

	name string
	out  *io.PipeWriter
	// judge checks incoming messages.
	judge func(line string)

	mu  sync.Mutex
	got []string
}

// talks starts a pipe; judge checks what the host receives.
func (w *fixture) talks(p *connect.Pipe, judge func(line string)) *talk {
	t := &talk{fixture: w, done: make(chan error, 1)}
	fromHost, hostOut := io.Pipe()
	toHost, hostIn := io.Pipe()
	fromFront, frontOut := io.Pipe()
	toFront, frontIn := io.Pipe()
	t.host = &speaker{talk: t, name: "host", out: hostOut, judge: judge}
	t.front = &speaker{talk: t, name: "front", out: frontOut, judge: func(string) {}}
	var ends sync.WaitGroup
	ends.Go(func() {
		t.host.listen(toHost)
		hostOut.Close() // A host exits when its input ends.
	})
	ends.Go(func() { t.front.listen(toFront) })
	go func() {
		err := p.Run(w.Context(), connect.Ends{In: fromHost, Out: hostIn}, connect.Ends{In: fromFront, Out: frontIn})
		frontIn.Close()
		t.done <- err
	}()
	w.Cleanup(func() {
		frontOut.Close()
		if err := <-t.done; err != nil {
			w.Error(err)
		}
		ends.Wait()
	})
	return t
}

func (s *speaker) listen(in io.Reader) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		s.note("→ "+s.name, lines.Text())
		s.mu.Lock()
		s.got = append(s.got, lines.Text())
		s.mu.Unlock()
		s.judge(lines.Text())
	}
}

func (t *talk) note(who, line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(line) > 1000 {
		line = fmt.Sprintf("%s… (%d bytes)", line[:20], len(line))
	}
	fmt.Fprintf(&t.log, "%-7s %s\n", who, line)
}

// sends sends lines, each once all activity has stopped.
func (s *speaker) sends(lines ...string) {
	for _, line := range lines {
		s.send(line)
		synctest.Wait()
	}
}

func (s *speaker) send(line string) {
	s.note(s.name, line)
	if _, err := io.WriteString(s.out, line+"\n"); err != nil {
		s.Error(err)
	}
}

// forgets drops the received messages.
func (s *speaker) forgets() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got = nil
}

// receives checks the messages received since the last call.
func (s *speaker) receives(want ...string) {
	s.Helper()
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	if got, want := strings.Join(s.got, "\n"), strings.Join(want, "\n"); got != want {
		s.Errorf("%s received\n%s\nwant\n%s", s.name, got, want)
	}
	s.got = nil
}

// presses presses a control and records it in the transcript.
func (t *talk) presses(label string) {
	t.Helper()
	t.note("dana", "presses "+label)
	t.fixture.presses(label)
	time.Sleep(time.Minute)
	synctest.Wait()
}

func (t *talk) transcript() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.log.String()
}

// acpAgent validates what an agent gets from its client, as strictly as the protocol requires.
// https://agentclientprotocol.com/protocol/v1/schema
type acpAgent struct {
	testing.TB

	mu sync.Mutex
	// pending holds the methods of waiting requests by ID.
	pending map[string]string
}

func (a *acpAgent) judge(line string) {
	var m struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params"`
		Result  json.RawMessage `json:"result"`
		Error   *struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := strictly([]byte(line), &m); err != nil || m.Version != "2.0" {
		a.Errorf("the agent gets %s: %v", line, err)
		return
	}
	if m.Method != "" {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	method, waits := a.pending[string(m.ID)]
	if !waits {
		a.Errorf("nothing waits for %s", line)
		return
	}
	delete(a.pending, string(m.ID))
	if m.Error != nil {
		return
	}
	var answer struct {
		Action  string          `json:"action"`
		Content json.RawMessage `json:"content"`
		Outcome struct {
			Outcome string `json:"outcome"`
			Option  string `json:"optionId"`
		} `json:"outcome"`
		Answers map[string]string `json:"answers"` // Qwen Code.
	}
	err := strictly(m.Result, &answer)
	form := method == "elicitation/create"
	if err != nil || form != (answer.Action != "") || form == (answer.Outcome.Outcome != "") || (answer.Action == "accept") != (answer.Content != nil) {
		a.Errorf("%s does not answer %s: %v", m.Result, method, err)
	}
}

// codex validates what app-server receives: JSON-RPC without the version, and results by the schema of Codex 0.171.0
// (codex app-server generate-json-schema --experimental). The scenarios "in between, …" of test/hosts show that a
// live Codex accepts them and resolves each answered question.
type codex struct {
	testing.TB

	mu sync.Mutex
	// pending holds waiting requests by ID, with the IDs of their questions.
	pending map[string][]string
	// resolved is called for each answered request.
	resolved func(id string)
}

func (c *codex) judge(line string) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
		Result json.RawMessage `json:"result"`
		Error  *struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := strictly([]byte(line), &m); err != nil {
		c.Errorf("Codex gets %s: %v", line, err)
		return
	}
	if m.Method != "" {
		return
	}
	c.mu.Lock()
	ids, waits := c.pending[string(m.ID)]
	delete(c.pending, string(m.ID))
	c.mu.Unlock()
	if !waits {
		c.Errorf("nothing waits for %s", line)
		return
	}
	var answer struct {
		Answers map[string]struct {
			Answers []string `json:"answers"`
		} `json:"answers"`
	}
	if m.Error == nil {
		if err := strictly(m.Result, &answer); err != nil || answer.Answers == nil {
			c.Errorf("%s is no answer: %v", m.Result, err)
		}
	}
	for id := range answer.Answers {
		if !strings.Contains(strings.Join(ids, " "), id) {
			c.Errorf("there is no question %s", id)
		}
	}
	c.resolved(string(m.ID))
}

func strictly(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(into)
}
