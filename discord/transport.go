package discord

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/render"
)

const (
	// maxReply limits the size of a response.
	maxReply = 8 << 20
	// maxRefusal limits the size of an error response.
	maxRefusal = 64 << 10
	// maxDetail is the number of characters kept of Discord's details about a rejected card.
	maxDetail = 300
)

// callTransport is the HTTP transport of one call: it rewrites the URL to the configured address and
// records the result.
type callTransport struct {
	to   *address
	next http.RoundTripper
	// refused is Discord's error response; nil for success or no response.
	refused *refusal
	quota   quota
}

// RoundTrip makes the call.
func (t *callTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL = t.to.lead(r.URL)
	r.Host = ""
	resp, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	h := resp.Header
	if left, err := strconv.Atoi(h.Get("X-Ratelimit-Remaining")); err == nil {
		limit, _ := strconv.Atoi(h.Get("X-Ratelimit-Limit")) // 0 means unknown.
		t.quota = quota{limit, max(left, 0), seconds(h.Get("X-Ratelimit-Reset-After"))}
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		body, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusal)) // A partial body is sufficient.
		_ = resp.Body.Close()
		t.refused = refusalOf(resp.StatusCode, h, body)
		t.refused.quota = t.quota
		resp.Body = io.NopCloser(bytes.NewReader(body))
	}
	for name := range h {
		if strings.HasPrefix(name, "X-Ratelimit-") {
			delete(h, name) // The limiter applies them; discordgo would wait without a context.
		}
	}
	resp.Body = limited{io.LimitReader(resp.Body, maxReply), resp.Body}
	return resp, nil
}

type limited struct {
	io.Reader
	io.Closer
}

// refusal is an error response.
type refusal struct {
	status int
	// code is Discord's error code, 0 for none
	// (https://docs.discord.com/developers/topics/opcodes-and-status-codes#json).
	code       int
	message    string
	detail     string
	retryAfter time.Duration
	global     bool
	quota
}

func (r *refusal) Error() string {
	text := fmt.Sprintf("HTTP %d", r.status)
	if r.code != 0 {
		text += fmt.Sprintf(", code %d", r.code)
	}
	if r.message != "" {
		text += ": " + r.message
	}
	if r.detail != "" {
		text += ": " + r.detail
	}
	return text
}

func refusalOf(status int, h http.Header, body []byte) *refusal {
	var reply struct {
		Code       json.RawMessage `json:"code"`
		Message    string          `json:"message"`
		Errors     json.RawMessage `json:"errors"`
		RetryAfter float64         `json:"retry_after"`
		Global     bool            `json:"global"`
	}
	r := &refusal{status: status}
	ours := connector.ReadLoosely(body, &reply) == nil
	if code, err := strconv.Atoi(string(reply.Code)); ours && err == nil {
		r.code = code
	}
	r.message = render.Cut(render.Line(reply.Message), maxDetail, nil)
	r.detail = render.Cut(render.Line(strings.Join(complaints("", reply.Errors, nil), "; ")), maxDetail, nil)
	if status == http.StatusTooManyRequests {
		r.retryAfter = max(duration(reply.RetryAfter), seconds(h.Get("Retry-After")))
		// A response without Discord's error body comes from the edge and applies to all calls.
		r.global = reply.Global || h.Get("X-Ratelimit-Global") != "" || !ours || reply.Message == ""
	}
	return r
}

// complaints flattens Discord's errors for the members of a rejected body, such as
// components.0.label: Must be 80 or fewer in length.
func complaints(path string, raw json.RawMessage, found []string) []string {
	const most = 3
	var members map[string]json.RawMessage
	if len(found) >= most || len(raw) == 0 || json.Unmarshal(raw, &members) != nil {
		return found
	}
	var here []struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	}
	if json.Unmarshal(members["_errors"], &here) == nil && len(here) > 0 {
		return append(found, strings.TrimPrefix(path, ".")+": "+here[0].Message+" ("+here[0].Code+")")
	}
	for _, name := range sortedKeys(members) {
		found = complaints(path+"."+name, members[name], found)
	}
	return found
}

// seconds parses a header such as "1.5".
func seconds(text string) time.Duration {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0
	}
	return duration(n)
}

// duration rounds up, so that a call is never too early. It is capped at a day.
func duration(n float64) time.Duration {
	if math.IsNaN(n) || n <= 0 {
		return 0
	}
	return time.Duration(math.Ceil(min(n, 24*60*60)*1000)) * time.Millisecond
}

func sortedKeys[K interface{ ~int | ~string }, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
