package api

import (
	"embed"
	"io/fs"
	"net/http"
	"path"
	"strings"
)

// docs is a page that draws the OpenAPI document: three files, nothing from
// elsewhere.
//
//go:embed docs
var docs embed.FS

// docsPolicy lets the browser load the page's own files and the document, and
// turns any use of markup from text into an error.
var docsPolicy = strings.Join([]string{
	"default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'",
	"base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
	"require-trusted-types-for 'script'", "trusted-types 'none'",
}, "; ")

// docsKinds are the content types of the page's files; the system's table
// differs between machines.
var docsKinds = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml",
}

// mountDocs serves the page under /docs.
func (h *Handler) mountDocs() {
	rt := route{path: "/docs", open: true, quiet: true, serve: (*exchange).docs}
	serve := func(w http.ResponseWriter, r *http.Request) { h.serve(&rt, w, r) }
	h.mux.HandleFunc("GET /docs", serve)
	h.mux.HandleFunc("GET /docs/{file}", serve)
}

func (x *exchange) docs() error {
	name := x.r.PathValue("file")
	if name == "" {
		name = "index.html"
	}
	data, err := fs.ReadFile(docs, "docs/"+name)
	if err != nil {
		return problem(http.StatusNotFound, "there is nothing here; /docs is the page")
	}
	x.w.Header().Set("Content-Security-Policy", docsPolicy)
	x.w.Header().Set("Referrer-Policy", "no-referrer")
	x.send(http.StatusOK, docsKinds[path.Ext(name)], data)
	return nil
}
