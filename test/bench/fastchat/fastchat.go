// Package fastchat imitates Slack and Discord as fast as net/http allows: it accepts every call without validation.
// Use it for measurements, and chatsim to check calls.
package fastchat

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// IDs of the program under test.
const (
	Application = "100000000000000001"
	bot         = "100000000000000002"
)

// Post is a posted card.
type Post struct {
	// Mark is the number after [Marker] in the question's text, or -1.
	Mark int
	// Request is the ID in the control of the first option.
	Request string
	// Channel and Message identify the posted message.
	Channel, Message string
	At               time.Time
}

// Marker is the prefix of a question that a benchmark looks for: "mark17x".
const Marker = "mark"

// Options configure a server.
type Options struct {
	// Posted is called for each card; it may be nil.
	Posted func(Post)
	// Key is the public key that Discord reports for its application.
	Key string
}

// Server imitates both platforms.
type Server struct {
	opts   Options
	server *http.Server
	addr   string
	ids    atomic.Int64
	delay  atomic.Int64

	gateway gateway
}

// Start serves on a free loopback port.
func Start(ctx context.Context, o Options) (*Server, error) {
	s := &Server{opts: o, gateway: gateway{acked: map[string]chan time.Time{}}}
	s.ids.Store(time.Now().UnixMicro())
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("fastchat: %w", err)
	}
	s.addr = listener.Addr().String()
	s.server = &http.Server{Handler: http.HandlerFunc(s.serve), ReadHeaderTimeout: time.Minute}
	go func() { _ = s.server.Serve(listener) }() // Close ends it.
	return s, nil
}

// Close stops the server.
func (s *Server) Close() { _ = s.server.Close() }

// Slack returns the base URL of Slack's API.
func (s *Server) Slack() string { return "http://" + s.addr + "/api/" }

// Discord returns the base URL of Discord's API.
func (s *Server) Discord() string { return "http://" + s.addr + "/discord/" }

// Slow delays every reply from now on.
func (s *Server) Slow(by time.Duration) { s.delay.Store(int64(by)) }

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/gateway") {
		s.gateway.serve(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	at := time.Now()
	if method, ok := strings.CutPrefix(r.URL.Path, "/api/"); ok {
		s.slack(w, method, body, at)
		return
	}
	s.discord(w, r, body, at)
}

func (s *Server) slack(w http.ResponseWriter, method string, body []byte, at time.Time) {
	switch method {
	case "auth.test":
		reply(w, `{"ok":true,"team_id":"T0000001","user_id":"U0000BOT","bot_id":"B0000001"}`)
	case "chat.postMessage":
		channel := between(body, `channel=`, `&`, `"channel":"`, `"`)
		n := s.ids.Add(1)
		message := fmt.Sprintf("%d.%06d", n/1_000_000, n%1_000_000)
		s.posted(body, channel, message, at)
		s.pause()
		reply(w, `{"ok":true,"channel":"`+channel+`","ts":"`+message+`"}`)
	case "chat.update":
		s.pause()
		reply(w, `{"ok":true,"channel":"C0000001","ts":"1.000001"}`)
	default:
		reply(w, `{"ok":true}`)
	}
}

func (s *Server) discord(w http.ResponseWriter, r *http.Request, body []byte, at time.Time) {
	_, path, _ := strings.Cut(r.URL.Path, "channels/")
	channel, rest, _ := strings.Cut(path, "/messages")
	switch {
	case channel != "" && r.Method == http.MethodPost:
		message := strconv.FormatInt(s.ids.Add(1)*100, 10)
		s.posted(body, channel, message, at)
		s.pause()
		reply(w, `{"id":"`+message+`","channel_id":"`+channel+`"}`)
	case channel != "":
		s.pause()
		reply(w, `{"id":"`+strings.Trim(rest, "/")+`","channel_id":"`+channel+`"}`)
	case strings.HasSuffix(r.URL.Path, "/callback"):
		s.gateway.callback(r.URL.Path, at)
		s.pause()
		w.WriteHeader(http.StatusNoContent)
	case strings.HasSuffix(r.URL.Path, "gateway/bot"):
		reply(w, `{"url":"ws://`+s.addr+`/gateway","shards":1,"session_start_limit":{"total":1000,"remaining":1000,"reset_after":0,"max_concurrency":1}}`)
	case strings.HasSuffix(r.URL.Path, "applications/@me"):
		reply(w, `{"id":"`+Application+`","verify_key":"`+s.opts.Key+`","interactions_endpoint_url":"https://bench.example/"}`)
	default:
		reply(w, `{"id":"`+bot+`","username":"bench","bot":true}`)
	}
}

// posted reports a card. Control IDs appear in the body verbatim or with escaped colons.
func (s *Server) posted(body []byte, channel, message string, at time.Time) {
	if s.opts.Posted == nil {
		return
	}
	p := Post{Mark: -1, Channel: channel, Message: message, At: at}
	for _, colon := range []string{":", "%3A"} {
		end := bytes.Index(body, []byte(strings.ReplaceAll(":c:0:0", ":", colon)))
		if end < 0 {
			continue
		}
		begin := max(bytes.LastIndex(body[:end], []byte("1"+colon)), bytes.LastIndex(body[:end], []byte("2"+colon)))
		if begin >= 0 {
			p.Request, _, _ = strings.Cut(string(body[begin+1+len(colon):end]), ".")
		}
	}
	if _, rest, ok := bytes.Cut(body, []byte(Marker)); ok {
		digits, _, _ := bytes.Cut(rest[:min(len(rest), 20)], []byte("x"))
		if n, err := strconv.Atoi(string(digits)); err == nil {
			p.Mark = n
		}
	}
	s.opts.Posted(p)
}

// pause waits for the configured delay of the platform.
func (s *Server) pause() {
	if d := time.Duration(s.delay.Load()); d > 0 {
		<-time.After(d)
	}
}

// between extracts a value from a form or from JSON.
func between(body []byte, before, after, orBefore, orAfter string) string {
	for _, p := range [][2]string{{before, after}, {orBefore, orAfter}} {
		if _, rest, ok := bytes.Cut(body, []byte(p[0])); ok {
			value, _, _ := bytes.Cut(rest, []byte(p[1]))
			return string(value)
		}
	}
	return ""
}

func reply(w http.ResponseWriter, body string) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = io.WriteString(w, body) // The client may have disconnected.
}
