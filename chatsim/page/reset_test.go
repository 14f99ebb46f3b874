package page_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/page"
	"github.com/askbridge/askbridge/chatsim/slacksim"
)

// watched is a platform that notifies open pages as soon as it is reset.
type watched struct {
	page.Chat

	seen func()
}

func (c watched) Reset() {
	c.Chat.Reset()
	c.seen()
}

func TestResetClearsOpenPages(t *testing.T) {
	t.Parallel()
	opts := &page.Options{Traffic: &chatsim.Traffic{}}
	opts.Traffic.Keep(10)
	opts.Traffic.Begin(chatsim.Exchange{Method: http.MethodPost, Path: "/v1/requests"})
	counts := make(chan int) // number of exchanges in a full event
	srv := httptest.NewServer(page.Handler(opts, watched{page.Slack(slacksim.Start(t, nil)), func() {
		if n := <-counts; n != 0 {
			t.Errorf("after the reset the page shows %d exchanges of before", n)
		}
	}}))
	t.Cleanup(srv.Close)
	t.Cleanup(srv.CloseClientConnections)
	request := func(method, path string) *http.Response {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, srv.URL+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = resp.Body.Close() })
		return resp
	}
	stream := request(http.MethodGet, "/api/events")
	go func() {
		lines := bufio.NewScanner(stream.Body)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var update struct {
				First     bool
				Exchanges []json.RawMessage
			}
			data, is := strings.CutPrefix(lines.Text(), "data: ")
			if is && json.Unmarshal([]byte(data), &update) == nil && update.First {
				counts <- len(update.Exchanges)
			}
		}
	}()
	if n := <-counts; n != 1 {
		t.Fatalf("at first the page shows %d exchanges", n)
	}
	if resp := request(http.MethodPost, "/api/reset"); resp.StatusCode != http.StatusOK {
		t.Errorf("the reset: %s", resp.Status)
	}
}
