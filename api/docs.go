package api

import (
	"bytes"
	"embed"
	"io/fs"
	"net/http"
	"path"
	"strings"
)

// docs is the API reference page, which renders the OpenAPI document: three files, no external
// resources.
//
//go:embed docs
var docs embed.FS

// console is the web console, which displays data of the API. It holds no credentials: the user
// enters a token, or uses a machine where none is required.
//
//go:embed console
var console embed.FS

// refusedPage explains why a sign-in failed; {reason} is replaced.
//
//go:embed refused.html
var refusedPage string

// docsPolicy allows the browser to load only the page's own files and the document, and makes
// any conversion of text to markup an error.
var docsPolicy = strings.Join([]string{
	"default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'",
	"base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
	"require-trusted-types-for 'script'", "trusted-types 'none'",
}, "; ")

// docsKinds are the content types of the page's files; the system's table differs between
// machines.
var docsKinds = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml",
}

// mountPages serves the API reference under /docs and the console under /console.
func (h *Handler) mountPages() {
	h.mountSignIn()
	for name, files := range map[string]fs.FS{"docs": docs, "console": console} {
		rt := route{path: "/" + name, open: true, quiet: true, serve: func(x *exchange) error { return servePage(x, files, name) }}
		serve := func(w http.ResponseWriter, r *http.Request) { h.service.serve(&rt, w, r) }
		h.mux.HandleFunc("GET /"+name, serve)
		h.mux.HandleFunc("GET /"+name+"/{file}", serve)
	}
}

// servePage serves a file of a page.
func servePage(x *exchange, files fs.FS, of string) error {
	name := x.r.PathValue("file")
	if name == "" {
		name = "index.html"
	}
	data, err := fs.ReadFile(files, of+"/"+name)
	if err != nil {
		return problem(http.StatusNotFound, "not found; the page is at /%s", of)
	}
	if x.s.entrance.Load().gate.Anonymous() == nil {
		data = bytes.Replace(data, []byte(`data-tokens="optional"`), []byte(`data-tokens="needed"`), 1)
	}
	if x.s.opts.SignIn != nil {
		data = bytes.Replace(data, []byte(`data-sign-in="off"`), []byte(`data-sign-in="on"`), 1)
	}
	x.w.Header().Set("Content-Security-Policy", docsPolicy)
	x.w.Header().Set("Referrer-Policy", "no-referrer")
	x.send(http.StatusOK, docsKinds[path.Ext(name)], data)
	return nil
}
