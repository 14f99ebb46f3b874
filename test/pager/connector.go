package pager

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/app/provider"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

// Name is the prefix of pager numbers in places and people.
const Name = "pager"

// page is what a pager shows: a text, and the numbers to call back with their choices.
type page struct {
	Line    string   `json:"line"`
	Text    string   `json:"text"`
	Choices []choice `json:"choices"`
}

type choice struct {
	Label string `json:"label"`
	Token string `json:"token"`
}

// callBack is what the exchange posts after a call to a number.
type callBack struct {
	ID      string `json:"id"`
	At      int64  `json:"at"`
	Caller  string `json:"caller"`
	Line    string `json:"line"`
	Message string `json:"message"`
	Token   string `json:"token"`
}

type connector struct {
	exchange, key string
	client        *http.Client
	ready         chan struct{}

	mu     sync.Mutex
	handle platform.Handler // nil until Listen
	calls  sync.WaitGroup
}

var (
	_     provider.Connector = (*connector)(nil)
	digit                    = regexp.MustCompile(`^[0-9]+$`)
)

func (*connector) Name() string                 { return Name }
func (*connector) Mode() string                 { return provider.ModeHTTP }
func (c *connector) Listening() <-chan struct{} { return c.ready }

func (*connector) Limits() render.Limits {
	return render.Limits{Platform: Name, Text: 2000, Part: 1000, Parts: 20, Questions: 1}
}

func (*connector) CheckTarget(t ask.Place) error {
	if !digit.MatchString(t.Channel) || t.User != "" || t.Thread != "" || t.Installation != "" {
		return errors.New("pager: not the number of a line, such as 7")
	}
	return nil
}

func (*connector) CheckResponder(who string) error {
	if e, ok := ask.ParseEntry(who); !ok || e.Kind != "" {
		return fmt.Errorf("pager: unknown person %q", who)
	}
	return nil
}

func (c *connector) Post(ctx context.Context, to ask.Place, card render.Card) (platform.MessageRef, error) {
	var made struct{ Message string }
	err := c.send(ctx, http.MethodPost, "/pages", paint(to.Channel, card), &made)
	return platform.MessageRef{Platform: Name, Channel: to.Channel, Message: made.Message}, err
}

func (c *connector) Update(ctx context.Context, ref platform.MessageRef, card render.Card) error {
	return c.send(ctx, http.MethodPut, "/pages/"+ref.Message, paint(ref.Channel, card), nil)
}

// paint formats a card as a page.
func paint(line string, card render.Card) page {
	p := page{Line: line}
	var text strings.Builder
	for _, section := range card.Sections {
		for _, span := range section.Text {
			text.WriteString(span.Text + span.Person.Name)
		}
		text.WriteByte('\n')
		for _, b := range section.Buttons {
			p.Choices = append(p.Choices, choice{b.Label, b.Token.String()})
		}
	}
	p.Text = text.String()
	return p
}

func (c *connector) send(ctx context.Context, method, path string, body, out any) error {
	fail := func(kind platform.Kind, err error) error {
		return &platform.Error{Platform: Name, Op: method + " " + path, Kind: kind, Err: err}
	}
	data, err := json.Marshal(body)
	if err != nil {
		return fail(platform.Refused, err)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.exchange+path, bytes.NewReader(data))
	if err != nil {
		return fail(platform.Misconfigured, err)
	}
	req.Header.Set("Authorization", c.key)
	resp, err := c.client.Do(req)
	if err != nil {
		return fail(platform.Ambiguous, err)
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusNotFound:
		return fail(platform.Unreachable, errors.New(resp.Status))
	case resp.StatusCode != http.StatusOK:
		return fail(platform.Transient, errors.New(resp.Status))
	case out == nil:
		return nil
	}
	if err := json.NewDecoder(resp.Body).Decode(out); err != nil {
		return fail(platform.Ambiguous, err)
	}
	return nil
}

func (c *connector) Listen(ctx context.Context, h platform.Handler) error {
	c.mu.Lock()
	c.handle = h
	c.mu.Unlock()
	close(c.ready)
	<-ctx.Done()
	c.mu.Lock()
	c.handle = nil
	c.mu.Unlock()
	c.calls.Wait()
	return nil
}

// Handler accepts calls from the exchange.
func (c *connector) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var call callBack
		if r.Header.Get("Authorization") != c.key || json.NewDecoder(r.Body).Decode(&call) != nil {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		token, err := render.ParseToken(call.Token)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		c.mu.Lock()
		handle := c.handle
		if handle != nil {
			c.calls.Add(1)
		}
		c.mu.Unlock()
		if handle == nil {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		defer c.calls.Done()
		reply := &voice{}
		err = handle(r.Context(), platform.Interaction{
			ID: call.ID, Order: call.At, Person: ask.Person{Platform: Name, ID: call.Caller, Name: call.Caller},
			Membership: ask.Member, Token: token,
			Message: platform.MessageRef{Platform: Name, Channel: call.Line, Message: call.Message},
		}, reply)
		if err != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		_, _ = w.Write([]byte(reply.text)) // The caller may have hung up.
	})
}

// voice answers a caller. Only the caller gets the answer, and a pager has no forms.
type voice struct{ text string }

func (*voice) Ack(context.Context) error                 { return nil }
func (*voice) Redraw(context.Context, render.Card) error { return nil }

func (v *voice) OpenForm(context.Context, render.Form) error {
	v.text = "This needs more than a number."
	return nil
}

func (v *voice) ReplyEphemeral(_ context.Context, n platform.Note) error {
	v.text = n.Text
	return nil
}
