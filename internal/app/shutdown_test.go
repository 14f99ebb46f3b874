package app_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/internal/app"
)

// A load balancer learns about a shutdown later than the replica.
func TestShutdownServesClicksInFlight(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const delay = 3 * time.Second
		network := chatsim.NewNet()
		cfg, err := pagerConfig(t, "http://pager", "7", "shutdown_delay: "+delay.String()+"\n")
		if err != nil {
			t.Fatal(err)
		}
		a, err := app.New(cfg, &app.Options{Listener: network, CallbackListener: chatsim.NewNet(), Platforms: withPagers()})
		if err != nil {
			t.Fatal(err)
		}
		ctx, end := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- a.Run(ctx) }()
		client := network.Client()
		ready := func() (status int, last bool) {
			resp, err := client.Get("http://askbridge/readyz")
			if err != nil {
				return 0, false
			}
			defer resp.Body.Close()
			return resp.StatusCode, resp.Close
		}
		if status, last := ready(); status != http.StatusOK || last {
			t.Fatalf("before: status %d, connection closed: %t", status, last)
		}

		began := time.Now()
		end()
		synctest.Wait()
		for _, after := range []time.Duration{0, delay - time.Second, delay - time.Millisecond} {
			time.Sleep(time.Until(began.Add(after)))
			if status, last := ready(); status != http.StatusServiceUnavailable || !last {
				t.Errorf("%s after the signal: status %d, connection closed: %t", after, status, last)
			}
		}
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took < delay || took > delay+time.Second {
			t.Errorf("it stopped after %s", took)
		}
		if status, _ := ready(); status != 0 {
			t.Errorf("after the stop: status %d", status)
		}
	})
}
