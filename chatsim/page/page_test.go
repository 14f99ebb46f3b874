package page_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/page"
	"github.com/askbridge/askbridge/chatsim/slacksim"
)

// card returns one of the messages and forms in testdata.
func card(t *testing.T, name string) map[string]any {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal([]byte(raw(t, name)), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// raw is card as it is written.
func raw(t *testing.T, name string) string {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/cards.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	t.Fatalf("testdata has no card %s", name)
	return ""
}

func TestOnlyLoopbackNamesAreAnswered(t *testing.T) {
	t.Parallel()
	h := page.Handler(nil, page.Slack(slacksim.Start(t, nil)))
	for host, want := range map[string]int{
		"localhost": 200, "localhost:8123": 200, "LOCALHOST:80": 200, "127.0.0.1:8123": 200, "127.8.9.1": 200, "[::1]:8123": 200, "[::1]": 200,
		"": 421, "evil.example": 421, "evil.example:8123": 421, "localhost.evil.example": 421, "10.0.0.1:80": 421,
		"0.0.0.0:80": 421, "127.0.0.1.evil.example": 421, "[fe80::1]:80": 421,
	} {
		for _, path := range []string{"/", "/api/setup", "/nothing"} {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
			r.Host = host
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if want == 200 && path == "/nothing" {
				continue
			}
			if w.Code != want {
				t.Errorf("%s at host %q answers %d, want %d", path, host, w.Code, want)
			}
		}
	}
}

func TestEveryAnswerCarriesTheProtection(t *testing.T) {
	t.Parallel()
	h := page.Handler(nil)
	for path, kind := range map[string]string{
		"/": "text/html; charset=utf-8", "/app.js": "text/javascript; charset=utf-8", "/style.css": "text/css; charset=utf-8",
		"/icon.svg": "image/svg+xml", "/gallery": "text/html; charset=utf-8", "/api/setup": "application/json; charset=utf-8",
		"/api/cases": "application/json; charset=utf-8", "/nothing": "text/plain; charset=utf-8",
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, local(t, http.MethodGet, path, ""))
		for name, want := range map[string]string{
			"Content-Type": kind, "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
		} {
			if got := w.Header().Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
		policy := w.Header().Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none'; ") || strings.Contains(policy, "unsafe") || !strings.Contains(policy, "frame-ancestors 'none'") {
			t.Errorf("%s: the policy is %q", path, policy)
		}
	}
}

func local(t *testing.T, method, path, body string) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, "http://localhost"+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	return r
}

const dismiss = `{"platform":"slack","person":"U0000001","do":"dismiss"}`

func TestOtherSitesCannotAct(t *testing.T) {
	t.Parallel()
	h := page.Handler(nil, page.Slack(slacksim.Start(t, nil)))
	for name, tc := range map[string]struct {
		headers map[string]string
		want    int
	}{
		"the page itself":            {map[string]string{"Sec-Fetch-Site": "same-origin", "Origin": "http://localhost"}, 200},
		"a program":                  {nil, 200},
		"a cross-site page":          {map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
		"a page on another port":     {map[string]string{"Sec-Fetch-Site": "same-site"}, 403},
		"an old browser, other site": {map[string]string{"Origin": "http://evil.example"}, 403},
		"a plain form":               {map[string]string{"Content-Type": "text/plain"}, 415},
	} {
		r := local(t, http.MethodPost, "/api/act", dismiss)
		for header, value := range tc.headers {
			r.Header.Set(header, value)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != tc.want {
			t.Errorf("%s: %d %s, want %d", name, w.Code, w.Body, tc.want)
		}
	}
}

func TestInvalidAction(t *testing.T) {
	t.Parallel()
	h := page.Handler(nil, page.Slack(slacksim.Start(t, nil)))
	for body, want := range map[string]int{
		``:   400,
		`[]`: 400,
		`{}`: 404,
		`{"platform":"irc","person":"U0000001","do":"press"}`:                                          404,
		`{"platform":"slack","person":"U0000BOT","do":"press"}`:                                        404,
		`{"platform":"slack","person":"U0000001","do":"delete"}`:                                       400,
		`{"platform":"slack","person":"U0000001","fields":{"a":"` + strings.Repeat("x", 1<<18) + `"}}`: 400,
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, local(t, http.MethodPost, "/api/act", body))
		if w.Code != want {
			t.Errorf("%.60s: %d, want %d", body, w.Code, want)
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, local(t, http.MethodPost, "/api/act", `{"platform":"slack","person":"U0000001","do":"pick all"}`))
	if got := strings.TrimSpace(w.Body.String()); w.Code != 400 || got != `page: "pick all": the platform does not support this action` {
		t.Errorf("what only people of Discord can do: %d %s", w.Code, got)
	}
	w = httptest.NewRecorder()
	h.ServeHTTP(w, local(t, http.MethodPost, "/api/act", dismiss))
	if got := strings.TrimSpace(w.Body.String()); got != `{"outcome":"gone","says":"This is no longer available."}` {
		t.Errorf("closing a form that is not open: %s", got)
	}
}

func TestEventStream(t *testing.T) {
	t.Parallel()
	sim := slacksim.Start(t, nil)
	var traffic chatsim.Traffic
	traffic.Keep(10)
	answered := traffic.Begin(chatsim.Exchange{From: "agent", Request: "one"})
	ctx, stop := context.WithCancel(t.Context())
	srv := httptest.NewServer(page.Handler(&page.Options{Traffic: &traffic}, page.Slack(sim)))
	t.Cleanup(srv.Close)
	t.Cleanup(stop)
	r, _ := http.NewRequestWithContext(ctx, http.MethodGet, srv.URL+"/api/events?slack=U0000001", nil)
	answer, err := srv.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<20)
	next := func() (update struct {
		First bool
		Chats map[string]struct {
			Snapshot *slacksim.Snapshot
			Events   []any
		}
		Exchanges []struct {
			Request, Response string
			Open              bool
		}
	},
	) {
		t.Helper()
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				if err := json.Unmarshal([]byte(data), &update); err != nil {
					t.Fatal(err)
				}
				return update
			}
		}
		t.Fatalf("the stream ended: %v", lines.Err())
		return update
	}
	first := next()
	if !first.First || first.Chats["slack"].Snapshot.Name != "Dana" || len(first.Exchanges) != 1 || !first.Exchanges[0].Open {
		t.Errorf("the stream starts with %+v", first)
	}
	answered(func(e *chatsim.Exchange) { e.Response = "Postgres" })
	if update := next(); update.First || len(update.Chats) != 0 || len(update.Exchanges) != 1 || update.Exchanges[0].Open || update.Exchanges[0].Response != "Postgres" {
		t.Errorf("event after an answer: %+v", update)
	}
	if _, err := sim.Seat("U0000002").Say("C0000001", "", "Hello"); err != nil {
		t.Fatal(err)
	}
	if update := next().Chats["slack"]; len(update.Events) != 1 || update.Snapshot.Channels[0].Messages[0].Text != "Hello" {
		t.Errorf("event after a message: %+v", update)
	}
}

func TestGallery(t *testing.T) {
	t.Parallel()
	cases := fstest.MapFS{
		"b.txtar":   {Data: []byte("No card.\n-- request.json --\n{}\n")},
		"a.txtar":   {Data: []byte("Two\nlines.\n\n-- request.json --\n{}\n-- slack.json --\n{\"text\":\"t\",\n\"blocks\":[]}\n-- discord.json --\n{}\n")},
		"c.txtar":   {Data: []byte("Discord.\n-- discord.json --\n{\"components\":[]}\n")},
		"notes.txt": {Data: []byte("-- slack.json --\n{}\n")},
	}
	w := httptest.NewRecorder()
	page.Handler(&page.Options{Cases: cases}).ServeHTTP(w, local(t, http.MethodGet, "/api/cases", ""))
	want := `[{"name":"a","note":"Two\nlines.","slack":{"text":"t","blocks":[]},"discord":{}},` +
		`{"name":"c","note":"Discord.","discord":{"components":[]}}]`
	if got := strings.TrimSpace(w.Body.String()); got != want {
		t.Errorf("the cases are %s, want %s", got, want)
	}
}
