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

// hostWait is how long an agent that asks in a form of its host waits with each call.
const hostWait = "30s"

// Play plays a scene, as [chatsim.Scene] describes it, in a world of its own, and in a bubble of testing/synctest, where
// the hours of a deadline pass at once. "Copy as test" of the simulator's page writes such tests. The test fails at the
// first line that does not go as written, and when the bridge breaks a rule of a platform. Without settings the bridge is
// the simulator's, and it hears what people write where the scene has them write.
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
	synctest.Test(t, func(t *testing.T) {
		w := Start(t, &settings)
		w.settle = synctest.Wait
		if err := s.Play(t.Context(), w.Cast()); err != nil {
			t.Error(err)
		}
	})
}

// takesReplies tells whether something that the scene asks can be answered by a message, be it answered so or not.
func takesReplies(s *chatsim.Scene) bool {
	for _, body := range s.Files {
		var asked struct{ Replies json.RawMessage }
		if json.Unmarshal([]byte(body), &asked) == nil && asked.Replies != nil {
			return true
		}
	}
	return false
}

// Cast are those who play scenes in this world: agents that know the HTTP API alone, and Dana, Sam and Kim. They are
// called dana on the first platform there is, and dana@slack and dana@discord on each. What an agent gets is the state,
// by whom, and what a model reads; in a form of its host, what the host is told.
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

// caller is an agent of a scene. It asks one thing.
type caller struct {
	w     *World
	asked string // the id of its request
	again string // where the host's body is posted to go on waiting
	body  string
	heard int // the number of what it has heard last
}

// Asks posts the request. In its responders "person:dana" stands for Dana on every platform.
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
	status, said, err := c.post(ctx, "/v1/requests", request)
	if err != nil || form != "" {
		return err
	}
	var made struct{ ID string }
	if err := json.Unmarshal(said, &made); err != nil || made.ID == "" {
		return fmt.Errorf("%d: %s %w", status, said, err)
	}
	c.asked = made.ID
	return nil
}

// post posts to the API; in a form of a host it goes on where the last call left off.
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
	said, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, nil, err
	}
	if answer.StatusCode >= http.StatusBadRequest {
		return 0, nil, fmt.Errorf("%s: %s", answer.Status, said)
	}
	if at := answer.Header.Get("Location"); c.again != "" && at != "" {
		c.again, _, _ = strings.Cut(at, "?")
	}
	return answer.StatusCode, said, nil
}

// Cancels withdraws the request.
func (c *caller) Cancels(ctx context.Context, reason string) error {
	_, err := c.w.Client.Cancel(ctx, c.asked, reason)
	return err
}

// Revises sends the file as it is.
func (c *caller) Revises(ctx context.Context, revision string) error {
	v, err := ask.DecodeRevision([]byte(revision))
	if err != nil {
		return err
	}
	_, err = c.w.Client.Revise(ctx, c.asked, v)
	return err
}

// Hears waits for what a person asks after what it heard last.
func (c *caller) Hears(ctx context.Context) (string, error) {
	r, err := c.w.Client.Hear(ctx, c.asked, c.heard)
	if err != nil {
		return "", err
	}
	asked := r.Waiting(c.heard)
	if asked == nil {
		return "", fmt.Errorf("the request is %s", r.State)
	}
	c.heard = asked.Number
	return c.w.nameOf(asked.By) + ": " + asked.Text, nil
}

// Replies replies to what it heard last.
func (c *caller) Replies(ctx context.Context, text string) error {
	_, err := c.w.Client.Reply(ctx, c.asked, c.heard, text)
	return err
}

// Gets is the state, whose doing it was, and the text that a model reads.
func (c *caller) Gets(ctx context.Context) (string, error) {
	if c.again != "" {
		return c.told(ctx)
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

// told is what the host of the agent is told in the end.
func (c *caller) told(ctx context.Context) (string, error) {
	for {
		between := "?"
		if strings.Contains(c.again, "?") {
			between = "&"
		}
		c.again += between + "wait=" + hostWait
		status, said, err := c.post(ctx, "", c.body)
		if err != nil {
			return "", err
		}
		if status == http.StatusOK {
			return string(said), nil
		}
	}
}

// nameOf is what scenes call a person.
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
