package app

import (
	"log/slog"
	"net/http"
	"path"
	"time"

	"golang.org/x/time/rate"

	"github.com/askbridge/askbridge/internal/app/provider"
)

const (
	// misdirectedEvery is the minimum time between two warnings about a platform's misdirected
	// callbacks, which anyone can send.
	misdirectedEvery = time.Minute
	// maxShownPath limits the path in such a warning.
	maxShownPath = 100
)

// callbacks serves the platforms' requests before everything else at an address. Platforms do not
// follow redirects, so a path with extra slashes, which [http.ServeMux] would redirect, is served
// directly.
type callbacks struct {
	platforms []*callback
	next      http.Handler
	log       *slog.Logger
	pages     map[string]http.Handler // over which apps are installed
}

// callback is the path of one platform.
type callback struct {
	platform, path string
	// signature is the header that identifies the platform's requests; empty if there is none.
	signature string
	handler   http.Handler // Nil if the platform is not served at this address.
	// hint is what to configure so that the platform's requests arrive.
	hint   string
	warned rate.Sometimes
}

// callbacks serves the platforms' callbacks at an address if here is set. Otherwise it only warns about
// misdirected ones.
func (a *App) callbacks(next http.Handler, here bool) *callbacks {
	c := &callbacks{next: next, log: a.log}
	for _, b := range a.opts.Platforms {
		at := &callback{
			platform: b.Name, path: provider.Callback(b.Name), signature: b.Signature,
			hint:   b.Name + " is not configured",
			warned: rate.Sometimes{Interval: misdirectedEvery},
		}
		if p := a.configured(b.Name); p != nil {
			at.hint = "the path is " + at.path
			if here {
				at.handler = p.Handler()
				if installer, ok := p.Connector.(provider.Installer); ok {
					c.pages = installer.Pages()
				}
			} else {
				at.hint += ", at the address under callbacks"
			}
		}
		c.platforms = append(c.platforms, at)
	}
	return c
}

// ServeHTTP implements [http.Handler].
func (c *callbacks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	at := path.Clean(r.URL.Path)
	for _, p := range c.platforms {
		switch {
		case at == p.path && p.handler != nil:
			p.handler.ServeHTTP(w, r)
			return
		case p.signature != "" && r.Header.Get(p.signature) != "":
			p.warned.Do(func() {
				shown := r.URL.Path[:min(len(r.URL.Path), maxShownPath)]
				c.log.Warn("platform posted to the wrong place", "platform", p.platform, "path", shown, "reason", p.hint)
			})
			http.NotFound(w, r)
			return
		}
	}
	if page := c.pages[r.URL.Path]; page != nil {
		page.ServeHTTP(w, r)
		return
	}
	c.next.ServeHTTP(w, r)
}
