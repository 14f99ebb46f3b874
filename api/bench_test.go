package api

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/memory"
)

// newQuietWorld is a handler on loopback without log or inspection.
func newQuietWorld(tb testing.TB) (*client.Client, *Handler, string) {
	tb.Helper()
	b, err := bridge.New(memory.New(), []platform.Platform{bridgetest.NewScript("slack", render.Limits{})}, nil)
	if err != nil {
		tb.Fatal(err)
	}
	gate, err := access.New(b, &access.Options{AllowAnonymous: true})
	if err != nil {
		tb.Fatal(err)
	}
	handler, err := New(gate, &Options{MaxWait: time.Hour})
	if err != nil {
		tb.Fatal(err)
	}
	var config net.ListenConfig
	listener, err := config.Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	server := NewServer(handler, nil)
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	all.Go(func() { _ = b.Run(ctx) })
	all.Go(func() { _ = server.Serve(listener) })
	transport := &http.Transport{MaxIdleConnsPerHost: 16}
	tb.Cleanup(func() {
		transport.CloseIdleConnections()
		server.Close()
		cancel()
		all.Wait()
	})
	c, err := client.New("http://"+listener.Addr().String(), &client.Options{HTTP: &http.Client{Transport: transport}})
	if err != nil {
		tb.Fatal(err)
	}
	return c, handler, listener.Addr().String()
}

func BenchmarkSubmitAndGet(b *testing.B) {
	c, _, _ := newQuietWorld(b)
	r := database
	r.ToolCallID = ""
	b.ReportAllocs()
	for b.Loop() {
		made, err := c.Submit(b.Context(), r)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := c.Get(b.Context(), made.ID); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkIdleWaiters measures the memory of a parked call over HTTP/1.1. The clients are bare connections, so that
// they add little.
func BenchmarkIdleWaiters(b *testing.B) {
	alone := runtime.NumGoroutine()
	for name, call := range map[string]func(id string) string{
		"request": func(id string) string {
			return "GET /v1/requests/" + id + "?wait=1h HTTP/1.1\r\nHost: localhost\r\nUser-Agent: bench\r\nAccept: application/json\r\n\r\n"
		},
		"tool result": func(string) string {
			return fmt.Sprintf("POST /v1/ask/claude%s&wait=1h HTTP/1.1\r\nHost: localhost\r\nUser-Agent: bench\r\nContent-Length: %d\r\n\r\n%s", toSlack, len(hookInput), hookInput)
		},
	} {
		for runtime.NumGoroutine() > alone {
			runtime.Gosched() // The calls of the previous run are still ending.
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				idle(b, call)
			}
		})
	}
}

func idle(b *testing.B, call func(id string) string) {
	b.Helper()
	const callers = 1000
	c, handler, address := newQuietWorld(b)
	r := database
	r.ToolCallID = ""
	made, err := c.Submit(b.Context(), r)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := c.SubmitTool(b.Context(), hookCall()); err != nil {
		b.Fatal(err)
	}
	before, goroutines := resident(), runtime.NumGoroutine()
	conns := make([]net.Conn, 0, callers)
	for range callers {
		var dialer net.Dialer
		conn, err := dialer.DialContext(b.Context(), "tcp", address)
		if err != nil {
			b.Fatal(err)
		}
		conns = append(conns, conn)
		if _, err := conn.Write([]byte(call(made.ID))); err != nil {
			b.Fatal(err)
		}
	}
	for handler.service.lines.Len() < callers {
		runtime.Gosched()
	}
	b.ReportMetric(float64(resident()-before)/callers, "B/waiter")
	b.ReportMetric(float64(runtime.NumGoroutine()-goroutines)/callers, "goroutines/waiter")
	for _, conn := range conns {
		conn.Close()
	}
}

// resident is the size of heap and stacks after the garbage collector has shrunk them.
func resident() uint64 {
	for range 4 {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}
