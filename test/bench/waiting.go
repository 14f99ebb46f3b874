package bench

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/askbridge/askbridge/test/bench/fastchat"
)

const (
	mib = 1 << 20
	// perConnection is how many waits share one HTTP/2 connection; the server allows 1,000.
	perConnection = 1000
	// clicks is how many waiting agents get an answer, one after the other.
	clicks = 200
)

// Waiting measures the memory of agents that wait, each for its own request, and how fast they are woken.
func (s *Suite) Waiting(ctx context.Context) ([]Figure, error) {
	limits := map[int]float64{1000: 60, 10_000: 240}
	var all []Figure
	for _, n := range s.size.Waiters {
		for _, way := range []struct {
			key, name string
			park      parker
		}{{"http1", "HTTP/1.1", parkConnections}, {"http2", "cleartext HTTP/2", parkStreams}} {
			w, err := s.crowdOf(ctx, n, way.park)
			if err != nil {
				return nil, fmt.Errorf("%d over %s: %w", n, way.name, err)
			}
			if len(all) == 0 {
				all = append(all, atMost("idle_MiB", "memory (RSS) when idle", w.before/mib, "MiB", 24, "just started, store: Redis"))
			}
			key := fmt.Sprintf("%s_%d", way.key, n)
			memory := Figure{
				Key: "waiting_MiB_" + key, Name: fmt.Sprintf("memory (RSS) with %d agents waiting over %s", n, way.name), Value: w.rss / mib, Unit: "MiB",
				Limit: limits[n], Asked: limits[n] > 0, Detail: fmt.Sprintf("%.1f kB each; processor %.2f %% of one core", w.each()/1000, 100*w.busy),
			}
			all = append(all, memory.in("waiting", "memory (RSS) over "+way.name, "waiting", float64(n)),
				atMost("woken_ms_"+key, fmt.Sprintf("click to agent woken with %d waiting over %s, p99", n, way.name), ms(w.woken.at(0.99)), "ms", 20, "p50 %.2f ms", ms(w.woken.at(0.5))))
		}
	}
	return all, nil
}

// waited is the result of one measurement with waiting agents.
type waited struct {
	waiting     int
	before, rss float64
	busy        float64
	woken       times
}

func (w waited) each() float64 { return (w.rss - w.before) / float64(max(w.waiting, 1)) }

// heard is the answer that one agent received, with the mark of its question.
type heard struct {
	mark int
	at   time.Time
	err  error
}

// parker prepares the calls of agents. Each call sends a body to /v1/requests?wait and reports its answer on tell.
type parker func(ctx context.Context, w *fixture, tell chan<- heard) (send func(ctx context.Context, mark int, body string) error, stop func())

// crowdOf lets n agents ask and wait on a new bridge.
func (s *Suite) crowdOf(ctx context.Context, n int, park parker) (waited, error) {
	w := waited{waiting: n}
	here, err := s.world(ctx, setting{program: s.unpaced, kind: "slack", args: append([]string{"-max-wait", "1h"}, quiet(s.unpaced, s)...)})
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
	send, stop := park(ctx, here, tell)
	defer stop()
	type asked struct {
		mark int
		card <-chan fastchat.Post
	}
	cards := make([]asked, n)
	err = together(ctx, n, 16, func(ctx context.Context, i int) error {
		mark, posted := here.expect()
		cards[i] = asked{mark, posted}
		if err := send(ctx, mark, question("slack", mark, mark%1000, "")); err != nil {
			return err
		}
		return until(ctx, 20*time.Second, "a card", func() bool { return len(posted) > 0 })
	})
	if err != nil {
		return w, fmt.Errorf("%w\n%s", err, here.stderr())
	}
	s.log("%d wait", n)
	// The program releases memory when it is idle.
	if err := rest(ctx, s.size.Idle/2); err != nil {
		return w, err
	}
	if err := w.look(ctx, here, s.size.Idle/2); err != nil {
		return w, err
	}
	for i := 0; i < n && len(w.woken) < clicks; i += max(n/clicks, 1) {
		began := time.Now()
		if _, err := here.person.press(ctx, here.url, <-cards[i].card); err != nil {
			return w, err
		}
		select {
		case h := <-tell:
			if h.err != nil || h.mark != cards[i].mark {
				return w, fmt.Errorf("bench: clicked question %d, answered was %d: %w", cards[i].mark, h.mark, h.err)
			}
			w.woken = append(w.woken, h.at.Sub(began))
		case <-time.After(10 * time.Second):
			return w, fmt.Errorf("bench: question %d got no answer", cards[i].mark)
		}
	}
	return w, nil
}

// look measures memory, and processor time over a period.
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

const waitPath = "/v1/requests?wait=1h"

// parkConnections waits on one connection per agent, which costs this process only a socket and a goroutine.
func parkConnections(_ context.Context, w *fixture, tell chan<- heard) (send func(context.Context, int, string) error, stop func()) {
	address := strings.TrimPrefix(w.url, "http://")
	var mu sync.Mutex
	var conns []net.Conn
	send = func(ctx context.Context, mark int, body string) error {
		var dialer net.Dialer
		conn, err := dialer.DialContext(ctx, "tcp", address)
		if err != nil {
			return err
		}
		mu.Lock()
		conns = append(conns, conn)
		mu.Unlock()
		_, err = io.WriteString(conn, "POST "+waitPath+" HTTP/1.1\r\nHost: "+address+"\r\nAuthorization: Bearer "+token+
			"\r\nContent-Type: application/json\r\nContent-Length: "+strconv.Itoa(len(body))+"\r\n\r\n"+body)
		if err != nil {
			return err
		}
		go func() {
			var first [1]byte
			if _, err := io.ReadFull(conn, first[:]); err != nil {
				return // The connection was closed.
			}
			at := time.Now()
			resp, err := http.ReadResponse(bufio.NewReader(io.MultiReader(strings.NewReader(string(first[:])), conn)), nil)
			if err != nil {
				tell <- heard{mark: mark, err: err}
				return
			}
			defer resp.Body.Close()
			tell <- judge(mark, resp.Body, at)
		}()
		return nil
	}
	return send, func() {
		mu.Lock()
		defer mu.Unlock()
		for _, c := range conns {
			_ = c.Close()
		}
	}
}

// judge reads the response to a wait.
func judge(mark int, body io.Reader, at time.Time) heard {
	data, err := io.ReadAll(body)
	if err == nil && !strings.Contains(string(data), `"answered"`) {
		err = fmt.Errorf("bench: woken with %s", data)
	}
	return heard{mark, at, err}
}

// parkStreams waits on HTTP/2 streams that share connections.
func parkStreams(ctx context.Context, w *fixture, tell chan<- heard) (send func(context.Context, int, string) error, stop func()) {
	waiting, cancel := context.WithCancel(ctx)
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	var mu sync.Mutex
	var transports []*http.Transport
	sent := 0
	transport := func() *http.Transport {
		mu.Lock()
		defer mu.Unlock()
		if sent%perConnection == 0 {
			transports = append(transports, &http.Transport{Protocols: &protocols})
		}
		sent++
		return transports[len(transports)-1]
	}
	var all sync.WaitGroup
	send = func(_ context.Context, mark int, body string) error {
		client := &http.Client{Transport: transport()}
		all.Go(func() {
			req, err := http.NewRequestWithContext(waiting, http.MethodPost, w.url+waitPath, strings.NewReader(body))
			if err != nil {
				tell <- heard{mark: mark, err: err}
				return
			}
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Authorization", "Bearer "+token)
			resp, err := client.Do(req)
			if waiting.Err() != nil {
				return
			}
			if err != nil {
				tell <- heard{mark: mark, err: err}
				return
			}
			defer resp.Body.Close()
			tell <- judge(mark, resp.Body, time.Now())
		})
		return nil
	}
	return send, func() {
		cancel()
		all.Wait()
		for _, t := range transports {
			t.CloseIdleConnections()
		}
	}
}
