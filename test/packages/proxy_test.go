//go:build packages

package packages

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/test/need"
)

// freePort returns a port that was free a moment ago.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// proxied is a proxy that runs with the file of this repository, in front of two servers that stand for the addresses of
// askbridge. Its names are served on one port, without TLS.
type proxied struct {
	*testing.T

	port string
	gone chan struct{} // gets a value when the proxy ends the stream of an agent that is gone
}

// startProxy writes the file with the addresses of this test and starts the proxy.
func startProxy(t *testing.T, file string, rewrite func(text, port string) string, start func(dir, config string) *exec.Cmd) proxied {
	t.Helper()
	p := proxied{T: t, port: freePort(t), gone: make(chan struct{}, 1)}
	agents := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		stream := strings.HasSuffix(r.URL.Path, "/events")
		if stream {
			w.Header().Set("Content-Type", "text/event-stream")
		}
		_, _ = io.WriteString(w, "agents "+r.Host+" "+r.Header.Get("X-Forwarded-For")+"\n")
		_ = http.NewResponseController(w).Flush()
		if stream {
			select {
			case <-r.Context().Done():
				p.gone <- struct{}{}
			case <-time.After(20 * time.Second):
			}
		}
	}))
	callbacks := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		_, _ = io.WriteString(w, "callbacks "+r.Header.Get("X-Slack-Signature")+" "+string(body)+"\n")
	}))
	t.Cleanup(agents.Close)
	t.Cleanup(callbacks.Close)
	text := strings.NewReplacer("127.0.0.1:8080", agents.Listener.Addr().String(), "127.0.0.1:8081", callbacks.Listener.Addr().String()).
		Replace(read(t, filepath.Join(root(t), "deploy", "proxy", file)))
	dir := t.TempDir()
	config := filepath.Join(dir, file)
	if err := os.WriteFile(config, []byte(rewrite(text, p.port)), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := start(dir, config)
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	return p
}

// call makes a call under a name, as soon as the proxy listens, and returns the status and the first line of the body.
func (p proxied) call(method, host, path string) (status int, line string) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.Context(), 30*time.Second)
	defer cancel()
	for ctx.Err() == nil {
		req, err := http.NewRequestWithContext(ctx, method, "http://127.0.0.1:"+p.port+path, strings.NewReader("payload=x"))
		if err != nil {
			p.Fatal(err)
		}
		req.Host = host
		req.Header.Set("X-Slack-Signature", "v0=1")
		req.Header.Set("X-Forwarded-For", "203.0.113.9")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			continue
		}
		line, err := bufio.NewReader(resp.Body).ReadString('\n')
		_ = resp.Body.Close()
		if err != nil && !errors.Is(err, io.EOF) {
			p.Fatal(err)
		}
		return resp.StatusCode, strings.TrimSpace(line)
	}
	p.Fatalf("%s %s%s: no reply", method, host, path)
	return 0, ""
}

// TestProxies runs Caddy and nginx with the files of the recipe.
func TestProxies(t *testing.T) {
	t.Parallel()
	const callbacks, agents = "ask-callbacks.example.com", "ask.example.com"
	for name, start := range map[string]func(t *testing.T) proxied{
		"caddy": func(t *testing.T) proxied {
			return startProxy(t, "Caddyfile", func(text, port string) string {
				text = strings.NewReplacer(callbacks+" {", "http://"+callbacks+":"+port+" {", agents+" {", "http://"+agents+":"+port+" {").Replace(text)
				return "{\n\tadmin off\n\tauto_https off\n}\n" + text
			}, func(_, config string) *exec.Cmd {
				return exec.Command(need.Binary(t, "caddy"), "run", "--adapter", "caddyfile", "--config", config)
			})
		},
		"nginx": func(t *testing.T) proxied {
			return startProxy(t, "nginx.conf", func(text, port string) string {
				dir := t.TempDir()
				text = strings.ReplaceAll(text, "listen 443 ssl;", "listen 127.0.0.1:"+port+";")
				temp := ""
				for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
					temp += kind + "_temp_path " + filepath.Join(dir, kind) + ";\n"
				}
				return "daemon off;\nmaster_process off;\nerror_log stderr;\npid " + filepath.Join(dir, "pid") + ";\nevents {}\nhttp {\naccess_log off;\n" + temp + text + "}\n"
			}, func(dir, config string) *exec.Cmd {
				return exec.Command(need.Binary(t, "nginx"), "-p", dir, "-e", "stderr", "-c", config)
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t)
			for _, tt := range []struct {
				host, path string
				status     int
				line       string
			}{
				{callbacks, "/slack/interactions", 200, "callbacks v0=1 payload=x"},
				{callbacks, "/discord/interactions", 200, "callbacks v0=1 payload=x"},
				{callbacks, "/v1/requests", 404, ""},
				{callbacks, "/", 404, ""},
				{agents, "/v1/requests", 200, "agents " + agents + " 127.0.0.1"},
				{agents, "/v1/requests/r1/events", 200, "agents " + agents + " 127.0.0.1"}, // While the stream stays open.
			} {
				status, line := p.call(http.MethodPost, tt.host, tt.path)
				if status != tt.status || tt.status == 200 && line != tt.line {
					t.Errorf("%s%s: %d %q, want %d %q", tt.host, tt.path, status, line, tt.status, tt.line)
				}
			}
			select {
			case <-p.gone:
			case <-time.After(10 * time.Second):
				t.Error("the proxy keeps the call of an agent that is gone")
			}
		})
	}
}
