package askbridgetest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/askbridgetest"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/chatsim"
)

// ids are the people by the names that scenes give them.
var ids = map[string]map[string]string{
	askbridgetest.Slack:   {"dana": "U0000001", "sam": "U0000002", "kim": "U0000003"},
	askbridgetest.Discord: {"dana": "300000000000000001", "sam": "300000000000000002", "kim": "300000000000000003"},
}

// caller is the agent of a scene: it knows the HTTP API alone.
type caller struct {
	w        *askbridgetest.World
	platform string
	asked    string // the id of its request
}

// Asks posts the request. In its responders "person:dana" stands for Dana on the platform.
func (c *caller) Asks(ctx context.Context, request string) error {
	for name, id := range ids[c.platform] {
		request = strings.ReplaceAll(request, `"person:`+name+`"`, fmt.Sprintf("%q", c.platform+":"+id))
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.w.URL+"/v1/requests", strings.NewReader(request))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := c.w.HTTP.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	var made struct{ ID string }
	if err := json.Unmarshal(body, &made); err != nil || made.ID == "" {
		return fmt.Errorf("%s: %s %w", answer.Status, body, err)
	}
	c.asked = made.ID
	return nil
}

func (c *caller) Cancels(ctx context.Context, reason string) error {
	_, err := c.w.Client.Cancel(ctx, c.asked, reason)
	return err
}

// Gets is the state, whose doing it was, and the text that a model reads.
func (c *caller) Gets(ctx context.Context) (string, error) {
	r, err := c.w.Client.Wait(ctx, c.asked)
	if err != nil {
		return "", err
	}
	got := string(r.State)
	if r.By.ID != "" {
		got += " by " + name(r.By)
	}
	switch {
	case r.State == ask.Answered:
		got += "\n" + r.Text
	case r.Replied:
		got += ": " + r.Reason
	}
	return got, nil
}

// name is what scenes call a person.
func name(p ask.Person) string {
	for name, id := range ids[p.Platform] {
		if id == p.ID {
			return name
		}
	}
	return p.ID
}

func TestScenesPlayTheSameOnEveryPlatform(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../chatsim/testdata/scenes/*.txtar")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d scenes, %v", len(files), err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		scene, err := chatsim.ParseScene(filepath.Base(file), raw)
		if err != nil {
			t.Error(err)
			continue
		}
		for platform := range ids {
			t.Run(strings.TrimSuffix(scene.Name, ".txtar")+" on "+platform, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					w := askbridgetest.Start(t, &askbridgetest.Options{
						Platforms: []string{platform}, Bridge: &bridge.Options{Rules: ask.Rules{MaxQuestions: 10}},
					})
					cast := chatsim.Cast{Agent: &caller{w: w, platform: platform}, People: map[string]chatsim.Seat{}, Onward: []string{"Answer", "Next"}}
					for name, id := range ids[platform] {
						cast.People[name] = person(w, id)
					}
					if err := scene.Play(t.Context(), cast); err != nil {
						t.Error(err)
					}
				})
			})
		}
	}
}

// person takes a seat on whatever platform there is.
func person(w *askbridgetest.World, id string) chatsim.Seat {
	if w.Slack != nil {
		return w.Slack.Person(id)
	}
	return w.Discord.Person(id)
}
