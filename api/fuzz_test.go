package api

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/memory"
)

// fuzzHandler is a handler of a running bridge with a scripted platform.
func fuzzHandler(f *testing.F) *Handler {
	f.Helper()
	script := bridgetest.NewScript("slack", render.Limits{})
	b, err := bridge.New(memory.New(), []platform.Platform{script}, &bridge.Options{
		Routes: map[string]bridge.Route{"d": {To: []ask.Place{{Platform: "slack", Channel: "C0000001"}}}}, DefaultRoute: "d",
	})
	if err != nil {
		f.Fatal(err)
	}
	gate, err := access.New(b, &access.Options{AllowAnonymous: true})
	if err != nil {
		f.Fatal(err)
	}
	handler, err := New(gate, &Options{MaxWait: 1})
	if err != nil {
		f.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	all.Go(func() { _ = b.Run(ctx) })
	f.Cleanup(func() { cancel(); all.Wait() })
	return handler
}

// Any input gets a request or a problem that the model can act on, never a 500.
func FuzzSubmit(f *testing.F) {
	for _, body := range []string{
		oneQuestion, "\ufeff" + oneQuestion, asUTF16(oneQuestion), "\xff\xfe{", wrap(oneQuestion), `{"questions":[{"question":"A?","multiple":1,"multiSelect":0}]}`, "", "{}", "[]", "null", `"x"`, `{"questions":"[]"}`, `{"questions":"[{\"question\":\"A?\",\"options\":[\"a\",1]}]"}`,
		`{"questions":[{"question":"A?","multi_select":"true","options":[{"label":"\u0000"},{"label":"\ud800"}]}],"expires_in":1e9}`,
		`{"to":{"platform":"slack","user":"U1"},"route":"x","responders":["anyone",1],"supersedes":"../x"}`,
		`{"questions":[{"question":"A?"}],"to":[null,1,{"platform":"slack","channel":"nowhere"}],"session":[]}`,
	} {
		f.Add([]byte(body), "30", "key")
	}
	handler := fuzzHandler(f)
	f.Fuzz(func(t *testing.T, body []byte, wait, key string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/requests", strings.NewReader(string(body)))
		r.Host = "localhost"
		r.URL.RawQuery = "wait=" + wait
		r.Header.Set("Idempotency-Key", key)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code >= 500 || w.Code < 200 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		var parsed any
		if err := json.Unmarshal(w.Body.Bytes(), &parsed); err != nil {
			t.Fatal(err)
		}
		s := (&inspector{t: t})
		op := describe().Paths["/v1/requests"].Post
		media := op.Responses[strconv.Itoa(w.Code)].Content[w.Header().Get("Content-Type")]
		if media == nil {
			t.Fatalf("%d %s is not documented", w.Code, w.Header().Get("Content-Type"))
		}
		s.check(op, media.Schema, w.Body.Bytes())
		if w.Code == http.StatusUnprocessableEntity {
			var p client.Problem
			if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || len(p.Errors) == 0 {
				t.Fatalf("a 422 that names nothing: %s", w.Body)
			}
		}
	})
}

func FuzzListParameters(f *testing.F) {
	f.Add("state=open&limit=3&cursor=")
	f.Add("state=ended&cursor=" + cursor(bridge.Cursor{ID: "x"}, true))
	f.Add("limit=-1&cursor=%ff&state=%00;")
	script := bridgetest.NewScript("slack", render.Limits{})
	b, err := bridge.New(memory.New(), []platform.Platform{script}, nil)
	if err != nil {
		f.Fatal(err)
	}
	gate, err := access.New(b, &access.Options{AllowAnonymous: true})
	if err != nil {
		f.Fatal(err)
	}
	handler, err := New(gate, nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, query string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/requests", nil)
		r.Host = "localhost"
		r.URL.RawQuery = query
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != http.StatusOK && w.Code != http.StatusUnprocessableEntity {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	})
}
