package pager

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Exchange is a double of the service behind the connector. It has one line, number 7.
type Exchange struct {
	// Key is the shared secret; Bridge is the address that calls are forwarded to.
	Key, Bridge string

	mu    sync.Mutex
	pages []page
}

// ServeHTTP accepts pages.
func (e *Exchange) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /lines/{line}", func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("line") != "7" {
			w.WriteHeader(http.StatusNotFound)
		}
	})
	mux.HandleFunc("POST /pages", e.take)
	mux.HandleFunc("PUT /pages/{message}", e.take)
	mux.ServeHTTP(w, r)
}

func (e *Exchange) take(w http.ResponseWriter, r *http.Request) {
	var p page
	err := json.NewDecoder(r.Body).Decode(&p)
	switch {
	case r.Header.Get("Authorization") != e.Key || err != nil:
		w.WriteHeader(http.StatusForbidden)
		return
	case p.Line != "7":
		w.WriteHeader(http.StatusNotFound)
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	n := len(e.pages)
	if message := r.PathValue("message"); message == "" {
		e.pages = append(e.pages, p)
	} else if n, err = strconv.Atoi(message); err != nil || n >= len(e.pages) {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	e.pages[n] = p
	_ = json.NewEncoder(w).Encode(map[string]string{"message": strconv.Itoa(n)})
}

// Text returns the text of the newest page.
func (e *Exchange) Text() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.pages) == 0 {
		return ""
	}
	return e.pages[len(e.pages)-1].Text
}

// Call calls the number of a choice of the newest page, and returns what the caller hears.
func (e *Exchange) Call(ctx context.Context, caller, label string) (string, error) {
	e.mu.Lock()
	newest := len(e.pages) - 1
	if newest < 0 {
		e.mu.Unlock()
		return "", fmt.Errorf("pager: no page")
	}
	p := e.pages[newest]
	e.mu.Unlock()
	i := slices.IndexFunc(p.Choices, func(c choice) bool { return c.Label == label })
	if i < 0 {
		return "", fmt.Errorf("pager: the page has no %q: %+v", label, p)
	}
	now := time.Now().UnixNano()
	body, err := json.Marshal(callBack{
		ID: strconv.FormatInt(now, 36), At: now, Caller: caller, Line: p.Line, Message: strconv.Itoa(newest), Token: p.Choices[i].Token,
	})
	if err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.Bridge, bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", e.Key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	heard, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("pager: call back: %s", resp.Status)
	}
	return string(heard), err
}
