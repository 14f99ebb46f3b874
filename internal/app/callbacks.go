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
	// misdirectedEvery is the least time between two warnings about one platform's misdirected callbacks, since anyone can send them.
	misdirectedEvery = time.Minute
	// maxShownPath is how many bytes of a path such a warning repeats.
	maxShownPath = 100
)

// callbacks serves what platforms post, in front of everything else at an address. Platforms follow no redirects, so a path
// with too many slashes, which [http.ServeMux] would redirect, is served where it is.
type callbacks struct {
	platforms []*callback
	next      http.Handler
	log       *slog.Logger
}

// callback is where one platform posts.
type callback struct {
	platform, path string
	// signature is the header that tells the platform's requests from others; empty where there is none.
	signature string
	handler   http.Handler // nil where nothing is served for the platform at this address
	// hint says what to set so that the platform's requests arrive.
	hint   string
	warned rate.Sometimes
}

// callbacks puts the callbacks of the platforms in front of what is served at an address, if here is set, and otherwise only
// warnings about those that arrive at the wrong one.
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
	c.next.ServeHTTP(w, r)
}
