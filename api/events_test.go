package api

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
)

func (e event) request(t testing.TB) *client.Request {
	t.Helper()
	var r client.Request
	if err := json.Unmarshal([]byte(e.data), &r); err != nil {
		t.Fatalf("%v: %+v", err, e)
	}
	return &r
}

// drain returns the events received so far.
func drain(ch <-chan event) (all []event, ended bool) {
	for {
		synctest.Wait()
		select {
		case e, ok := <-ch:
			if !ok {
				return all, true
			}
			all = append(all, e)
		default:
			return all, false
		}
	}
}

func TestFollowRequestToEnd(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		id := w.call("", "POST", "/v1/requests", oneQuestion).request(t).ID
		stream, resp := w.events("/v1/requests/" + id + "/events")
		if kind := resp.Header.Get("Content-Type"); kind != "text/event-stream" {
			t.Errorf("content type %q", kind)
		}
		got, _ := drain(stream)
		if len(got) != 2 || got[0].data != "1000" || got[1].name != "open" {
			t.Fatalf("it began with %+v", got)
		}
		if diff := cmp.Diff(w.call("", "GET", "/v1/requests/"+id, "").request(t), got[1].request(t)); diff != "" {
			t.Errorf("the event is not the request:\n%s", diff)
		}
		w.press(id, 0, 1)
		rest, ended := drain(stream)
		if len(rest) != 1 || rest[0].name != "answered" || rest[0].request(t).Text != "Which database?\nSQLite" || !ended {
			t.Fatalf("it went on with %+v (ended: %t)", rest, ended)
		}
		// The update of the card is a second event of the same end.
		late, _ := w.events("/v1/requests/"+id+"/events", "Last-Event-ID: "+got[1].id)
		again, ended := drain(late)
		if len(again) != 2 || again[1].name != "answered" || !ended {
			t.Fatalf("coming back gave %+v (ended: %t)", again, ended)
		}
		w.call("", "GET", "/v1/requests/"+id+"/events", "", "Last-Event-ID: "+again[1].id).want(t, http.StatusNoContent)
	})
}

func TestEventStreamResumes(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		first := w.call("", "POST", "/v1/requests", oneQuestion).request(t).ID
		stream, _ := w.events("/v1/events")
		got, _ := drain(stream)
		if len(got) != 2 || got[1].request(t).ID != first {
			t.Fatalf("it began with %+v", got)
		}
		second := w.call("", "POST", "/v1/requests", oneQuestion).request(t).ID
		w.press(first, 0, 0)
		got, _ = drain(stream)
		states := map[string]string{}
		for _, e := range got {
			states[e.request(t).ID] = e.name
		}
		if diff := cmp.Diff(map[string]string{first: "answered", second: "open"}, states); diff != "" {
			t.Error(diff)
		}
		last := got[len(got)-1].id
		time.Sleep(time.Hour)
		w.press(second, 0, 0)
		resumed, _ := w.events("/v1/events", "Last-Event-ID: "+last)
		states = map[string]string{}
		got, _ = drain(resumed)
		for _, e := range got[1:] {
			states[e.request(t).ID] = e.name
		}
		if states[second] != "answered" {
			t.Errorf("resuming gave %+v", got)
		}
		w.server.Close()
		for range stream { // Both streams end.
		}
		for range resumed {
		}
	})
}

func TestIdleStreamSendsHeartbeats(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		stream, _ := w.events("/v1/events")
		drain(stream)
		time.Sleep(time.Minute + time.Second)
		if beats, _ := drain(stream); len(beats) != 4 {
			t.Errorf("%d beats in a minute", len(beats))
		}
		w.server.Close()
		for range stream {
		}
	})
}

func TestStuckReaderIsDisconnected(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		conn, err := w.net.Dial(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := conn.Write([]byte("GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")); err != nil {
			t.Fatal(err)
		}
		// The client does not read, and the in-memory network buffers nothing.
		time.Sleep(writeTime + time.Second)
		until(t, "the stream ends", func() bool { return strings.Contains(w.logs.String(), `"route":"/v1/events","status":200`) })
	})
}

func TestHeartbeatDisconnectsStuckReader(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		conn, err := w.net.Dial(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := conn.Write([]byte("GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")); err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 4096)
		for got := ""; !strings.Contains(got, "retry"); {
			n, err := conn.Read(buf)
			if err != nil {
				t.Fatal(err)
			}
			got += string(buf[:n])
		}
		time.Sleep(heartbeat + writeTime + time.Second)
		until(t, "the stream ends", func() bool { return strings.Contains(w.logs.String(), `"route":"/v1/events","status":200`) })
	})
}

func TestFollowMissingRequest(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		w.call("", "GET", "/v1/requests/nothing/events", "").want(t, http.StatusNotFound)
		w.call("", "HEAD", "/v1/events", "").want(t, http.StatusOK)
	})
}

func TestEventsIncludeQuestions(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		id := w.call("", "POST", "/v1/requests", with(oneQuestion, `"context":"line one\nline two\rline three"`)).request(t).ID
		stream, _ := w.events("/v1/requests/" + id + "/events")
		got, _ := drain(stream)
		r := got[1].request(t)
		if len(r.Questions) != 1 || r.Questions[0].Options[0].Label != "Postgres" || r.Context != "line one\nline two\rline three" || r.State != ask.Open {
			t.Errorf("got %s", got[1].data)
		}
		w.server.Close()
		for range stream {
		}
	})
}

func TestReloadEndsStreamOfRemovedToken(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]func(w *fixture){
		"before its next event": func(w *fixture) {
			w.call("token-bot", "POST", "/v1/requests", oneQuestion).want(w.t, http.StatusCreated)
		},
		"with its next heartbeat, where nothing happens": func(*fixture) { time.Sleep(heartbeat) },
	} {
		t.Run(name, func(t *testing.T) { endsAfterAReload(t, meanwhile) })
	}
}

func endsAfterAReload(t *testing.T, meanwhile func(w *fixture)) {
	t.Helper()
	o := &settings{Agents: []access.Agent{
		{Name: "bot", Token: "token-bot", Tenant: "team"}, {Name: "leaked", Token: "token-leaked", Tenant: "team"},
	}}
	bubble(t, o, func(t *testing.T, w *fixture) {
		leaked, _ := w.events("/v1/events", "Authorization: Bearer token-leaked")
		kept, _ := w.events("/v1/events", "Authorization: Bearer token-bot")
		drain(leaked)
		drain(kept)
		next, err := access.New(w.bridge, &access.Options{Agents: o.Agents[:1]})
		if err != nil {
			t.Fatal(err)
		}
		w.handler.Admit(next)
		meanwhile(w)
		if all, ended := drain(leaked); len(all) > 0 || !ended {
			t.Errorf("it goes on with %+v (ended: %t)", all, ended)
		}
		if all, ended := drain(kept); len(all) == 0 || ended {
			t.Errorf("the other one has %+v (ended: %t)", all, ended)
		}
	})
}
