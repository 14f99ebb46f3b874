package slacksim_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
)

// responder posts to a response_url.
type responder func(body any) (status int, word any)

// pressed starts a workspace in which Dana has pressed a button, and returns its response_url.
func pressed(t *testing.T) (*slacksim.Server, responder) {
	t.Helper()
	sim := slacksim.Start(t, nil)
	var url string
	sim.DeliverToHandler("/", app(func(payload obj) (int, string) {
		url, _ = payload["response_url"].(string)
		return http.StatusOK, ""
	}))
	put(t, sim, actions(button(0)))
	if err := sim.Seat("U0000001").Press(t.Context(), "Yes"); err != nil {
		t.Fatal(err)
	}
	return sim, respondAt(t, sim, url)
}

func respondAt(t *testing.T, sim *slacksim.Server, url string) responder {
	t.Helper()
	return func(body any) (int, any) {
		t.Helper()
		raw, isText := body.(string)
		if !isText {
			encoded, err := json.Marshal(body)
			if err != nil {
				t.Fatal(err)
			}
			raw = string(encoded)
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader([]byte(raw)))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := sim.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var out obj
		if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, out["error"]
	}
}

func TestResponseIsEphemeral(t *testing.T) {
	t.Parallel()
	sim, respond := pressed(t)
	if status, word := respond(obj{"text": "Only Sam may answer."}); status != http.StatusOK {
		t.Fatal(word)
	}
	if got := sim.Seat("U0000001").Sees(); !strings.Contains(got, "(only visible to you)\nOnly Sam may answer.") {
		t.Errorf("Dana sees\n%s", got)
	}
	if got := sim.Seat("U0000002").Sees(); strings.Contains(got, "Only Sam") {
		t.Errorf("Sam sees\n%s", got)
	}
	ephemerals := sim.Timeline().Events(chatsim.Ephemeral)
	if len(ephemerals) != 1 || ephemerals[0].Person != "U0000001" {
		t.Errorf("the ephemerals are %v", ephemerals)
	}
}

func TestResponseURLActions(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		body obj
		sees string // by Sam
	}{
		"replace_original": {body: obj{"text": "decided", "replace_original": true}, sees: "askbridge (edited)\ndecided"},
		"delete_original":  {body: obj{"delete_original": true}},
		"in_channel":       {body: obj{"text": "aloud", "response_type": "in_channel"}, sees: "askbridge\n[Yes]\n\naskbridge\naloud"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim, respond := pressed(t)
			if status, word := respond(tc.body); status != http.StatusOK {
				t.Fatal(word)
			}
			if got := sim.Seat("U0000002").Sees(); got != tc.sees {
				t.Errorf("Sam sees\n%s\nwant\n%s", got, tc.sees)
			}
		})
	}
}

func TestResponseURLUses(t *testing.T) {
	t.Parallel()
	sim, respond := pressed(t)
	sim.Expect("response_url.uses")
	for range 5 {
		if status, word := respond(obj{"text": "x"}); status != http.StatusOK {
			t.Fatal(word)
		}
	}
	if status, word := respond(obj{"text": "x"}); status != http.StatusNotFound || word != "used_url" {
		t.Errorf("the sixth use: %d %v", status, word)
	}
}

func TestResponseURLExpires(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim, respond := pressed(t)
		sim.Expect("response_url.age")
		time.Sleep(30*time.Minute - time.Second)
		if status, word := respond(obj{"text": "x"}); status != http.StatusOK {
			t.Error(word)
		}
		time.Sleep(time.Second)
		if status, word := respond(obj{"text": "x"}); status != http.StatusNotFound || word != "expired_url" {
			t.Errorf("after thirty minutes: %d %v", status, word)
		}
	})
}

func TestInvalidResponses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		body any
		rule string
		word string
	}{
		"nothing to say":    {body: obj{}, word: "no_text"},
		"no JSON":           {body: "text=x", rule: "request.json", word: "invalid_payload"},
		"blocks gone wrong": {body: obj{"blocks": asButton("text", plain(""))}, rule: "text.empty", word: "invalid_blocks"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim, respond := pressed(t)
			if tc.rule != "" {
				sim.Expect(tc.rule)
			}
			if _, word := respond(tc.body); word != tc.word {
				t.Errorf("the error is %v, want %s", word, tc.word)
			}
		})
	}
	t.Run("an invented address", func(t *testing.T) {
		t.Parallel()
		sim := slacksim.Start(t, nil)
		sim.Expect("response_url.known")
		if status, _ := respondAt(t, sim, sim.URL()+"/actions/T0000001/1/x")(obj{"text": "x"}); status != http.StatusNotFound {
			t.Errorf("the status is %d", status)
		}
	})
}

func TestEphemeralMessageReplacement(t *testing.T) {
	t.Parallel()
	sim := slacksim.Start(t, nil)
	var payload obj
	sim.DeliverToHandler("/", app(func(p obj) (int, string) {
		payload = p
		return http.StatusOK, ""
	}))
	call(t, sim, "chat.postEphemeral", obj{"channel": "C0000001", "user": "U0000001", "text": "Sure?", "blocks": actions(button(0))})
	dana := sim.Seat("U0000001")
	if err := dana.Press(t.Context(), "Yes"); err != nil {
		t.Fatal(err)
	}
	if payload["message"] != nil || payload["container"].(obj)["is_ephemeral"] != true {
		t.Errorf("the payload is %v", payload)
	}
	if status, word := respondAt(t, sim, payload["response_url"].(string))(obj{"text": "Thanks.", "replace_original": true}); status != http.StatusOK {
		t.Error(word)
	}
	if got := dana.Sees(); got != "askbridge (only visible to you) (edited)\nThanks." {
		t.Errorf("Dana sees\n%s", got)
	}
}
