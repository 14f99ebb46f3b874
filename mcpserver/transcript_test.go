package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/test/golden"
)

// TestTranscripts plays the client's side of a conversation and compares the server's side with the file. In the
// section "client", a line of JSON is sent as it is, and a line that begins with @ is an event:
//
//	@wait 3m          time passes
//	@press 0 1        a person chooses option 1 of question 0 of the newest request
//	@cancel           a person cancels it
//	@drain            the server is about to shut down
//	@hangup           the client's connection breaks, and another one begins
//
// {id} in a line of JSON is replaced by the ID of the newest request.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	golden.Each(t, "testdata/transcripts/*.txtar", func(t *testing.T, c *golden.Case) {
		synctest.Test(t, func(t *testing.T) {
			w := newFixture(t, nil)
			defer w.stop()
			p := &play{t: t, world: w, began: time.Now()}
			p.connect()
			for line := range strings.Lines(c.Get("client")) {
				if line = strings.TrimSpace(line); line != "" {
					p.step(line)
				}
			}
			p.hangUp()
			c.Check("transcript", callIDs.ReplaceAllString(p.log.String(), `"askbridge/call_id":"(of the call)"`))
		})
	})
}

// callIDs differ from call to call.
var callIDs = regexp.MustCompile(`"askbridge/call_id":"[A-Z2-7]{16}"`)

type play struct {
	t     *testing.T
	world *fixture
	began time.Time

	send   io.WriteCloser
	served chan struct{}

	mu  sync.Mutex
	log strings.Builder
}

// connect serves a new client. The server's messages are logged with their times.
func (p *play) connect() {
	in, send := io.Pipe()
	messages, out := io.Pipe()
	p.send, p.served = send, make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		if err := p.world.server.Serve(context.Background(), p.world.bridge, in, out); err != nil {
			p.t.Error(err)
		}
		out.Close()
	})
	all.Go(func() {
		for s := bufio.NewScanner(messages); s.Scan(); {
			p.note("<", s.Text())
		}
	})
	served := p.served
	go func() { all.Wait(); close(served) }()
}

func (p *play) hangUp() {
	p.send.Close()
	<-p.served
}

func (p *play) note(mark, line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if strings.HasPrefix(line, "{") {
		var v any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			p.t.Errorf("not JSON: %s", line)
		}
	}
	fmt.Fprintf(&p.log, "%7s %s %s\n", time.Since(p.began).Round(time.Second), mark, line)
}

func (p *play) step(line string) {
	p.t.Helper()
	verb, rest, _ := strings.Cut(line, " ")
	if !strings.HasPrefix(verb, "@") {
		if strings.Contains(line, "{id}") {
			line = strings.ReplaceAll(line, "{id}", p.newest())
		}
		p.note(">", line)
		if _, err := io.WriteString(p.send, line+"\n"); err != nil {
			p.t.Fatal(err)
		}
		synctest.Wait()
		return
	}
	p.note("@", strings.TrimPrefix(line, "@"))
	switch verb {
	case "@wait":
		d, err := time.ParseDuration(rest)
		if err != nil {
			p.t.Fatal(err)
		}
		later(d)
	case "@press":
		q, o, _ := strings.Cut(rest, " ")
		question, err1 := strconv.Atoi(q)
		option, err2 := strconv.Atoi(o)
		if err1 != nil || err2 != nil {
			p.t.Fatalf("%s: %v, %v", line, err1, err2)
		}
		p.world.press(p.newest(), question, option)
	case "@cancel":
		p.world.act(platform.Interaction{Person: ada, Token: render.Token{Request: p.newest(), Verb: render.Dismissed}})
	case "@drain":
		p.world.server.Drain()
	case "@hangup":
		p.hangUp()
		p.connect()
	default:
		p.t.Fatalf("unknown line %s", line)
	}
	synctest.Wait()
}

// newest returns the ID of the latest request.
func (p *play) newest() string {
	p.t.Helper()
	var newest bridge.Record
	for _, ended := range []bool{false, true} {
		all, err := p.world.bridge.List(p.t.Context(), bridge.Query{All: true, Ended: ended})
		if err != nil {
			p.t.Fatal(err)
		}
		for _, r := range all {
			if !r.Created.Before(newest.Created) {
				newest = r
			}
		}
	}
	if newest.ID == "" {
		p.t.Fatal("no request yet")
	}
	return newest.ID
}
