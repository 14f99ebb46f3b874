package slacksim

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/askbridge/askbridge/chatsim"
)

// Sign returns the signature headers of a request from Slack: a timestamp, and an HMAC over it
// and the raw body. https://docs.slack.dev/authentication/verifying-requests-from-slack
func Sign(secret string, at time.Time, body []byte) http.Header {
	stamp := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("v0:" + stamp + ":"))
	mac.Write(body)
	header := http.Header{}
	header.Set("X-Slack-Request-Timestamp", stamp)
	header.Set("X-Slack-Signature", "v0="+hex.EncodeToString(mac.Sum(nil)))
	return header
}

// SigningSecret returns the secret for checking signatures.
func (a *App) SigningSecret() string { return a.opts.SigningSecret }

// deliverHTTP delivers a payload to the request URL and returns the response body.
func (s *Server) deliverHTTP(ctx context.Context, kind string, payload []byte) ([]byte, error) {
	s.mu.Lock()
	to, client := s.requestURL, s.requests
	s.mu.Unlock()
	body := []byte(encode(kind, payload))
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to, strings.NewReader(string(body)))
	if err != nil {
		return nil, fmt.Errorf("slacksim: deliver %s: %w", kind, err)
	}
	req.Header = Sign(s.opts.SigningSecret, time.Now(), body)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("User-Agent", "Slackbot 1.0 (+https://api.slack.com/robots)")
	strict := *client
	strict.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := strict.Do(req)
	if err != nil {
		return nil, s.undelivered(ctx, kind, err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, s.undelivered(ctx, kind, err)
	}
	if resp.StatusCode != http.StatusOK {
		s.violate(ackStatus, kind, "answered with HTTP status %d", resp.StatusCode)
		return nil, fmt.Errorf("slacksim: deliver %s: HTTP status %d: %w", kind, resp.StatusCode, chatsim.ErrUnacknowledged)
	}
	return answer, nil
}

// undelivered classifies a failed delivery: a slow app broke a rule, an unreachable one did
// not.
func (s *Server) undelivered(ctx context.Context, kind string, err error) error {
	if errors.Is(context.Cause(ctx), errLate) {
		s.violate(ackInTime, kind, "no acknowledgement within %v", s.opts.Patience)
		err = errLate
	}
	return fmt.Errorf("slacksim: deliver %s: %w: %w", kind, chatsim.ErrUnacknowledged, err)
}
