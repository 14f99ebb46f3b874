package connect

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/strictjson"
)

// PipeOptions are the settings of a [Pipe].
type PipeOptions struct {
	Options
	// Both passes a question to the front client too; the first answer counts.
	// Without it the front client gets only what chat does not answer.
	Both bool
}

// Ends are the two directions of a stream of lines. Out is closed if it leads to a
// host.
type Ends struct {
	In  io.Reader
	Out io.WriteCloser
}

// Pipe is a proxy between an agent host that uses JSON-RPC on standard input and
// output and the client that has started it, the front client. It passes every
// message unchanged in both directions, except questions, which it asks in chat and
// answers itself. The front client gets a question without an answer from chat: if the
// bridge is unavailable or refuses it, or if there is no answer in time.
//
// When the host ends, the open questions are closed in chat.
type Pipe struct {
	*asker

	talk dialogue
	both bool

	mu          sync.Mutex
	held        map[string]*heldQuestion // by the JSON of its ID
	host, front *lineWriter
}

// heldQuestion is an open question of the host.
type heldQuestion struct {
	id   json.RawMessage
	line []byte
	call client.ToolCall
	// folder is where the agent works; empty if unknown.
	folder string
	// form is set if the front client needs support for forms, permission for a permission prompt, and anyone if everyone
	// who sees the card may decide.
	form, permission, anyone bool
	// shown is set if the front client has it too, settled if the host has its
	// answer.
	shown, settled bool
}

// dialogue is the protocol of a host. Its methods are called for one message at a
// time.
type dialogue interface {
	name() string
	// fromHost handles a message of the host.
	fromHost(m *message) heard
	// fromFront handles a message of the front client, and returns the line to pass on.
	fromFront(m *message, line []byte) ([]byte, heard)
	// mute reports whether the front client cannot handle a question.
	mute(q *heldQuestion) bool
	// result returns the response with the result from chat, and dismissal without an answer.
	result(q *heldQuestion, r *client.ToolResult) []byte
	// answered returns the front client's answer as text for the card.
	answered(q *heldQuestion, line []byte) string
	dismissal(q *heldQuestion) []byte
	// withdrawal returns the message to the front client about an answer from chat, or nil if the host sends one.
	withdrawal(q *heldQuestion) []byte
}

// heard is the meaning of a message for the questions.
type heard struct {
	// asks is the question of the message, or nil.
	asks *heldQuestion
	// ended returns the reason why a question is over with this message, or "". It may
	// be nil.
	ended func(id string, q *heldQuestion) string
	// reply returns the response for a question that is over and that the front client has not seen. It may be nil.
	reply func(q *heldQuestion) []byte
	// private is set if the message is only about the question, so that a client that
	// has not seen it must not get it.
	private bool
}

// message is a JSON-RPC message.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
}

// key returns the ID as a map key, or "".
func (m *message) key() string {
	if id := string(bytes.TrimSpace(m.ID)); id != "null" {
		return id
	}
	return ""
}

func newPipe(bridge *client.Client, talk dialogue, opts *PipeOptions) *Pipe {
	if opts == nil {
		opts = &PipeOptions{}
	}
	return &Pipe{asker: newAsker(bridge, opts.Options), talk: talk, both: opts.Both, held: map[string]*heldQuestion{}}
}

// Run passes messages until the host's output ends. At the end of the front client's
// input it closes the host's. The end of ctx does not end it; end the host, as
// [Pipe.Command] does. It does not wait for a pending read of the front client's
// input.
//
// It returns the error of a broken direction.
func (p *Pipe) Run(ctx context.Context, host, front Ends) error {
	p.host, p.front = &lineWriter{w: host.Out}, &lineWriter{w: front.Out}
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	go func() {
		defer host.Out.Close()
		if err := p.pass(front.In, p.host, p.fromFront); err != nil && life.Err() == nil {
			p.log.Warn("the agent does not listen any more", "error", err)
		}
	}()
	err := p.pass(host.In, p.front, func(line []byte) []byte { return p.fromHost(life, line) })
	p.dropAll(func(string) bool { return true }, over{"the agent has ended"})
	cancel()
	p.all.Wait()
	return err
}

// maxLook is the maximum length of a line that is parsed. Longer lines cannot be
// questions and pass unparsed.
const maxLook = 16 << 20

// pass passes lines as look returns them; it drops a line for nil.
func (p *Pipe) pass(from io.Reader, to *lineWriter, look func(line []byte) []byte) error {
	in := bufio.NewReaderSize(from, 64<<10)
	for {
		var line []byte
		err := bufio.ErrBufferFull
		for errors.Is(err, bufio.ErrBufferFull) && len(line) <= maxLook {
			var part []byte
			part, err = in.ReadSlice('\n')
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			err = to.copyLine(line, in)
		} else if out := look(line); len(out) > 0 {
			err = errors.Join(err, to.write(out))
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// parse returns nil for a line that is not a JSON-RPC message.
func parse(line []byte) *message {
	var m message
	if strictjson.Decode(line, &m) != nil {
		return nil
	}
	return &m
}

// fromHost returns the line for the front client for a line of the host.
func (p *Pipe) fromHost(life context.Context, line []byte) []byte {
	m := parse(line)
	if m == nil {
		return line
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.talk.fromHost(m)
	pass := line
	replies, unseen := p.conclude(h)
	if unseen && h.private {
		pass = nil
	}
	if len(replies) > 0 {
		// The host may not read before its output is read.
		p.all.Go(func() { p.send(p.host, replies) })
	}
	if h.asks == nil || p.held[m.key()] != nil {
		return pass
	}
	q := h.asks
	q.id, q.line = m.ID, line
	q.shown = p.both && !p.talk.mute(q)
	p.held[m.key()] = q
	p.begin(life, question{
		id: m.key(), call: q.call, anyone: q.anyone, folder: q.folder,
		tell:  func(_ context.Context, r *client.ToolResult) error { return p.settle(q, p.talk.result(q, r)) },
		left:  func(error) { p.handBack(q) },
		final: p.talk.mute(q),
	})
	if !q.shown {
		return nil
	}
	return pass
}

// conclude drops the questions that are over with a message, and returns the responses for those that the front client has
// not seen.
func (p *Pipe) conclude(h heard) (replies []byte, unseen bool) {
	if h.ended == nil {
		return nil, false
	}
	for id, q := range p.held {
		why := h.ended(id, q)
		if why == "" {
			continue
		}
		p.drop(id, over{why})
		if q.shown && h.reply != nil && !q.settled {
			continue // The front client responds.
		}
		delete(p.held, id)
		unseen = unseen || !q.shown
		if h.reply != nil && !q.settled {
			replies = append(replies, h.reply(q)...)
		}
	}
	return replies, unseen
}

// send writes to a side that may have ended.
func (p *Pipe) send(to *lineWriter, line []byte) {
	if err := to.write(line); err != nil {
		p.log.Warn("message not delivered", "error", err)
	}
}

// fromFront returns the line for the host for a line of the front client.
func (p *Pipe) fromFront(line []byte) []byte {
	m := parse(line)
	if m == nil {
		return line
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	q := p.held[m.key()]
	if m.Method != "" || q == nil {
		pass, h := p.talk.fromFront(m, line)
		replies, _ := p.conclude(h)
		return slices.Concat(pass, replies)
	}
	if q.settled {
		return nil // Chat was first.
	}
	q.settled = true
	p.drop(m.key(), over{p.talk.answered(q, line)})
	return line
}

// settle sends a response to the host, unless it has one.
func (p *Pipe) settle(q *heldQuestion, line []byte) error {
	p.mu.Lock()
	open := p.held[string(bytes.TrimSpace(q.id))] == q && !q.settled
	q.settled = true
	p.mu.Unlock()
	if !open {
		return nil
	}
	if note := p.talk.withdrawal(q); q.shown && note != nil {
		p.send(p.front, note)
	}
	return p.host.write(line)
}

// handBack passes the question to the front client. If that cannot handle it, the
// host gets the response without an answer.
func (p *Pipe) handBack(q *heldQuestion) {
	p.mu.Lock()
	key := string(bytes.TrimSpace(q.id))
	open := p.held[key] == q && !q.settled && !q.shown
	mute := p.talk.mute(q)
	q.shown = q.shown || !mute
	var dismissal []byte
	if mute {
		dismissal = p.talk.dismissal(q)
	}
	p.mu.Unlock()
	var err error
	switch {
	case !open:
	case mute:
		err = p.settle(q, dismissal)
	default:
		err = p.front.write(q.line)
	}
	if err != nil {
		p.log.Warn("a question could not be handed back", "question", key, "error", err)
	}
}

// reply returns a JSON-RPC response as a line.
func reply(id json.RawMessage, version, member string, value []byte) []byte {
	var b bytes.Buffer
	b.WriteByte('{')
	if version != "" {
		b.WriteString(`"jsonrpc":"` + version + `",`)
	}
	b.WriteString(`"id":`)
	b.Write(bytes.TrimSpace(id))
	b.WriteString(`,"` + member + `":`)
	if json.Compact(&b, value) != nil {
		b.WriteString("null") // Invalid JSON would break the line.
	}
	b.WriteString("}\n")
	return b.Bytes()
}

// lineWriter writes whole lines, concurrently.
type lineWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lineWriter) write(line []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := l.w.Write(line)
	return err
}

// copyLine writes a line that has begun, and its rest from in.
func (l *lineWriter) copyLine(begun []byte, in *bufio.Reader) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := l.w.Write(begun)
	for err == nil {
		var part []byte
		part, err = in.ReadSlice('\n')
		if _, werr := l.w.Write(part); werr != nil {
			return werr
		}
		if err == nil {
			return nil
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			err = nil
		}
	}
	return err
}
