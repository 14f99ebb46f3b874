package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"syscall"
	"testing"
)

// A double of OpenCode's routes as far as one question needs them; the strict
// one is with the client, in door/hook.
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

func TestOpenCodeIsAnsweredByTheProgram(t *testing.T) {
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
