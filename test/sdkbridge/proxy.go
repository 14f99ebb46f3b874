package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"sync"
)

// fault is a fault of the next matching calls.
type fault struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	How    string `json:"how"`
	Times  int    `json:"times"`
}

// Faults other than a status.
const (
	lostRequest = "lost request"
	lostReply   = "lost reply"
	cutBody     = "cut"
)

// proxy forwards calls of the SDK to the bridge, whose address changes with a restart.
type proxy struct {
	mu     sync.Mutex
	to     *url.URL
	faults []*fault
}

func (g *proxy) set(address string) error {
	to, err := url.Parse(address)
	if err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.to = to
	return nil
}

func (g *proxy) add(f *fault) error {
	if status, err := strconv.Atoi(f.How); f.How != lostRequest && f.How != lostReply && f.How != cutBody && (err != nil || status < 400) {
		return fmt.Errorf("unknown fault %q", f.How)
	}
	f.Times = max(f.Times, 1)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.faults = append(g.faults, f)
	return nil
}

// next returns the target of a call and its fault.
func (g *proxy) next(r *http.Request) (to *url.URL, how string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, f := range g.faults {
		if f.Method != r.Method || f.Path != r.URL.Path {
			continue
		}
		if f.Times--; f.Times == 0 {
			g.faults = slices.Delete(g.faults, i, i+1)
		}
		return g.to, f.How
	}
	return g.to, ""
}

func (g *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	to, how := g.next(r)
	through := &httputil.ReverseProxy{
		Rewrite: func(p *httputil.ProxyRequest) { p.SetURL(to) }, FlushInterval: -1,
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	switch how {
	case "":
		through.ServeHTTP(w, r)
	case lostRequest:
		panic(http.ErrAbortHandler)
	case lostReply:
		through.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	case cutBody:
		whole := httptest.NewRecorder()
		through.ServeHTTP(whole, r)
		w.Header().Set("Content-Type", whole.Header().Get("Content-Type"))
		w.WriteHeader(whole.Code)
		body := whole.Body.Bytes()
		_, _ = w.Write(body[:len(body)/2]) // The connection is closed after this.
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	default:
		status, _ := strconv.Atoi(how) // Validated when the fault was added.
		http.Error(w, "injected status "+how, status)
	}
}
