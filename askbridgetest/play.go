package askbridgetest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/chatsim"
)

// hostWait is how long each call of an agent waits when it uses its host's format.
const hostWait = "30s"

// Play runs a scene, as described by [chatsim.Scene], in a new world inside a testing/synctest bubble, where
// the hours until a deadline pass immediately. "Copy as test" on the simulator's page writes such tests. The test fails at
// the first line that does not match, or if the bridge violates a rule of a platform. Without options the bridge is
// configured like the simulator's, receives typed messages if people type in the scene, and has an inbox if they run commands.
func Play(t *testing.T, opts *Options, scene string) {
	t.Helper()
	s, err := chatsim.ParseScene(t.Name(), []byte(scene))
	if err != nil {
		t.Fatal(err)
	}
	settings := Options{}
	if opts != nil {
		settings = *opts
	}
	if settings.Bridge == nil {
		settings.Bridge = &bridge.Options{Rules: ask.Rules{MaxQuestions: ask.MaxQuestions}}
		settings.grants = ask.Grants{Scope: ask.SameSession, For: 8 * time.Hour}
	}
	settings.Typed = settings.Typed || s.Typed() || takesReplies(s)
	settings.Inbox = settings.Inbox || s.Commands()
	synctest.Test(t, func(t *testing.T) {
		w := Start(t, &settings)
		w.settle = synctest.Wait
		if err := s.Play(t.Context(), w.Cast()); err != nil {
			t.Error(err)
		}
	})
}

// takesReplies reports whether a request of the scene can be answered with a typed message.
func takesReplies(s *chatsim.Scene) bool {
	for _, body := range s.Files {
		var asked struct{ Replies json.RawMessage }
		if json.Unmarshal([]byte(body), &asked) == nil && asked.Replies != nil {
			return true
		}
	}
	return false
}

// Cast returns the agents and people that play scenes in this world. Agents use only the HTTP API. The people are Dana,
// Sam and Kim: dana on the first platform, dana@slack and dana@discord on each. An agent gets the state, the person who
// ended the request, and the text for its model; in its host's format, the host's result.
func (w *World) Cast() chatsim.Cast {
	another := func() chatsim.Agent { return &caller{w: w} }
	cast := chatsim.Cast{Agent: another(), Another: another, People: map[string]chatsim.Seat{}}
	for _, p := range w.platforms() {
		for name, id := range p.people {
			seat := p.seat(id)
			cast.People[name+"@"+p.name] = seat
			if cast.People[name] == nil {
				cast.People[name] = seat
			}
		}
	}
	return cast
}

// caller is an agent of a scene. It submits one request.
type caller struct {
	w     *World
	asked string // ID of its request
	again string // path to repeat the host's call and continue to wait
	body  string
	heard int // number of the last question it received
}

// Asks posts the request. In its responders "person:dana" means Dana on every platform.
func (c *caller) Asks(ctx context.Context, request, form string) error {
	if c.w.settle != nil {
		c.w.settle()
	}
	for _, name := range []string{dana, sam, kim} {
		var ids []string
		for _, p := range c.w.platforms() {
			ids = append(ids, fmt.Sprintf("%q", p.entry(name)))
		}
		request = strings.ReplaceAll(request, `"person:`+name+`"`, strings.Join(ids, ", "))
	}
	if form != "" {
		c.again, c.body = "/v1/ask/"+form, request
	}
	status, reply, err := c.post(ctx, "/v1/requests", request)
	if err != nil || form != "" {
		return err
	}
	var made struct{ ID string }
	if err := json.Unmarshal(reply, &made); err != nil || made.ID == "" {
		return fmt.Errorf("%d: %s %w", status, reply, err)
	}
	c.asked = made.ID
	return nil
}

// post sends a request to the API; in a host's format it continues the previous call.
func (c *caller) post(ctx context.Context, path, body string) (int, []byte, error) {
	if c.again != "" {
		path = c.again
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.w.URL+path, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := c.w.HTTP.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	reply, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, nil, err
	}
	if answer.StatusCode >= http.StatusBadRequest {
		return 0, nil, fmt.Errorf("%s: %s", answer.Status, reply)
	}
	if at := answer.Header.Get("Location"); c.again != "" && at != "" {
		c.again, _, _ = strings.Cut(at, "?")
	}
	return answer.StatusCode, reply, nil
}

// Cancels withdraws the request.
func (c *caller) Cancels(ctx context.Context, reason string) error {
	_, err := c.w.Client.Cancel(ctx, c.asked, reason)
	return err
}

// Revises sends the revision.
func (c *caller) Revises(ctx context.Context, revision string) error {
	v, err := ask.DecodeRevision([]byte(revision))
	if err != nil {
		return err
	}
	_, err = c.w.Client.Revise(ctx, c.asked, v)
	return err
}

// Hears waits for the next question that a person asks the agent.
func (c *caller) Hears(ctx context.Context) (string, error) {
	r, err := c.w.Client.Hear(ctx, c.asked, c.heard)
	if err != nil {
		return "", err
	}
	asked := r.Waiting(c.heard)
	if asked == nil {
		return "", fmt.Errorf("no question from a person: the request is %s", r.State)
	}
	c.heard = asked.Number
	return c.w.nameOf(asked.By) + ": " + asked.Text, nil
}

// Replies answers the person's last question.
func (c *caller) Replies(ctx context.Context, text string) error {
	_, err := c.w.Client.Reply(ctx, c.asked, c.heard, text)
	return err
}

// Gets waits until the request ends and returns its state, the person who ended it, and the text for a model.
func (c *caller) Gets(ctx context.Context) (string, error) {
	if c.again != "" {
		return c.hostResult(ctx)
	}
	r, err := c.w.Client.Wait(ctx, c.asked)
	if err != nil {
		return "", err
	}
	got := string(r.State)
	if r.By.ID != "" {
		got += " by " + c.w.nameOf(r.By)
	}
	switch {
	case r.State == ask.Answered:
		got += "\n" + r.Text
	case r.Replied:
		got += ": " + r.Reason
	}
	return got, nil
}

// hostResult waits until the request ends and returns the result in the host's format.
func (c *caller) hostResult(ctx context.Context) (string, error) {
	for {
		between := "?"
		if strings.Contains(c.again, "?") {
			between = "&"
		}
		c.again += between + "wait=" + hostWait
		status, reply, err := c.post(ctx, "", c.body)
		if err != nil {
			return "", err
		}
		if status == http.StatusOK {
			return string(reply), nil
		}
	}
}

// nameOf returns a person's name in scenes, or the ID of an unknown person.
func (w *World) nameOf(who ask.Person) string {
	for _, p := range w.platforms() {
		for name, id := range p.people {
			if p.name == who.Platform && id == who.ID {
				return name
			}
		}
	}
	return who.ID
}
