package doctor

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"syscall"

	"github.com/askbridge/askbridge/internal/app/config"
)

// examineServe checks the addresses and who may use them. If the store is idle, a running askbridge is
// another one.
func examineServe(ctx context.Context, r *Report, cfg *config.Config, idle bool) {
	running := false
	examineAddress(ctx, r, "listen", cfg.Listen, func() { running = examineRunning(ctx, r, cfg, idle) })
	r.Running = running
	for _, own := range []struct{ id, whose, address string }{
		{"callbacks", "the platforms", cfg.Callbacks.Listen}, {"metrics", "the metrics", cfg.Metrics.Listen},
	} {
		if own.address == "" {
			continue
		}
		examineAddress(ctx, r, own.id, own.address, func() {
			if running {
				r.OK(own.id, "%s is in use by the running askbridge", own.address)
			} else {
				r.Add(own.id, Broken, "Stop it, or give "+own.whose+" another address.", "another program uses %s", own.address)
			}
		})
	}
	if n := len(cfg.Agents); n > 0 {
		r.OK("agents", "%d with tokens", n)
		return
	}
	if cfg.RequireTokens {
		r.OK("agents", "none are listed; all calls need a token from askbridge token create")
		return
	}
	r.Add("agents", Note, "List them under agents, each with a token, before others can reach this address.",
		"none are listed: everyone on this machine may ask")
}

// examineAddress checks whether an address is free; taken reports if it is not.
func examineAddress(ctx context.Context, r *Report, id, address string, taken func()) {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", address)
	switch {
	case err == nil:
		_ = ln.Close() // It was only a test.
		r.OK(id, "%s is free", address)
	case errors.Is(err, syscall.EADDRINUSE):
		taken()
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		r.Add(id, Broken, "Set an address of this machine, or only a port to listen on all of them.",
			"%s is not an address of this machine", address)
	case errors.Is(err, syscall.EACCES):
		r.Add(id, Broken, "Use a port above 1023, or let the service manager grant the permission.",
			"this user may not listen on %s", address)
	default:
		r.Add(id, Broken, "Write an address and a port, such as 127.0.0.1:8080.", "cannot listen on %s: %v", address, Plain(err))
	}
}

// examineRunning checks whether the server at the address is askbridge with this configuration.
func examineRunning(ctx context.Context, r *Report, cfg *config.Config, idle bool) bool {
	const id = "listen"
	address := cfg.Listen
	ask := func(path string) (Reply, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+reachable(address)+path, http.NoBody)
		if err != nil {
			return Reply{}, err
		}
		return Send(&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}, req)
	}
	alive, err := ask("/livez")
	if err != nil || alive.Status != http.StatusOK {
		r.Add(id, Broken, "Stop it, or set another address.", "another program uses %s", address)
		return false
	}
	if idle {
		r.Add(id, Broken, "Stop it, or set listen to another address. If it is the right one, run doctor in its folder, or set an absolute store.path.",
			"another askbridge (the simulator?) has %s: the store of this one is not open", address)
		return false
	}
	ready, err := ask("/readyz")
	switch {
	case err == nil && ready.Status == http.StatusOK:
		r.OK(id, "askbridge runs on %s and is ready", address)
		degraded(r, ready)
	case err == nil:
		r.Add(id, Broken, "Check its log and the findings below.", "askbridge runs on %s and is not ready: %s",
			address, strings.Join(strings.Fields(cut(string(ready.Body), 300)), " "))
	default:
		r.Add(id, Broken, "Check its log.", "askbridge runs on %s and does not answer: %v", address, err)
	}
	return true
}

// degraded reports what needs attention on a ready server.
func degraded(r *Report, ready Reply) {
	var health struct {
		Parts []struct{ Part, Detail string }
	}
	ready.Into(&health)
	for _, p := range health.Parts {
		r.Add(p.Part+"/installations", Warn, "askbridge "+p.Part+" installations lists them. Their people have to install the app again.", "%s", cut(p.Detail, 300))
	}
}

// reachable returns an address of this machine for an unspecified one.
func reachable(address string) string {
	name, port, err := net.SplitHostPort(address)
	if ip := net.ParseIP(name); err == nil && (name == "" || ip != nil && ip.IsUnspecified()) {
		return net.JoinHostPort("127.0.0.1", port)
	}
	return address
}

func cut(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}
