package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gorilla/websocket"
)

// This double has the OpenCode routes that one question needs. The strict double is in hosts/claude.
func openCodeWith(t *testing.T, question string) (address string, replies <-chan string) {
	t.Helper()
	got, gone := make(chan string, 1), make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /event", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: {\"type\":\"server.connected\",\"properties\":{}}\n\n")
		_ = http.NewResponseController(w).Flush() // The client may have gone.
		select {
		case <-r.Context().Done():
		case <-gone:
		}
	})
	mux.HandleFunc("GET /question", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, "[%s]", question) })
	mux.HandleFunc("POST /question/{id}/reply", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		got <- r.PathValue("id") + " " + string(body)
		fmt.Fprint(w, "true")
	})
	s := httptest.NewServer(mux)
	t.Cleanup(func() {
		close(gone)
		s.Close()
	})
	return s.URL, got
}

func TestConnectOpenCode(t *testing.T) {
	t.Parallel()
	ctx, o := bounded(t), openOffice(t)
	address, replies := openCodeWith(t, `{"id":"que_1","sessionID":"ses_1","questions":[{"question":"Which queue?","header":"Queue",`+
		`"options":[{"label":"Redis","description":"There"},{"label":"In-process","description":"New"}]}]}`)
	p := start(t, "", "connect", "opencode", "--url", address, "--bridge", o.address, "--to", "slack:C0000001", "--log-level", "error")
	o.presses(ctx, "In-process")
	select {
	case got := <-replies:
		if got != `que_1 {"answers":[["In-process"]]}` {
			t.Errorf("OpenCode got %s", got)
		}
	case <-ctx.Done():
		t.Fatal("OpenCode got nothing")
	}
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	p.ends(exitOK, "", "")
	start(t, "", "connect", "opencode", "--on-timeout=guess").ends(exitUsage, "", "must be leave or reject")
	start(t, "", "connect", "opencode", "--url=here").ends(exitUsage, "", "give OpenCode's address")
}

// The same for Crush on a Unix socket.
func crushWith(t *testing.T, question string) (address string, replies <-chan string) {
	t.Helper()
	got, gone := make(chan string, 1), make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/workspaces", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `[{"id":"w1","path":"/home/dana/ledger"}]`)
	})
	mux.HandleFunc("GET /v1/workspaces/w1/events", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: {\"type\":\"question_batch_request\",\"payload\":{\"type\":\"created\",\"payload\":%s}}\n\n", question)
		_ = http.NewResponseController(w).Flush() // The client may have gone.
		select {
		case <-r.Context().Done():
		case <-gone:
		}
	})
	mux.HandleFunc("GET /v1/workspaces/w1/sessions/s1/messages", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "[]") })
	mux.HandleFunc("POST /v1/workspaces/w1/questions/answer", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		got <- string(body)
		fmt.Fprint(w, `{"resolved":true}`)
	})
	dir, err := os.MkdirTemp("", "crush") //nolint:usetesting // The name of a socket must be short.
	if err != nil {
		t.Fatal(err)
	}
	var listen net.ListenConfig
	socket, err := listen.Listen(t.Context(), "unix", filepath.Join(dir, "crush.sock"))
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(mux)
	s.Listener.Close()
	s.Listener = socket
	s.Start()
	t.Cleanup(func() {
		close(gone)
		s.Close()
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return "unix://" + filepath.Join(dir, "crush.sock"), got
}

func TestConnectCrush(t *testing.T) {
	t.Parallel()
	ctx, o := bounded(t), openOffice(t)
	address, replies := crushWith(t, `{"id":"b-1","session_id":"s1","tool_call_id":"c1","questions":[{"id":"q-1","type":"single_choice","label":"Queue",`+
		`"question":"Which queue?","description":"For jobs.","choices":[{"id":"redis","label":"Redis"},{"id":"local","label":"In-process"}]}]}`)
	p := start(t, "", "connect", "crush", "--url", address, "--bridge", o.address, "--to", "slack:C0000001", "--log-level", "error")
	o.presses(ctx, "In-process")
	select {
	case got := <-replies:
		if got != `{"batch_request_id":"b-1","responses":[{"request_id":"q-1","selected_ids":["local"]}]}` {
			t.Errorf("Crush got %s", got)
		}
	case <-ctx.Done():
		t.Fatal("Crush got nothing")
	}
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	p.ends(exitOK, "", "")
	start(t, "", "connect", "crush", "--wait=-1s").ends(exitUsage, "", "give a time such as 90s, 30m, 24h or 2d")
	start(t, "", "connect", "crush", "--url=here").ends(exitUsage, "", "give Crush's address")
}

// The same for the Codex app-server on a WebSocket.
func codexWith(t *testing.T, question string) (address string, replies <-chan string) {
	t.Helper()
	got := make(chan string, 1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer canary" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		var up websocket.Upgrader
		conn, err := up.Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		for {
			var m struct {
				ID     json.RawMessage `json:"id"`
				Method string          `json:"method"`
				Result json.RawMessage `json:"result"`
			}
			if conn.ReadJSON(&m) != nil {
				return
			}
			answer := map[string]string{
				"initialize":         `{"id":%s,"result":{}}`,
				"thread/loaded/list": `{"id":%s,"result":{"data":["thr_1"],"nextCursor":null}}`,
				"thread/resume":      `{"id":%s,"result":{"thread":{"id":"thr_1"}}}`,
			}[m.Method]
			switch {
			case answer != "":
				_ = conn.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, answer, m.ID)) // The client may have gone.
			case m.Method == "":
				got <- string(m.ID) + " " + string(m.Result)
			}
			if m.Method == "thread/resume" {
				_ = conn.WriteMessage(websocket.TextMessage, []byte(question))
			}
		}
	}))
	t.Cleanup(s.Close)
	return "ws" + strings.TrimPrefix(s.URL, "http"), got
}

func TestConnectCodex(t *testing.T) {
	t.Setenv("CODEX_TEST_TOKEN", "canary")
	ctx, o := bounded(t), openOffice(t)
	address, replies := codexWith(t, `{"method":"item/tool/requestUserInput","id":7,"params":{"threadId":"thr_1","turnId":"turn_1","itemId":"call_1","questions":[`+
		`{"id":"queue","question":"Which queue?","header":"Queue","options":[{"label":"Redis","description":"There"},{"label":"In-process","description":"New"}]}]}}`)
	p := start(t, "", "connect", "codex", "--url", address, "--remote-auth-token-env", "CODEX_TEST_TOKEN",
		"--bridge", o.address, "--to", "slack:C0000001", "--log-level", "error")
	o.presses(ctx, "In-process")
	select {
	case got := <-replies:
		if got != `7 {"answers":{"queue":{"answers":["In-process"]}}}` {
			t.Errorf("Codex got %s", got)
		}
	case <-ctx.Done():
		t.Fatal("Codex got nothing")
	}
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	p.ends(exitOK, "", "")
}
