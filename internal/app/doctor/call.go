package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"
)

const (
	// callTime limits one call to a platform.
	callTime = 8 * time.Second
	// maxReply limits the size of a response.
	maxReply = 4 << 20
)

// Reply is a platform's response.
type Reply struct {
	Status int
	Header http.Header
	Body   []byte

	// skew is how far the platform's clock is ahead of ours; its Date has whole seconds.
	skew  time.Duration
	dated bool
}

// Into decodes the body; members that do not match stay unchanged.
func (r Reply) Into(v any) { _ = json.Unmarshal(r.Body, v) }

// Send makes one call without following redirects. Its error contains no address and no token.
func Send(client *http.Client, r *http.Request) (Reply, error) {
	patient := *client
	// A redirect would send the token elsewhere.
	patient.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	ctx, cancel := context.WithTimeoutCause(r.Context(), callTime, errors.New("no reply in time"))
	defer cancel()
	began := time.Now()
	resp, err := patient.Do(r.WithContext(ctx))
	if err != nil {
		return Reply{}, Plain(err)
	}
	defer func() { _ = resp.Body.Close() }() // Everything needed was read.
	out := Reply{Status: resp.StatusCode, Header: resp.Header}
	arrived := time.Now()
	if at, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
		// The server wrote the second at some time between request and response.
		out.dated = true
		if latest := at.Add(time.Second); latest.Before(began) {
			out.skew = latest.Sub(began)
		} else if at.After(arrived) {
			out.skew = at.Sub(arrived)
		}
	}
	if out.Body, err = io.ReadAll(io.LimitReader(resp.Body, maxReply)); err != nil {
		return Reply{}, Plain(err)
	}
	return out, nil
}

// Plain returns a short reason for a failed call.
func Plain(err error) error {
	if address, ok := errors.AsType[*url.Error](err); ok {
		err = address.Err
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return fmt.Errorf("no address for %s", dns.Name)
	}
	if dial, ok := errors.AsType[*net.OpError](err); ok {
		return fmt.Errorf("%s: %w", dial.Op, dial.Err)
	}
	return err
}

// Host returns the part of an address that may be shown.
func Host(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "the configured api_url"
	}
	return u.Host
}

// How far clocks may differ: beyond clockWarn, times on cards and in logs mislead; beyond clockBroken,
// signatures of the platforms count as expired
// (https://docs.slack.dev/authentication/verifying-requests-from-slack).
const (
	clockWarn   = 30 * time.Second
	clockBroken = 4 * time.Minute
)

// Clock reports how far this machine's clock is from that of a server. Signed means that interactions
// arrive with signatures that expire.
func (r *Report) Clock(id, whose string, from Reply, signed bool) {
	if from.dated {
		r.skew(id, whose, from.skew, signed)
	}
}

func (r *Report) skew(id, whose string, skew time.Duration, signed bool) {
	const do = "Set this machine's clock, and keep it set: timedatectl set-ntp true, chrony or the like."
	apart := skew.Abs().Round(time.Second)
	way := "behind"
	if skew < 0 {
		way = "ahead of"
	}
	switch {
	case apart >= clockBroken && signed:
		r.Add(id, Broken, do, "this machine's clock is %s %s %s, so every click is rejected: its signature looks expired", apart, way, whose)
	case apart >= clockWarn:
		r.Add(id, Warn, do, "this machine's clock is %s %s %s", apart, way, whose)
	default:
		r.OK(id, "this machine's clock agrees with %s", whose)
	}
}
