package mcpserver

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// stdio is what one client writes and reads, a message on each line. The SDK ends the session at
// the first line that is none, and with it every call that waits for people; here such a line is
// answered as JSON-RPC says, and the next one is read.
// https://www.jsonrpc.org/specification#error_object
type stdio struct {
	log *slog.Logger
	// takes reports whether a message is not for the SDK; nil takes none.
	takes func(line []byte) bool

	in   *bufio.Scanner
	rest bytes.Buffer // What is still to be handed on of the line at hand.
	end  io.Closer

	mu  sync.Mutex // Held by whoever writes a line.
	out io.WriteCloser
}

func newStdio(log *slog.Logger, in io.ReadCloser, out io.WriteCloser) *stdio {
	l := &stdio{log: log, in: bufio.NewScanner(in), end: in, out: out}
	l.in.Buffer(nil, mcp.DefaultMaxLineLength)
	return l
}

// Read hands on every message that the SDK can read and that nobody else takes.
func (l *stdio) Read(p []byte) (int, error) {
	for l.rest.Len() == 0 {
		if !l.in.Scan() {
			return 0, cmp.Or(l.in.Err(), io.EOF)
		}
		line := bytes.TrimSpace(l.in.Bytes())
		if len(line) == 0 || l.refuses(line) || l.takes != nil && l.takes(line) {
			continue
		}
		l.rest.Write(line)
		l.rest.WriteByte('\n')
	}
	return l.rest.Read(p)
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

// Close ends what the client reads.
func (o stdioOut) Close() error { return o.out.Close() }

// refuses reports whether a line is no message, and says so to the client. What was meant as an
// answer is none to be answered.
func (l *stdio) refuses(line []byte) bool {
	code, err := misread(line)
	if err == nil {
		return false
	}
	l.log.Warn("message of the client not understood", "error", err)
	var m struct {
		ID            any
		Method        json.RawMessage
		Result, Error json.RawMessage
	}
	if json.Unmarshal(line, &m) == nil && m.Method == nil && (m.Result != nil || m.Error != nil) {
		return true
	}
	switch m.ID.(type) {
	case string, float64:
	default:
		m.ID = nil
	}
	reply, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": m.ID, "error": &jsonrpc.Error{Code: code, Message: err.Error()}})
	if err == nil {
		_, err = l.Write(append(reply, '\n'))
	}
	if err != nil {
		l.log.Warn("client not told that its message was not understood", "error", err)
	}
	return true
}

// misread is why the SDK cannot read a line, with the code of JSON-RPC; nil where it can.
func misread(line []byte) (int64, error) {
	if err := json.Unmarshal(line, new(json.RawMessage)); err != nil {
		return jsonrpc.CodeParseError, err
	}
	batch := []json.RawMessage{line}
	if line[0] == '[' {
		if err := json.Unmarshal(line, &batch); err != nil {
			return jsonrpc.CodeParseError, err
		}
	}
	if len(batch) == 0 {
		return jsonrpc.CodeInvalidRequest, errors.New("the batch is empty")
	}
	for _, message := range batch {
		if _, err := jsonrpc.DecodeMessage(message); err != nil {
			return jsonrpc.CodeInvalidRequest, err
		}
	}
	return 0, nil
}
