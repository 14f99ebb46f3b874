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

// examineServe looks at the addresses and at who may use them. Where the store is idle, an
// askbridge that runs is another one.
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
				r.OK(own.id, "%s is taken, as it has to be while askbridge runs", own.address)
			} else {
				r.Add(own.id, Broken, "End it, or give "+own.whose+" another address.", "another program has %s", own.address)
			}
		})
	}
	if n := len(cfg.Agents); n > 0 {
		r.OK("agents", "%d with tokens", n)
		return
	}
	if cfg.RequireTokens {
		r.OK("agents", "none are listed, and nobody calls without a token that askbridge token has made")
		return
	}
	r.Add("agents", Note, "List them under agents, each with a token, before anybody else can reach this address.",
		"none are listed: everybody on this machine may ask")
}

// examineAddress looks at an address; taken does where somebody has it.
func examineAddress(ctx context.Context, r *Report, id, address string, taken func()) {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", address)
	switch {
	case err == nil:
		_ = ln.Close() // It was only to see whether the address is free.
		r.OK(id, "%s is free", address)
	case errors.Is(err, syscall.EADDRINUSE):
		taken()
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		r.Add(id, Broken, "Name an address of this machine, or leave out the host to listen on all of them.",
			"%s is not an address of this machine", address)
	case errors.Is(err, syscall.EACCES):
		r.Add(id, Broken, "Take a port above 1023, or let the service manager hand out the right.",
			"this user may not listen on %s", address)
	default:
		r.Add(id, Broken, "Write an address and a port, such as 127.0.0.1:8080.", "cannot listen on %s: %v", address, Plain(err))
	}
}

// examineRunning asks whoever has the address whether it is askbridge, and reports whether
// it is that of this configuration.
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
		r.Add(id, Broken, "End it, or give askbridge another address.", "another program has %s", address)
		return false
	}
	if idle {
		r.Add(id, Broken, "End it, or set listen to another address. If it is the right one, run doctor in its folder, or write all of store.path.",
			"another askbridge (the simulator?) has %s: nobody has this one's store open", address)
		return false
	}
	ready, err := ask("/readyz")
	switch {
	case err == nil && ready.Status == http.StatusOK:
		r.OK(id, "askbridge runs on %s and is ready", address)
	case err == nil:
		r.Add(id, Broken, "Its log says more; what is found below may be why.", "askbridge runs on %s and is not ready: %s",
			address, strings.Join(strings.Fields(cut(string(ready.Body), 300)), " "))
	default:
		r.Add(id, Broken, "Its log says more.", "askbridge runs on %s and does not answer: %v", address, err)
	}
	return true
}

// reachable is an address of this machine for one that stands for all.
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
