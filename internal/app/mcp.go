package app

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/askbridge/askbridge/api"
	"github.com/askbridge/askbridge/mcpserver"
)

// MCP is where MCP clients find the tools, over streamable HTTP.
const MCP = "/mcp"

// mcp makes the MCP server. Its calls go through the HTTP API with the caller's own token, inside the process, so that one
// place decides who may ask what, where and how much.
func (a *App) mcp(handler *api.Handler) (*mcpserver.Server, error) {
	client, err := api.NewClient("http://localhost", &api.ClientOptions{HTTP: &http.Client{Transport: inside{handler}}})
	if err != nil {
		return nil, fmt.Errorf("app: mcp: %w", err)
	}
	return mcpserver.New(mcpserver.Remote(client), &mcpserver.Options{
		AnyPlace: true, MaxQuestions: a.cfg.MaxQuestions, MaxOptions: a.cfg.MaxOptions, Authenticated: true, Version: a.opts.Version, Logger: a.log,
	})
}

type tokenKey struct{}

// withToken remembers the caller's Authorization header for the calls made on its behalf.
func withToken(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), tokenKey{}, r.Header.Get("Authorization"))))
	})
}

// inside makes calls to a handler of this process.
type inside struct{ h http.Handler }

// RoundTrip implements [http.RoundTripper].
func (t inside) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	if token, ok := req.Context().Value(tokenKey{}).(string); ok && token != "" {
		req.Header.Set("Authorization", token)
	}
	req.Host, req.RequestURI = req.URL.Host, req.URL.RequestURI()
	if req.Body == nil {
		req.Body = http.NoBody
	}
	w := &reply{header: http.Header{}, status: http.StatusOK}
	t.h.ServeHTTP(w, req)
	if err := req.Context().Err(); err != nil {
		return nil, context.Cause(req.Context())
	}
	return &http.Response{
		StatusCode: w.status, Status: http.StatusText(w.status), Header: w.header, Request: req,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len()),
	}, nil
}

// reply collects a response.
type reply struct {
	header http.Header
	status int
	body   bytes.Buffer
	sent   bool
}

func (w *reply) Header() http.Header { return w.header }

func (w *reply) WriteHeader(status int) {
	if !w.sent {
		w.status, w.sent = status, true
	}
}

func (w *reply) Write(p []byte) (int, error) {
	w.sent = true
	return w.body.Write(p)
}
