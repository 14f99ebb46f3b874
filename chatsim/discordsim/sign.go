package discordsim

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/askbridge/askbridge/chatsim"
)

// Sign returns the signature headers of a request from Discord: a timestamp, and an Ed25519
// signature over it and the raw body.
// https://docs.discord.com/developers/interactions/overview#validating-security-request-headers
func Sign(key ed25519.PrivateKey, at time.Time, body []byte) http.Header {
	stamp := strconv.FormatInt(at.Unix(), 10)
	header := http.Header{}
	header.Set("X-Signature-Timestamp", stamp)
	header.Set("X-Signature-Ed25519", hex.EncodeToString(ed25519.Sign(key, append([]byte(stamp), body...))))
	return header
}

// PrivateKey returns the signing key, for tests that post their own requests.
func (s *Server) PrivateKey() ed25519.PrivateKey { return s.private }

func newKey() ed25519.PrivateKey {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		panic("discordsim: make keys: " + err.Error()) // The system's random source does not fail.
	}
	return private
}

// probeEvery is the number of interactions between two bad signatures. Discord sends them
// occasionally.
// https://docs.discord.com/developers/interactions/overview#setting-up-an-endpoint
const probeEvery = 8

// forgeries are the kinds of bad signatures.
var forgeries = []func(s *Server, body []byte) http.Header{
	func(s *Server, body []byte) http.Header { // one flipped bit
		h := Sign(s.private, time.Now(), body)
		sig, _ := hex.DecodeString(h.Get("X-Signature-Ed25519"))
		sig[0] ^= 1
		h.Set("X-Signature-Ed25519", hex.EncodeToString(sig))
		return h
	},
	func(_ *Server, body []byte) http.Header { // a different key
		return Sign(newKey(), time.Now(), body)
	},
	func(s *Server, body []byte) http.Header { // a different body
		return Sign(s.private, time.Now(), append([]byte(" "), body...))
	},
	func(s *Server, body []byte) http.Header { // a different time
		h := Sign(s.private, time.Now(), body)
		h.Set("X-Signature-Timestamp", strconv.FormatInt(time.Now().Add(time.Hour).Unix(), 10))
		return h
	},
	func(s *Server, body []byte) http.Header { // a truncated signature
		h := Sign(s.private, time.Now(), body)
		h.Set("X-Signature-Ed25519", h.Get("X-Signature-Ed25519")[:64])
		return h
	},
	func(*Server, []byte) http.Header { return http.Header{} }, // no headers
}

// Verify checks the endpoint as Discord does when its URL is saved: it must answer a PING and
// reject bad signatures. An endpoint that fails is removed; one that cannot be reached is not.
// https://docs.discord.com/developers/interactions/overview#setting-up-an-endpoint
func (s *Server) Verify(ctx context.Context) error {
	s.mu.Lock()
	skip := s.endpoint == "" || s.trusted
	s.mu.Unlock()
	if skip {
		return nil
	}
	if err := s.ping(ctx); err != nil {
		return err
	}
	for range forgeries {
		if err := s.probe(ctx); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trusted = true
	return nil
}

// Endpoint returns the URL interactions are posted to, or "" if there is none or it was removed
// for accepting a bad signature.
func (s *Server) Endpoint() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.endpoint
}

func (s *Server) removeEndpoint() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endpoint = ""
}

func (s *Server) pingBody() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return mustJSON(object{
		"id": s.newID(), "application_id": s.opts.Application, "type": pingInteraction, "token": "sim-ping-token", "version": 1,
		"user": s.userJSON("900000000000000001"), "entitlements": []any{}, "authorizing_integration_owners": object{},
		"app_permissions": "0",
	})
}

var errEndpoint = errors.New("the interactions endpoint did not pass the check")

func (s *Server) ping(ctx context.Context) error {
	body := s.pingBody()
	status, kind, answer, err := s.postTo(ctx, body, Sign(s.private, time.Now(), body))
	if err != nil {
		return fmt.Errorf("discordsim: ping: %w", err)
	}
	v, _ := decode(answer)
	o, _ := v.(object)
	if status != http.StatusOK || kind != "application/json" || integer(o, "type", 0) != pingInteraction {
		s.violate(rulePing, "PING", "answered with status %d, Content-Type %q and %q", status, kind, answer)
		s.removeEndpoint()
		return fmt.Errorf("discordsim: ping: %w", errEndpoint)
	}
	return nil
}

// probe posts a request with a bad signature.
func (s *Server) probe(ctx context.Context) error {
	s.mu.Lock()
	forge := forgeries[s.probes%len(forgeries)]
	s.probes++
	s.mu.Unlock()
	body := s.pingBody()
	status, _, _, err := s.postTo(ctx, body, forge(s, body))
	if err != nil {
		return fmt.Errorf("discordsim: probe: %w", err)
	}
	if status != http.StatusUnauthorized {
		s.violate(ruleSignature, "probe", "answered with status %d", status)
		s.removeEndpoint()
		return fmt.Errorf("discordsim: probe: %w", errEndpoint)
	}
	return nil
}

// postTo posts a body to the endpoint.
func (s *Server) postTo(ctx context.Context, body []byte, signed http.Header) (status int, kind string, answer []byte, err error) {
	s.mu.Lock()
	to, client := s.endpoint, s.requests
	s.mu.Unlock()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to, strings.NewReader(string(body)))
	if err != nil {
		return 0, "", nil, fmt.Errorf("post: %w", err)
	}
	req.Header = signed
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "Discord-Interactions/1.0 (+https://discord.com)")
	strict := *client
	strict.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := strict.Do(req)
	if err != nil {
		return 0, "", nil, fmt.Errorf("post: %w", err)
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(resp.Body)
	if err != nil {
		return 0, "", nil, fmt.Errorf("post: read the answer: %w", err)
	}
	kind, _, _ = mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return resp.StatusCode, kind, answer, nil
}

// deliverHTTP posts an interaction. The response is the first response, or 202 if that is sent
// through the callback route.
// https://docs.discord.com/developers/interactions/receiving-and-responding#responding-to-an-interaction
func (s *Server) deliverHTTP(name string, i *interaction, raw []byte) error {
	ctx, cancel := context.WithTimeout(s.service.Life(), s.opts.Patience)
	defer cancel()
	if err := s.Verify(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	s.deliveries++
	due := s.deliveries%probeEvery == 0
	s.mu.Unlock()
	if due {
		if err := s.probe(ctx); err != nil {
			return err
		}
	}
	status, kind, answer, err := s.postTo(ctx, raw, Sign(s.private, time.Now(), raw))
	switch {
	case err != nil:
		if ctx.Err() != nil {
			return nil // The waiting caller reports the timeout.
		}
		return err
	case status == http.StatusAccepted:
		return nil
	case status != http.StatusOK, kind != "application/json":
		s.violate(ruleStatus, name, "answered with status %d and Content-Type %q", status, kind)
		return fmt.Errorf("discordsim: deliver %s: status %d", name, status)
	}
	v, err := decode(answer)
	body, isObject := v.(object)
	if err != nil || !isObject {
		s.violate(ruleJSON, name, "the answer is no JSON object: %v", err)
		return fmt.Errorf("discordsim: deliver %s: %w", name, errEndpoint)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i.response = answer
	if i.deaf {
		return nil
	}
	defer s.changed.Notify()
	if refused := s.respond(i, name, body, nil); refused != nil {
		s.record(chatsim.Event{Kind: chatsim.Refused, Where: name, Text: refused.Error()})
		return refused
	}
	return nil
}
