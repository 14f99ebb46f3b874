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

// stdio is the connection to one client, with one message per line. The SDK ends the session at an
// invalid line, and with it every waiting call; here such a line gets a JSON-RPC error, and the next
// one is read. The SDK also ends the session at a batch, which one revision of the protocol had, so
// a batch is split into its messages.
// https://www.jsonrpc.org/specification#error_object
// https://modelcontextprotocol.io/specification/2025-06-18/changelog
type stdio struct {
	log *slog.Logger
	// takes reports whether it has handled a message, which is then not passed to the SDK. It may be nil.
	takes func(message []byte) bool

	in   *bufio.Scanner
	rest bytes.Buffer // the remaining messages of the current line
	end  io.Closer

	mu  sync.Mutex // held while writing a line
	out io.WriteCloser

	calls calls
}

// lastWord is how long the end of the input is held back from the SDK, which then ends the session:
// earlier calls get their results, as when a few lines are piped in.
const lastWord = time.Second

// calls are the IDs of calls without a result, except tool calls, which may wait for people and end
// when the client disconnects.
type calls struct {
	mu   sync.Mutex
	open map[jsonrpc.ID]bool
	// fewer is notified when a call gets its result.
	fewer chan struct{}
}

// came records a message of the client, if it is a call.
func (c *calls) came(text []byte) {
	m, _ := jsonrpc.DecodeMessage(text)
	if call, is := m.(*jsonrpc.Request); is && call.IsCall() && call.Method != "tools/call" {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.open[call.ID] = true
	}
}

// went records a message to the client, if it is a result.
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

// settle waits until all calls have their results, at most for [lastWord].
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

// Read returns every valid message that takes does not handle.
func (l *stdio) Read(p []byte) (int, error) {
	for l.rest.Len() == 0 {
		if !l.in.Scan() {
			l.calls.settle()
			return 0, cmp.Or(l.in.Err(), io.EOF)
		}
		line := l.in.Bytes()
		if text, err := textinput.UTF8(line); err == nil { // A shell may prepend a byte order mark.
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

// messages returns the messages of a line, which may be a batch.
func messages(line []byte) []json.RawMessage {
	var batch []json.RawMessage
	if line[0] != '[' || json.Unmarshal(line, &batch) != nil || len(batch) == 0 {
		return []json.RawMessage{line}
	}
	return batch
}

// Close closes the client's output.
func (l *stdio) Close() error { return l.end.Close() }

// Write writes one or more lines atomically.
func (l *stdio) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.out.Write(p)
}

// stdioOut is the output of [stdio].
type stdioOut struct{ *stdio }

// Write writes a message of the SDK.
func (o stdioOut) Write(p []byte) (int, error) {
	n, err := o.stdio.Write(p)
	o.calls.went(p)
	return n, err
}

// Close closes the client's input.
func (o stdioOut) Close() error { return o.out.Close() }

// refuses reports whether a text is not a valid message, and sends the client an error unless it was
// a response.
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
		id = m.ID // Unparsed, since a number may be too large.
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

// misread returns why the SDK cannot read a message, with the JSON-RPC error code, or nil.
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

// checkID rejects an ID that the SDK would change by parsing it as a floating point number and then as
// an integer: the client would wait for a result with the original one.
func checkID(text []byte) error {
	var m struct{ ID any }
	_ = json.Unmarshal(text, &m) // The SDK reports other problems.
	if id, is := m.ID.(float64); is && (id != math.Trunc(id) || math.Abs(id) >= 1<<53) {
		return errors.New("the id cannot be kept: give a string, or an integer nearer to 0 than 2^53")
	}
	return nil
}
