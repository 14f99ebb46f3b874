package api

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/proof"
)

const sealedToken = "secret-one"

// way is the path between a client and a server.
type way func(r *http.Request) (*http.Response, error)

func (f way) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// sealed returns a client that seals its token.
func (w *fixture) sealed(over way) *client.Client {
	w.t.Helper()
	return w.client(&client.Options{Token: sealedToken, Sealed: true, Tries: 2, HTTP: &http.Client{Transport: over}})
}

func proved(t *testing.T, f func(t *testing.T, w *fixture)) {
	t.Helper()
	bubble(t, agents(access.Agent{Name: "a", Token: "secret-zero", NextToken: sealedToken}), f)
}

func TestSealedTokenAsksAndWaits(t *testing.T) {
	proved(t, func(t *testing.T, w *fixture) {
		sent := ""
		c := w.sealed(func(r *http.Request) (*http.Response, error) {
			sent += r.Header.Get("Authorization")
			return w.http.Transport.RoundTrip(r)
		})
		made, err := c.Submit(t.Context(), database)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			later(10 * time.Minute)
			w.press(made.ID, 0, 0)
		}()
		if r, err := c.Wait(t.Context(), made.ID); err != nil || r.State != ask.Answered {
			t.Errorf("Wait = %+v, %v", r, err)
		}
		// The refusals of the bridge are proved as well, so that clients act on them.
		var p *client.Problem
		if _, err := c.Get(t.Context(), "nothing"); !errors.As(err, &p) || p.Status != http.StatusNotFound {
			t.Errorf("Get = %v", err)
		}
		const input = `{"questions":[{"question":"Which?","header":"H","multiSelect":false,"options":[{"label":"A","description":""},{"label":"B","description":""}]}]}`
		tool, err := c.SubmitTool(t.Context(), client.ToolCall{Dialect: "claude", Input: []byte(input), Request: ask.Request{To: database.To, Key: "k1"}})
		if err != nil || tool.State != ask.Open {
			t.Errorf("SubmitTool = %+v, %v", tool, err)
		}
		if strings.Contains(sent, "secret") || strings.Contains(w.logs.String(), "secret") || !strings.HasPrefix(sent, "Askbridge ") {
			t.Errorf("sent %s", sent)
		}
	})
}

// An impostor listens at the bridge's address.
func TestImpostorGetsNoTokenAndCannotDecide(t *testing.T) {
	proved(t, func(t *testing.T, w *fixture) {
		const answered = `{"id":"x","state":"answered","answers":[{"selected":["Allow"]}],"responders":[],"questions":[],"delivery":[]}`
		for name, reply := range map[string]struct {
			status int
			header http.Header
			body   string
		}{
			"an answer":             {200, http.Header{}, answered},
			"a result":              {200, http.Header{client.HeaderState: {"answered"}, client.HeaderRequestID: {"x"}}, "allow"},
			"a proof of its own":    {200, http.Header{client.HeaderProof: {"AAAA"}, client.HeaderState: {"answered"}}, answered},
			"a refusal":             {404, http.Header{"Content-Type": {"application/problem+json"}}, `{"title":"Not Found","status":404}`},
			"a redirect to another": {307, http.Header{"Location": {"http://elsewhere.example.org/"}}, ""},
		} {
			var seen []string
			c := w.sealed(func(r *http.Request) (*http.Response, error) {
				body, _ := io.ReadAll(r.Body)
				seen = append(seen, r.URL.Host, strings.Join(r.Header["Authorization"], " "), string(body))
				return &http.Response{StatusCode: reply.status, Header: reply.header, Body: io.NopCloser(strings.NewReader(reply.body)), Request: r}, nil
			})
			r, err := c.Submit(t.Context(), database)
			if !errors.Is(err, client.ErrUnproved) || r != nil {
				t.Errorf("%s: Submit = %+v, %v", name, r, err)
			}
			tool, err := c.ToolResult(t.Context(), "x", "claude", []byte("{}"))
			if !errors.Is(err, client.ErrUnproved) || tool != nil {
				t.Errorf("%s: ToolResult = %+v, %v", name, tool, err)
			}
			if s := strings.Join(seen, " "); strings.Contains(s, "secret") || strings.Contains(s, "elsewhere") {
				t.Errorf("%s: it got %s", name, s)
			}
		}
	})
}

// A man in the middle forwards everything, changing one thing.
func TestTamperingIsDetected(t *testing.T) {
	proved(t, func(t *testing.T, w *fixture) {
		direct := w.sealed(w.http.Transport.RoundTrip)
		made, err := direct.Submit(t.Context(), database)
		if err != nil {
			t.Fatal(err)
		}
		var earlier http.Response
		var reply []byte
		if _, err := w.sealed(func(r *http.Request) (*http.Response, error) {
			resp, err := w.http.Transport.RoundTrip(r)
			if err != nil {
				return nil, err
			}
			reply, _ = io.ReadAll(resp.Body)
			earlier, resp.Body = *resp, io.NopCloser(bytes.NewReader(reply))
			return resp, nil
		}).Get(t.Context(), made.ID); err != nil {
			t.Fatal(err)
		}
		for name, over := range map[string]way{
			"the body of a call": func(r *http.Request) (*http.Response, error) {
				body, _ := io.ReadAll(r.Body)
				body = bytes.Replace(body, []byte("too late"), []byte("too l8"), 1)
				r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
				return w.http.Transport.RoundTrip(r)
			},
			"the path of a call": func(r *http.Request) (*http.Response, error) {
				r.URL.Path = "/v1/requests/" + made.ID + "/replay"
				return w.http.Transport.RoundTrip(r)
			},
			"the body of the reply": func(r *http.Request) (*http.Response, error) {
				resp, err := w.http.Transport.RoundTrip(r)
				if err != nil {
					return nil, err
				}
				body, _ := io.ReadAll(resp.Body)
				resp.Body = io.NopCloser(bytes.NewReader(bytes.ReplaceAll(body, []byte(`"cancelled"`), []byte(`"answered"`))))
				return resp, nil
			},
			"the reply for an earlier one": func(*http.Request) (*http.Response, error) {
				again := earlier
				again.Body = io.NopCloser(bytes.NewReader(reply))
				return &again, nil
			},
		} {
			if r, err := w.sealed(over).Cancel(t.Context(), made.ID, "too late"); err == nil || r != nil {
				t.Errorf("%s was changed: %+v", name, r)
			}
		}
		if !strings.Contains(w.logs.String(), "does not belong to this call") {
			t.Error("the bridge took another path")
		}
	})
}

func TestSealExpires(t *testing.T) {
	proved(t, func(t *testing.T, w *fixture) {
		var kept http.Header
		c := w.sealed(func(r *http.Request) (*http.Response, error) {
			kept = r.Header.Clone()
			return w.http.Transport.RoundTrip(r)
		})
		if _, err := c.List(t.Context(), client.ListQuery{}); err != nil {
			t.Fatal(err)
		}
		auth := "Authorization: " + kept.Get("Authorization")
		w.call("", "GET", "/v1/requests", "", auth).want(t, http.StatusOK)
		w.call("", "GET", "/v1/requests?state=answered", "", auth).want(t, http.StatusUnauthorized)
		later(proof.MaxAge + time.Second)
		late := w.call("", "GET", "/v1/requests", "", auth).want(t, http.StatusUnauthorized)
		if !strings.Contains(late.body, "5m0s from the bridge's own clock") || late.Header.Get(client.HeaderProof) == "" {
			t.Errorf("unexpected body %s", late.body)
		}
	})
}

// A wait treats an impostor like a bridge that is down: the bridge may come back.
func TestWaitSurvivesImpostor(t *testing.T) {
	proved(t, func(t *testing.T, w *fixture) {
		impostor := false
		c := w.sealed(func(r *http.Request) (*http.Response, error) {
			if impostor {
				return &http.Response{StatusCode: http.StatusNotFound, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
			}
			return w.http.Transport.RoundTrip(r)
		})
		made, err := c.Submit(t.Context(), database)
		if err != nil {
			t.Fatal(err)
		}
		impostor = true
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if r, err := c.Wait(ctx, made.ID); r != nil || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Wait = %+v, %v", r, err)
		}
		synctest.Wait() // The man in the middle is gone.
		impostor = false
		w.press(made.ID, 0, 0)
		if r, err := c.Wait(t.Context(), made.ID); err != nil || r.State != ask.Answered {
			t.Errorf("Wait = %+v, %v", r, err)
		}
	})
}

// Neither side can tell a wrong token from a wrong bridge, and neither can a retry.
func TestUnknownTokenFailsImmediately(t *testing.T) {
	proved(t, func(t *testing.T, w *fixture) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		calls := 0
		c := w.client(&client.Options{Token: "your-token", Sealed: true, HTTP: &http.Client{Transport: way(func(r *http.Request) (*http.Response, error) {
			calls++
			return w.http.Transport.RoundTrip(r)
		})}})
		for name, ask := range map[string]func() error{
			"a question": func() error { _, err := c.Submit(ctx, database); return err },
			"a wait":     func() error { _, err := c.Wait(ctx, "x"); return err },
			"a list":     func() error { _, err := c.List(ctx, client.ListQuery{}); return err },
		} {
			calls = 0
			err := ask()
			if calls != 1 || !errors.Is(err, client.ErrUnknownToken) || !errors.Is(err, client.ErrUnproved) {
				t.Errorf("%s: %d calls, %v", name, calls, err)
			}
			for _, cause := range []string{"does not know this token", "another program"} {
				if err == nil || !strings.Contains(err.Error(), cause) {
					t.Errorf("%s: %q is not among the causes: %v", name, cause, err)
				}
			}
		}
	})
}

// A recorded call of an operator could be sent again: it replaced or revoked a new token, or restored a revoked one.
func TestSealedTokenCallIsNotReplayable(t *testing.T) {
	ops := access.Agent{Name: "ops", Token: sealedToken, Scopes: []access.Scope{access.ManageTokens}}
	bubble(t, agents(ops), func(t *testing.T, w *fixture) {
		var last func() *http.Response
		c := w.sealed(func(r *http.Request) (*http.Response, error) {
			body, _ := io.ReadAll(r.Body)
			send := func() (*http.Response, error) {
				again := r.Clone(t.Context())
				again.Body = io.NopCloser(bytes.NewReader(body))
				return w.http.Transport.RoundTrip(again)
			}
			last = func() *http.Response {
				resp, err := send()
				if err != nil {
					t.Fatal(err)
				}
				_ = resp.Body.Close()
				return resp
			}
			return send()
		})
		refused := func(what string) {
			t.Helper()
			if resp := last(); resp.StatusCode != http.StatusConflict {
				t.Errorf("%s once more: %s", what, resp.Status)
			}
		}
		made, err := c.CreateToken(t.Context(), client.NewToken{TokenSettings: client.TokenSettings{Name: "bot"}})
		if err != nil {
			t.Fatal(err)
		}
		create := last
		later(proof.MaxAge - time.Second)
		next, err := c.RotateToken(t.Context(), "bot", client.RotateToken{Grace: "0"})
		if err != nil || next.Replaces != made.ID {
			t.Fatalf("RotateToken = %+v, %v", next, err)
		}
		refused("the rotation")
		w.call(next.Secret, "GET", "/v1/token", "").want(t, http.StatusOK)
		if _, err := c.RevokeToken(t.Context(), "bot"); err != nil {
			t.Fatal(err)
		}
		last = create
		refused("the first token")
		if _, err := c.RevokeToken(t.Context(), "bot"); err != nil {
			t.Fatal(err)
		}
		revoke := last
		if made, err = c.CreateToken(t.Context(), client.NewToken{TokenSettings: client.TokenSettings{Name: "bot"}}); err != nil {
			t.Fatal(err)
		}
		last = revoke
		refused("the revocation")
		w.call(made.Secret, "GET", "/v1/token", "").want(t, http.StatusOK)
	})
}
