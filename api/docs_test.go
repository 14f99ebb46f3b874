package api

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/access"
)

func TestPagesServeOnlyTheirFiles(t *testing.T) {
	bubble(t, &settings{Agents: []access.Agent{{Name: "bot", Token: "token-of-at-least-16"}}}, func(t *testing.T, w *fixture) {
		files := map[string]string{}
		for _, path := range []string{"docs", "console"} {
			page := w.call("", "GET", "/"+path, "").want(t, http.StatusOK)
			own := regexp.MustCompile(`(?:src|href)="(`+path+`/[^"]+\.[a-z]+)"`).FindAllStringSubmatch(page.body, -1)
			if len(own) != 3 {
				t.Errorf("the page %s has the files %v", path, own)
			}
			files["/"+path] = page.body
			for _, name := range own {
				files["/"+name[1]] = w.call("", "GET", "/"+name[1], "").want(t, http.StatusOK).body
			}
		}
		for name, text := range files {
			// The policy already blocks other origins. The page must not try to reach them either.
			if regexp.MustCompile(`https?://[^w]|innerHTML|\beval\b| on[a-z]+="| style="`).MatchString(text) {
				t.Errorf("%s reaches outside or makes markup of text", name)
			}
		}
	})
}

func TestReferenceContentSecurityPolicy(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		for path, kind := range map[string]string{
			"/docs": "text/html; charset=utf-8", "/docs/docs.js": "text/javascript; charset=utf-8", "/docs/docs.css": "text/css; charset=utf-8",
		} {
			r := w.call("", "GET", path, "").want(t, http.StatusOK)
			policy := r.Header.Get("Content-Security-Policy")
			if !strings.HasPrefix(policy, "default-src 'none'; ") || strings.Contains(policy, "unsafe") || !strings.Contains(policy, "frame-ancestors 'none'") {
				t.Errorf("%s: the policy is %q", path, policy)
			}
			if got := r.Header.Get("Content-Type"); got != kind {
				t.Errorf("%s is %q", path, got)
			}
		}
		for _, path := range []string{"/docs/index.htm", "/docs/..%2fdocs.go", "/docs/docs.js/x"} {
			w.call("", "GET", path, "").want(t, http.StatusNotFound)
		}
	})
}
