// Command floor is the baseline of the speed figures: it does the least that a bridge must do to keep an answer. It
// uses plain net/http, checks the platform's signature and runs one Redis script for each step. It has no
// validation, no retries, no expiry and no permissions, and is not a product.
package main

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"
)

// One script for each step.
const (
	askScript = `redis.call('SET', KEYS[1], ARGV[1]) return 1`
	// answerScript claims the request, stores the answer and publishes it.
	answerScript = `if not redis.call('SET', KEYS[2], ARGV[2], 'NX') then return false end
redis.call('PUBLISH', 'answers', ARGV[1] .. ' ' .. ARGV[2])
return redis.call('GET', KEYS[1])`
)

// asked is the part of a request that the floor reads.
type asked struct {
	To []struct {
		Channel string `json:"channel"`
	} `json:"to"`
	Questions []question `json:"questions"`
}

type question struct {
	Text    string `json:"question"`
	Header  string `json:"header"`
	Options []struct {
		Label       string `json:"label"`
		Description string `json:"description"`
	} `json:"options"`
}

type floor struct {
	redis    *client
	ask      string // SHA-1 digests of the scripts.
	answer   string
	platform platform
	http     *http.Client
	url      string

	mu      sync.Mutex
	waiting map[string]chan string
}

// platform is what differs between Slack and Discord.
type platform interface {
	// post builds the call that posts a question; reply decodes the ID of the message.
	post(url, channel string, id string, q question) (*http.Request, error)
	// click checks the signature and decodes the click.
	click(r *http.Request, body []byte) (press, error)
	// acknowledge answers the click; update returns the call that follows, if any.
	acknowledge(w http.ResponseWriter, q question, answer string)
	update(url string, p press, q question, answer string) (*http.Request, error)
}

// press is a decoded click.
type press struct{ id, option, channel, message string }

var errSignature = errors.New("floor: bad signature")

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	var (
		listen = flag.String("listen", "127.0.0.1:0", "the `address` to serve")
		redis  = flag.String("redis", "", "the `address` of Redis")
		url    = flag.String("url", "", "where the platform's `API` is")
		key    = flag.String("key", "", "Slack's signing `secret`, or Discord's public key")
		kind   = flag.String("platform", "slack", "slack or discord")
	)
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	f := &floor{
		redis: newClient(*redis), url: *url, waiting: map[string]chan string{},
		http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 128}},
	}
	if f.platform = slack(*key); *kind == "discord" {
		public, err := hex.DecodeString(*key)
		if err != nil {
			return err
		}
		f.platform = discord(ed25519.PublicKey(public))
	}
	var err error
	if f.ask, err = f.redis.load(ctx, askScript); err != nil {
		return err
	}
	if f.answer, err = f.redis.load(ctx, answerScript); err != nil {
		return err
	}
	subscribed, err := f.redis.subscribe(ctx, "answers", f.wake)
	if err != nil {
		return err
	}
	defer subscribed()
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/requests", f.submit)
	mux.HandleFunc("GET /v1/requests/{id}", f.get)
	mux.HandleFunc("POST /"+*kind+"/interactions", f.interact)
	mux.HandleFunc("GET /readyz", func(http.ResponseWriter, *http.Request) {})
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", *listen)
	if err != nil {
		return err
	}
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	server := &http.Server{
		Handler: mux, ReadHeaderTimeout: time.Minute, Protocols: &protocols,
		HTTP2: &http.HTTP2Config{MaxConcurrentStreams: 1000},
	}
	fmt.Fprintf(os.Stderr, "{\"listen\":%q}\n", listener.Addr())
	go func() {
		<-ctx.Done()
		_ = server.Close()
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// submit stores a request, posts it, and waits for the answer if requested.
func (f *floor) submit(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var a asked
	if err := json.Unmarshal(body, &a); err != nil || len(a.Questions) == 0 || len(a.To) == 0 {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	id := "a" + strings.ToLower(rand.Text())
	if _, err := f.redis.do(r.Context(), "EVALSHA", f.ask, "1", "floor:r:"+id, string(body)); err != nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	waits := r.URL.Query().Get("wait") != ""
	var answered chan string
	if waits {
		answered = f.park(id)
		defer f.leave(id)
	}
	call, err := f.platform.post(f.url, a.To[0].Channel, id, a.Questions[0])
	if err == nil {
		err = f.call(r.Context(), call)
	}
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if waits {
		select {
		case answer := <-answered:
			fmt.Fprintf(w, `{"id":%q,"state":"answered","text":%q}`, id, answer)
		case <-r.Context().Done():
		}
		return
	}
	w.WriteHeader(http.StatusCreated)
	fmt.Fprintf(w, `{"id":%q,"state":"open"}`, id)
}

// get waits for the answer to an earlier request.
func (f *floor) get(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	answered := f.park(id)
	defer f.leave(id)
	if answer, err := f.redis.do(r.Context(), "GET", "floor:a:"+id); err == nil && answer != "" {
		fmt.Fprintf(w, `{"id":%q,"state":"answered","text":%q}`, id, answer)
		return
	}
	select {
	case answer := <-answered:
		fmt.Fprintf(w, `{"id":%q,"state":"answered","text":%q}`, id, answer)
	case <-r.Context().Done():
	}
}

// interact stores the answer, acknowledges the click, and then calls the platform.
func (f *floor) interact(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	p, err := f.platform.click(r, body)
	if err != nil {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	stored, err := f.redis.do(r.Context(), "EVALSHA", f.answer, "2", "floor:r:"+p.id, "floor:a:"+p.id, p.id, p.option)
	if err != nil || stored == "" {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	f.wake(p.id + " " + p.option)
	var a asked
	if json.Unmarshal([]byte(stored), &a) != nil || len(a.Questions) == 0 {
		return
	}
	f.platform.acknowledge(w, a.Questions[0], p.option)
	if call, err := f.platform.update(f.url, p, a.Questions[0], p.option); call != nil && err == nil {
		go func() { _ = f.call(context.WithoutCancel(r.Context()), call) }() // The click is acknowledged; errors cannot be reported.
	}
}

func (f *floor) call(ctx context.Context, call *http.Request) error {
	resp, err := f.http.Do(call.WithContext(ctx))
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	var reply struct {
		OK bool   `json:"ok"`
		ID string `json:"id"`
	}
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &reply)
}

func (f *floor) park(id string) chan string {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := make(chan string, 1)
	f.waiting[id] = c
	return c
}

func (f *floor) leave(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.waiting, id)
}

// wake passes on a message of the form "id answer".
func (f *floor) wake(message string) {
	id, answer, _ := strings.Cut(message, " ")
	f.mu.Lock()
	defer f.mu.Unlock()
	if c := f.waiting[id]; c != nil {
		select {
		case c <- answer:
		default: // It already has an answer.
		}
	}
}
