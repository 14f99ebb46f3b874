// Sdkbridge runs a whole askbridge with a mock Slack and a mock Discord for the
// tests of the SDKs, which are written in other languages. It prints one line of
// JSON with all addresses, and exits when its standard input ends.
//
// Tests control people and faults at the control address:
//
//	POST /play      lines of a scene, such as: dana presses "Postgres" (see chatsim.Scene)
//	POST /fault     {"method":"POST","path":"/v1/requests","how":"lost reply","times":1}
//	POST /restart   restarts the bridge with the same file
//	GET  /cards     {"count":1,"shown":"…"}: the number of cards that contain ?text=, and what Dana sees
//	GET  /violations   violated platform rules, one per line
//
// With "lost reply" the bridge handles the call but the reply is dropped; with
// "lost request" the bridge never receives the call; a number is a status that a
// proxy returns, and "cut" truncates the body.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"time"
)

func main() {
	log.SetFlags(0)
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // The test has ended, for whatever reason.
		stop()
	}()
	w, err := start(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	url, err := serve(ctx, w.proxy)
	if err != nil {
		return err
	}
	control, err := serve(ctx, w.control())
	if err != nil {
		return err
	}
	err = json.NewEncoder(os.Stdout).Encode(map[string]string{"url": url, "token": w.token, "reader": w.reader, "secret": w.secret, "control": control})
	if err != nil {
		return err
	}
	<-ctx.Done()
	return w.failed()
}

// serve serves on a free loopback port until ctx ends.
func serve(ctx context.Context, h http.Handler) (url string, err error) {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	s := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second}
	context.AfterFunc(ctx, func() { _ = s.Close() })
	go func() {
		if err := s.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			log.Print(err)
		}
	}()
	return "http://" + ln.Addr().String(), nil
}

// control is the API for the tests.
func (w *fixture) control() http.Handler {
	mux := http.NewServeMux()
	reply := func(rw http.ResponseWriter, err error) {
		if err != nil {
			http.Error(rw, err.Error(), http.StatusInternalServerError)
		}
	}
	mux.HandleFunc("POST /play", func(rw http.ResponseWriter, r *http.Request) {
		steps, err := io.ReadAll(r.Body)
		if err == nil {
			err = w.play(r.Context(), string(steps))
		}
		reply(rw, err)
	})
	mux.HandleFunc("POST /fault", func(rw http.ResponseWriter, r *http.Request) {
		var f fault
		err := json.NewDecoder(r.Body).Decode(&f)
		if err == nil {
			err = w.proxy.add(&f)
		}
		reply(rw, err)
	})
	mux.HandleFunc("POST /restart", func(rw http.ResponseWriter, r *http.Request) {
		reply(rw, w.restart(r.Context()))
	})
	mux.HandleFunc("GET /cards", func(rw http.ResponseWriter, r *http.Request) {
		count, shown := w.cards(r.URL.Query().Get("text"))
		_ = json.NewEncoder(rw).Encode(map[string]any{"count": count, "shown": shown})
	})
	mux.HandleFunc("GET /violations", func(rw http.ResponseWriter, _ *http.Request) {
		for _, v := range w.violations() {
			fmt.Fprintln(rw, v)
		}
	})
	return mux
}
