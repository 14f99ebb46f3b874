package mcpserver

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"math"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askbridge/askbridge/internal/textinput"
)

// stdio is what one client writes and reads, a message on each line. The SDK ends the session at
// the first line that is none, and with it every call that waits for people; here such a line is
// answered as JSON-RPC says, and the next one is read. At a batch, which one revision had, it ends
// the session in later ones too, so a batch is taken as the messages that are in it.
// https://www.jsonrpc.org/specification#error_object
// https://modelcontextprotocol.io/specification/2025-06-18/changelog
type stdio struct {
	log *slog.Logger
	// takes reports whether a message is not for the SDK; nil takes none.
	takes func(message []byte) bool

	in   *bufio.Scanner
	rest bytes.Buffer // What is still to be handed on of the line at hand.
	end  io.Closer

	mu  sync.Mutex // Held by whoever writes a line.
	out io.WriteCloser

	calls calls
}

// lastWord is how long the end of what the client writes may be held back from the SDK, which ends
// the session with it: calls that stand before it get their results, as where somebody pipes a few
// lines in.
const lastWord = time.Second

// calls are the ids of those that have no result yet, but for those of tools, which may wait for
// people: where nobody is there any more they end at once.
type calls struct {
	mu   sync.Mutex
	open map[jsonrpc.ID]bool
	// fewer has room for the news that one has its result.
	fewer chan struct{}
}

// came takes note of what the client wrote, if it is a call.
func (c *calls) came(text []byte) {
	m, _ := jsonrpc.DecodeMessage(text)
	if call, is := m.(*jsonrpc.Request); is && call.IsCall() && call.Method != "tools/call" {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.open[call.ID] = true
	}
}

// went takes note of what the client was told, if it is a result.
func (c *calls) went(text []byte) {
	m, _ := jsonrpc.DecodeMessage(text)
	if result, is := m.(*jsonrpc.Response); is {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.open, result.ID)
		select {
		case c.fewer <- struct{}{}:
		default:
		}
	}
}

func (c *calls) none() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.open) == 0
}

// settle waits until all have their results, or for [lastWord].
func (c *calls) settle() {
	enough := time.After(lastWord)
	for !c.none() {
		select {
		case <-c.fewer:
		case <-enough:
			return
		}
	}
}

func newStdio(log *slog.Logger, in io.ReadCloser, out io.WriteCloser) *stdio {
	l := &stdio{log: log, in: bufio.NewScanner(in), end: in, out: out, calls: calls{open: map[jsonrpc.ID]bool{}, fewer: make(chan struct{}, 1)}}
	l.in.Buffer(nil, mcp.DefaultMaxLineLength)
	return l
}

// Read hands on every message that the SDK can read and that nobody else takes.
func (l *stdio) Read(p []byte) (int, error) {
	for l.rest.Len() == 0 {
		if !l.in.Scan() {
			l.calls.settle()
			return 0, cmp.Or(l.in.Err(), io.EOF)
		}
		line := l.in.Bytes()
		if text, err := textinput.UTF8(line); err == nil { // A shell may write a byte order mark before the first message.
			line = text
		}
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		for _, message := range messages(line) {
			if l.refuses(message) || l.takes != nil && l.takes(message) {
				continue
			}
			l.calls.came(message)
			l.rest.Write(message)
			l.rest.WriteByte('\n')
		}
	}
	return l.rest.Read(p)
}

// messages are those of a line: of a batch, or the line itself.
func messages(line []byte) []json.RawMessage {
	var batch []json.RawMessage
	if line[0] != '[' || json.Unmarshal(line, &batch) != nil || len(batch) == 0 {
		return []json.RawMessage{line}
	}
	return batch
}

// Close ends what the client writes.
func (l *stdio) Close() error { return l.end.Close() }

// Write writes a line, or several, with nobody else's between them.
func (l *stdio) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.out.Write(p)
}

// stdioOut is the side of [stdio] that the client reads.
type stdioOut struct{ *stdio }

// Write writes a message of the SDK, each in one call.
func (o stdioOut) Write(p []byte) (int, error) {
	n, err := o.stdio.Write(p)
	o.calls.went(p)
	return n, err
}

// Close ends what the client reads.
func (o stdioOut) Close() error { return o.out.Close() }

// refuses reports whether a text is no message, and says so to the client. What was meant as an
// answer is none to be answered.
func (l *stdio) refuses(text []byte) bool {
	code, err := misread(text)
	if err == nil {
		return false
	}
	l.log.Warn("message of the client not understood", "error", err)
	var m struct {
		ID            json.RawMessage
		Method        json.RawMessage
		Result, Error json.RawMessage
	}
	if json.Unmarshal(text, &m) == nil && m.Method == nil && (m.Result != nil || m.Error != nil) {
		return true
	}
	var id any
	switch _ = json.Unmarshal(m.ID, &id); id.(type) {
	case string, float64:
		id = m.ID // As it came, since a number may be too large to be kept.
	default:
		id = nil
	}
	reply, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": &jsonrpc.Error{Code: code, Message: err.Error()}})
	if err == nil {
		_, err = l.Write(append(reply, '\n'))
	}
	if err != nil {
		l.log.Warn("invalid message reply not sent", "error", err)
	}
	return true
}

// misread is why the SDK cannot read a message, with the code of JSON-RPC; nil where it can.
func misread(text []byte) (int64, error) {
	if err := json.Unmarshal(text, new(json.RawMessage)); err != nil {
		return jsonrpc.CodeParseError, err
	}
	if _, err := jsonrpc.DecodeMessage(text); err != nil {
		return jsonrpc.CodeInvalidRequest, err
	}
	if err := checkID(text); err != nil {
		return jsonrpc.CodeInvalidRequest, err
	}
	return 0, nil
}

// checkID refuses an id that is another one once the SDK has read it, as a floating point number and
// then as an integer: whoever called would wait for a result with their own.
func checkID(text []byte) error {
	var m struct{ ID any }
	_ = json.Unmarshal(text, &m) // What is wrong there the SDK says.
	if id, is := m.ID.(float64); is && (id != math.Trunc(id) || math.Abs(id) >= 1<<53) {
		return errors.New("the id cannot be kept: give a string, or an integer nearer to 0 than 2^53")
	}
	return nil
}
