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
	// callTime bounds one call of a platform.
	callTime = 8 * time.Second
	// maxReply bounds what is read of a reply.
	maxReply = 4 << 20
)

// Reply is what a platform sent back.
type Reply struct {
	Status int
	Header http.Header
	Body   []byte

	// skew is how far the platform's clock is ahead of ours; its Date has whole
	// seconds.
	skew  time.Duration
	dated bool
}

// Into decodes the body; what does not fit stays as it was.
func (r Reply) Into(v any) { _ = json.Unmarshal(r.Body, v) }

// Send makes one call, and follows no redirect. Its error holds no address and no token.
func Send(client *http.Client, r *http.Request) (Reply, error) {
	patient := *client
	// A redirect would carry the token elsewhere.
	patient.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	ctx, cancel := context.WithTimeoutCause(r.Context(), callTime, errors.New("no reply in time"))
	defer cancel()
	began := time.Now()
	resp, err := patient.Do(r.WithContext(ctx))
	if err != nil {
		return Reply{}, Plain(err)
	}
	defer func() { _ = resp.Body.Close() }() // Everything wanted has been read.
	out := Reply{Status: resp.StatusCode, Header: resp.Header}
	arrived := time.Now()
	if at, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
		// The second it was written in, at a moment between asking and hearing.
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

// Plain says why a call failed in few words.
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

// Host is the part of an address that may be shown.
func Host(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "the configured api_url"
	}
	return u.Host
}

// How far clocks may be apart: beyond clockWarn times on cards and in logs
// mislead, and beyond clockBroken the platforms' signatures count as too old
// (https://docs.slack.dev/authentication/verifying-requests-from-slack).
const (
	clockWarn   = 30 * time.Second
	clockBroken = 4 * time.Minute
)

// Clock notes how far this machine's clock is from that of whoever replied. Signed says that what people do arrives with
// a signature that ages.
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
		r.Add(id, Broken, do, "this machine's clock is %s %s %s, so every click is refused: its signature looks too old", apart, way, whose)
	case apart >= clockWarn:
		r.Add(id, Warn, do, "this machine's clock is %s %s %s", apart, way, whose)
	default:
		r.OK(id, "this machine's clock agrees with %s", whose)
	}
}
