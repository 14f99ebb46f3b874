package bench

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/memory"
	"github.com/askbridge/askbridge/test/bench/fastchat"
)

// perConnection is how many waits share one HTTP/2 connection; the server allows
// a thousand.
const perConnection = 1000

// clicks is how many of the waiting agents are woken one after the other.
const clicks = 200

// Waiters measures what agents cost while they wait, each for a request of its
// own, and how soon they are woken then.
func (s *Suite) Waiters(ctx context.Context) ([]Figure, error) {
	one, err := s.crowdOf(ctx, s.size.Waiters1, parkRaw)
	if err != nil {
		return nil, fmt.Errorf("over HTTP/1.1: %w", err)
	}
	var two waited
	var growing []Figure
	for _, n := range s.size.Waiters2 {
		if two, err = s.crowdOf(ctx, n, parkStreams); err != nil {
			return nil, fmt.Errorf("over HTTP/2: %w", err)
		}
		growing = append(growing, Figure{
			Key: fmt.Sprintf("waiters_http2_MiB_%d", n), Name: fmt.Sprintf("memory (RSS) with %d agents waiting over cleartext HTTP/2", n), Value: two.rss / mib, Unit: "MiB",
			Detail: fmt.Sprintf("%.1f kB each, a thousand on each connection", two.each()/1000),
		}.in("waiting", "memory (RSS) over cleartext HTTP/2", "waiting", float64(n)), Figure{
			Key: fmt.Sprintf("waiters_answer_p50_%d", n), Name: fmt.Sprintf("click to agent woken with %d waiting, p50", n), Value: ms(two.woken.at(0.5)), Unit: "ms",
		}.in("waiting", "click to agent woken, p50", "waiting", float64(n)))
	}
	last := &growing[len(growing)-2]
	last.Limit, last.Asked = 900, true
	told, err := s.library(ctx, func(_ context.Context, b *bridge.Bridge, id string) func() {
		place := b.Park(id)
		place.Notify(func(*bridge.Record, error) {})
		return place.Leave
	})
	if err != nil {
		return nil, err
	}
	blocked, err := s.library(ctx, func(ctx context.Context, b *bridge.Bridge, id string) func() {
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = b.Wait(ctx, id) // It ends with ctx.
		}()
		return func() { <-done }
	})
	if err != nil {
		return nil, err
	}
	return append(growing,
		atMost("waiter_http1_KB", "memory (RSS) per agent waiting over HTTP/1.1", one.each()/1000, "kB", 16,
			"%d waiting in %.0f MiB; answer p50 %.2f ms, p99 %.2f", one.waiting, one.rss/mib, ms(one.woken.at(0.5)), ms(one.woken.at(0.99))),
		atMost("waiters_answer_ms", fmt.Sprintf("click to agent woken with %d waiting, p99", two.waiting), ms(two.woken.at(0.99)), "ms", 20,
			"p50 %.2f ms; %d of %d agents clicked for had the right answer", ms(two.woken.at(0.5)), len(two.woken), min(clicks, two.waiting)),
		atMost("waiters_cpu", fmt.Sprintf("processor while %d wait", two.waiting), 100*two.busy, "% of one core", 1,
			"with %d over HTTP/1.1: %.2f %%", one.waiting, 100*one.busy),
		atMost("waiter_library_B", "memory per agent waiting in the Go library, called back", told, "B", 2048,
			"%d times Parked.Notify", s.size.Library),
		atMost("waiter_library_goroutine_B", "memory per agent waiting in the Go library, blocked", blocked, "B", 2048,
			"%d goroutines in Bridge.Wait, stacks and all", s.size.Library),
	), nil
}

// waited is what was seen of waiting agents.
type waited struct {
	waiting     int
	before, rss float64
	busy        float64
	woken       times
}

func (w waited) each() float64 { return (w.rss - w.before) / float64(max(w.waiting, 1)) }

// heard tells that an agent got its answer.
type heard struct {
	id  string
	at  time.Time
	err error
}

// parker makes agents wait for requests and reports on tell when one is woken.
// It returns when all calls have been sent, and stop ends them.
type parker func(ctx context.Context, url string, ids []string, tell chan<- heard) (stop func(), err error)

// crowdOf asks on one replica and waits on a fresh one, whose memory then is
// that of the waiting.
func (s *Suite) crowdOf(ctx context.Context, n int, park parker) (waited, error) {
	w := waited{waiting: n}
	asking, err := s.world(ctx, setting{program: s.unpaced, kind: "slack", args: quiet(s.unpaced, s)})
	if err != nil {
		return w, err
	}
	defer asking.close()
	var mu sync.Mutex
	posts, ids := map[string]fastchat.Post{}, make([]string, n)
	err = together(ctx, n, 32, func(ctx context.Context, i int) error {
		mark, posted := asking.expect()
		if _, err := call(ctx, asking.agent, token, http.MethodPost, asking.url+"/v1/requests", question("slack", mark, mark%1000, "")); err != nil {
			return err
		}
		p := <-posted
		mu.Lock()
		defer mu.Unlock()
		ids[i], posts[p.Request] = p.Request, p
		return nil
	})
	if err != nil {
		return w, err
	}
	s.log("%d asked", n)
	here, err := s.world(ctx, setting{
		program: s.unpaced, kind: "slack", redis: asking.redis, args: append([]string{"-max-wait", "1h"}, quiet(s.unpaced, s)...),
	})
	if err != nil {
		return w, err
	}
	defer here.close()
	if err := rest(ctx, 5*settled); err != nil {
		return w, err
	}
	fresh, err := here.rss()
	if err != nil {
		return w, err
	}
	w.before = float64(fresh)
	tell := make(chan heard, n)
	stop, err := park(ctx, here.url, ids, tell)
	if err != nil {
		return w, err
	}
	defer stop()
	if err := here.quiet(ctx); err != nil {
		return w, err
	}
	s.log("%d wait", n)
	// The program tidies up when it finds that there is nothing more to do.
	if err := rest(ctx, s.size.Idle/2); err != nil {
		return w, err
	}
	if err := w.look(ctx, here, s.size.Idle/2); err != nil {
		return w, err
	}
	every := max(n/clicks, 1)
	for i := 0; i < n && len(w.woken) < clicks; i += every {
		began := time.Now()
		if _, err := here.person.press(ctx, here.url, posts[ids[i]]); err != nil {
			return w, err
		}
		select {
		case h := <-tell:
			if h.err != nil || h.id != ids[i] {
				return w, fmt.Errorf("bench: clicked for %s, woken was %s: %w", ids[i], h.id, h.err)
			}
			w.woken = append(w.woken, h.at.Sub(began))
		case <-time.After(10 * time.Second):
			return w, fmt.Errorf("bench: %s was not woken", ids[i])
		}
	}
	return w, nil
}

// look notes memory, and processor time over a while.
func (w *waited) look(ctx context.Context, at *fixture, during time.Duration) error {
	before, err := at.cpu()
	if err != nil {
		return err
	}
	if err := rest(ctx, during); err != nil {
		return err
	}
	after, err := at.cpu()
	if err != nil {
		return err
	}
	rss, err := at.rss()
	w.busy, w.rss = float64(after-before)/float64(during), float64(rss)
	return err
}

// quiet waits until the program has had nothing to do for a moment: then every
// call that was sent has been parked.
func (w *fixture) quiet(ctx context.Context) error {
	for {
		before, err := w.cpu()
		if err != nil {
			return err
		}
		if err := rest(ctx, 10*settled); err != nil {
			return err
		}
		if after, err := w.cpu(); err != nil || after-before <= 2*tick {
			return err
		}
	}
}

// parkRaw waits on a connection each, which is no more than a socket here.
func parkRaw(ctx context.Context, url string, ids []string, tell chan<- heard) (func(), error) {
	address := strings.TrimPrefix(url, "http://")
	conns := make([]net.Conn, len(ids))
	stop := func() {
		for _, c := range conns {
			if c != nil {
				_ = c.Close()
			}
		}
	}
	err := together(ctx, len(ids), 16, func(ctx context.Context, i int) error {
		var dialer net.Dialer
		conn, err := dialer.DialContext(ctx, "tcp", address)
		if err != nil {
			return err
		}
		conns[i] = conn
		_, err = io.WriteString(conn, "GET /v1/requests/"+ids[i]+"?wait=1h HTTP/1.1\r\nHost: "+address+"\r\nAuthorization: Bearer "+token+"\r\nAccept: application/json\r\n\r\n")
		if err != nil {
			return err
		}
		go func() {
			var first [1]byte
			if _, err := io.ReadFull(conn, first[:]); err != nil {
				return // It was closed.
			}
			at := time.Now()
			resp, err := http.ReadResponse(bufio.NewReader(io.MultiReader(strings.NewReader(string(first[:])), conn)), nil)
			if err != nil {
				tell <- heard{id: ids[i], err: err}
				return
			}
			defer resp.Body.Close()
			tell <- judge(ids[i], resp.Body, at)
		}()
		return nil
	})
	if err != nil {
		stop()
	}
	return stop, err
}

// judge reads the end of a wait.
func judge(id string, body io.Reader, at time.Time) heard {
	data, err := io.ReadAll(body)
	if text := string(data); err == nil && (!strings.Contains(text, `"answered"`) || !strings.Contains(text, id)) {
		err = fmt.Errorf("bench: woken with %s", data)
	}
	return heard{id, at, err}
}

// parkStreams waits on streams of HTTP/2, many to a connection.
func parkStreams(ctx context.Context, url string, ids []string, tell chan<- heard) (func(), error) {
	ctx, cancel := context.WithCancel(ctx)
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	var all sync.WaitGroup
	var transports []*http.Transport
	stop := func() {
		cancel()
		all.Wait()
		for _, t := range transports {
			t.CloseIdleConnections()
		}
	}
	sent := make(chan struct{}, 64) // So many calls are on their way at once.
	for n, id := range ids {
		if n%perConnection == 0 {
			transports = append(transports, &http.Transport{Protocols: &protocols})
		}
		client := &http.Client{Transport: transports[len(transports)-1]}
		sent <- struct{}{}
		all.Go(func() {
			go func() {
				// Nothing tells that a call has been parked; its turn is over soon.
				<-time.After(20 * time.Millisecond)
				<-sent
			}()
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/v1/requests/"+id+"?wait=1h", http.NoBody)
			if err != nil {
				tell <- heard{id: id, err: err}
				return
			}
			req.Header.Set("Authorization", "Bearer "+token)
			resp, err := client.Do(req)
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				tell <- heard{id: id, err: err}
				return
			}
			defer resp.Body.Close()
			at := time.Now()
			tell <- judge(id, resp.Body, at)
		})
	}
	return stop, nil
}

// silent is a platform on which nothing happens.
type silent struct{}

func (silent) Name() string                                                 { return "slack" }
func (silent) Limits() render.Limits                                        { return render.Limits{} }
func (silent) CheckTarget(ask.Place) error                                  { return nil }
func (silent) CheckResponder(string) error                                  { return nil }
func (silent) Close() error                                                 { return nil }
func (silent) Update(context.Context, bridge.MessageRef, render.Card) error { return nil }

func (silent) Post(_ context.Context, to ask.Place, card render.Card) (bridge.MessageRef, error) {
	return bridge.MessageRef{Platform: "slack", Channel: to.Channel, Message: card.Request}, nil
}

func (silent) Listen(ctx context.Context, _ bridge.Handler) error {
	<-ctx.Done()
	return nil
}

// library is what a caller of the library costs who waits, in this process. The
// way it waits returns what sees to the end of it.
func (s *Suite) library(ctx context.Context, wait func(context.Context, *bridge.Bridge, string) func()) (float64, error) {
	b, err := bridge.New(memory.New(), []bridge.Platform{silent{}}, nil)
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { _ = b.Run(ctx) }) // It ends with ctx.
	defer running.Wait()
	ends := make([]func(), 0, s.size.Library)
	defer func() {
		cancel()
		for _, end := range ends {
			end()
		}
	}()
	ids := make([]string, s.size.Library)
	err = together(ctx, len(ids), 4, func(ctx context.Context, i int) error {
		made, err := b.Submit(ctx, ask.Request{
			To:        []ask.Place{{Platform: "slack", Channel: "C0000001"}},
			Questions: []ask.Question{{Text: "Go?", Options: []ask.Option{{Label: "Yes"}, {Label: "No"}}}},
		})
		ids[i] = made.Record.ID
		return err
	})
	if err != nil {
		return 0, err
	}
	before := inUse()
	for _, id := range ids {
		ends = append(ends, wait(ctx, b, id))
	}
	// A waiter is parked when it no longer runs; all of them are when the
	// collector finds nothing more to shrink.
	last := inUse()
	for range 50 {
		if err := rest(ctx, settled); err != nil {
			return 0, err
		}
		now := inUse()
		if now == last {
			break
		}
		last = now
	}
	return (float64(last) - float64(before)) / float64(len(ids)), nil
}

// inUse is what heap and stacks hold after the collector has shrunk them.
func inUse() uint64 {
	for range 4 {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}
