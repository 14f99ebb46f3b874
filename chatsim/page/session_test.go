package page_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/askbridgetest"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/chatsim/page"
	"github.com/askbridge/askbridge/chatsim/slacksim"
)

// scene is the session so far.
func (w *town) scene() string {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.url+"/api/session", http.NoBody)
	w.must(err)
	resp, err := http.DefaultClient.Do(req)
	w.must(err)
	defer resp.Body.Close()
	var session struct{ Scene string }
	w.must(json.NewDecoder(resp.Body).Decode(&session))
	return session.Scene
}

// waits asks from the page as an agent does that waits, and returns what ends with its answer.
func (w *town) waits(path, body string) (finish func()) {
	w.t.Helper()
	answered := make(chan error, 1)
	go func() {
		req, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.url+"/agent"+path, strings.NewReader(body))
		if err == nil {
			var resp *http.Response
			if resp, err = http.DefaultClient.Do(req); err == nil {
				err = resp.Body.Close()
			}
		}
		answered <- err
	}()
	return func() {
		w.t.Helper()
		w.must(<-answered)
	}
}

// dana is Dana on Slack, who looks for what she uses.
func (w *town) dana() chatsim.Hand { return chatsim.Hand{Seat: w.Slack.Seat(danaOnSlack)} }

func TestSceneExportOfRevisionAndReply(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	made := w.asks(ask.Request{Questions: oneQuestion, AskBack: ask.AskBackStay})
	for _, why := range []string{"Why now?", "Who else is asked?"} {
		w.must(w.dana().Rare(t.Context(), "Ask the agent…"))
		w.must(w.dana().Write(t.Context(), "", why))
		w.must(w.dana().Submit(t.Context()))
		// The scene has to press More… again, so the private message must be gone.
		w.must(w.dana().Await(t.Context(), func(sees string) bool {
			return strings.Contains(sees, "asked: "+why) && !strings.Contains(sees, "[Ask the agent…]")
		}))
	}
	for n, text := range []string{"Because the \"ledger\" grows.", "Nobody."} {
		_, err := w.agent.Reply(t.Context(), made.ID, n+1, text)
		w.must(err)
	}
	for _, label := range []string{"Later", "Never"} {
		_, err := w.agent.Revise(t.Context(), made.ID, ask.Revision{Questions: []ask.Question{{Text: "When shall it be?", Options: options("Now", label)}}})
		w.must(err)
	}
	w.must(w.dana().Use(t.Context(), "Never"))
	w.got(made)
	scene := w.scene()
	for _, line := range []string{
		`agent hears "dana: Who else is asked?"`, `agent replies "Nobody."`, "agent revises revision.json", "agent revises revision.2.json", `dana@slack presses "Never" under "When shall it be?"`,
	} {
		if !strings.Contains(scene, line+"\n") {
			t.Errorf("the scene lacks %s:\n%s", line, scene)
		}
	}
	askbridgetest.Play(t, nil, scene)
}

func TestSceneExportEscapesFileMarker(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	made := w.asks(ask.Request{Questions: oneQuestion})
	w.must(w.dana().Own(t.Context(), "", "Neither:\n-- steps --\nagent asks `nothing`"))
	w.got(made)
	askbridgetest.Play(t, nil, w.scene())
}

func TestSceneExportOfOpenRequest(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	finish := w.waits("/v1/requests?wait=60s", scenes[0].Body)
	w.must(w.dana().Use(t.Context(), "Other…"))
	if scene := w.scene(); !strings.HasPrefix(scene, "-- steps --\nagent asks request.json\n") {
		t.Errorf("the scene begins without what is asked:\n%s", scene)
	}
	w.must(w.dana().Write(t.Context(), "", "MariaDB"))
	w.must(w.dana().Submit(t.Context()))
	finish()
}

func TestSceneExportWithUnnamedPerson(t *testing.T) {
	t.Parallel()
	c := startControl(t, nil, page.Slack(slacksim.Start(t, nil)))
	c.call(200, "PUT", "/api/people", `{"platform":"slack","id":"U0000077","name":"blank","real_name":" "}`)
	if got := c.call(200, "GET", "/api/session", ""); got["scene"] != "-- steps --\n" {
		t.Errorf("the scene is %v", got["scene"])
	}
}

func TestSceneExportOfSharedNote(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	w.asks(ask.Request{Questions: oneQuestion, Voting: ask.Voting{Mode: ask.Quorum, Need: 3}})
	sam := chatsim.Hand{Seat: w.World.Discord.Seat("300000000000000002")}
	for _, hand := range []chatsim.Hand{w.dana(), sam} {
		w.must(hand.Use(t.Context(), "Postgres"))
		w.must(hand.Await(t.Context(), func(sees string) bool { return strings.Contains(sees, "Your vote for Postgres is in.") }))
	}
	scene := w.scene()
	for _, line := range []string{`dana@slack is told "Your vote for Postgres is in. `, `sam@discord sees "Your vote for Postgres is in. `} {
		if !strings.Contains(scene, line) {
			t.Errorf("the scene lacks %s:\n%s", line, scene)
		}
	}
	askbridgetest.Play(t, nil, scene)
}

func TestSceneExportOfPermissionPrompt(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	finish := w.waits("/v1/ask/claude?responders=anyone&wait=60s", scenes[2].Body)
	w.must(w.dana().Use(t.Context(), "Allow"))
	finish()
	scene := w.scene()
	if line := "agent asks request.json as claude?responders=anyone\n"; !strings.Contains(scene, line) {
		t.Errorf("the scene lacks %s:\n%s", line, scene)
	}
	askbridgetest.Play(t, nil, scene)
}

func TestSceneExportOfCommand(t *testing.T) {
	t.Parallel()
	w := settle(t, &askbridgetest.Options{Inbox: true, Slack: &slacksim.Options{}, Discord: &discordsim.Options{}})
	made := w.asks(ask.Request{Questions: oneQuestion, Responders: []string{"slack:" + danaOnSlack}})
	dana := w.Slack.Seat(danaOnSlack)
	w.must(dana.AwaitText(t.Context(), "Which database"))
	w.must(dana.Run(t.Context(), "/askbridge inbox"))
	w.must(dana.AwaitText(t.Context(), "1 request waits for you"))
	w.must(w.dana().Use(t.Context(), "SQLite", "asks · expires"))
	w.got(made)
	scene := w.scene()
	if line := `dana@slack runs "/askbridge"`; !strings.Contains(scene, line+"\n") {
		t.Errorf("the scene lacks %s:\n%s", line, scene)
	}
	askbridgetest.Play(t, nil, scene)
}
