package webhook

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

func TestReceiverRejectsForeignCalls(t *testing.T) {
	t.Parallel()
	const body = `{"type":"request.answered"}`
	now := time.Now()
	for _, tt := range []struct {
		name    string
		secrets []string
		at      time.Time
		spoil   func(h http.Header)
		body    string
		want    error
	}{
		{name: "ours", secrets: []string{secret}},
		{name: "ours, while the receiver knows two secrets", secrets: []string{older, secret}},
		{name: "with the signature of a newer secret before it", secrets: []string{secret}, spoil: func(h http.Header) {
			h.Set("webhook-signature", "v1,AAAA v1a,BBBB "+h.Get("webhook-signature"))
		}},
		{name: "ours, while the receiver knows two secrets, the newest first", secrets: []string{secret, older}},
		{name: "with a signature of another secret behind it", secrets: []string{secret}, spoil: func(h http.Header) {
			h.Set("webhook-signature", h.Get("webhook-signature")+" v1,AAAA")
		}},
		{name: "four minutes old", secrets: []string{secret}, at: now.Add(-4 * time.Minute)},
		{name: "of somebody who knows another secret", secrets: []string{older}, want: ErrUnverified},
		{name: "where the receiver knows no secret", want: ErrUnverified},
		{name: "where what it knows is no secret", secrets: []string{"canary"}, want: ErrSecret},
		{name: "with another body", secrets: []string{secret}, body: body + " ", want: ErrUnverified},
		{name: "with another id", secrets: []string{secret}, spoil: func(h http.Header) { h.Set("webhook-id", "msg_2") }, want: ErrUnverified},
		{name: "sent once more", secrets: []string{secret}, at: now.Add(-6 * time.Minute), want: ErrUnverified},
		{name: "from the future", secrets: []string{secret}, at: now.Add(6 * time.Minute), want: ErrUnverified},
		{name: "at no time", secrets: []string{secret}, spoil: func(h http.Header) { h.Set("webhook-timestamp", "soon") }, want: ErrUnverified},
		{name: "at a time beyond all", secrets: []string{secret}, at: time.Unix(1<<62, 0), want: ErrUnverified},
		{name: "without a signature", secrets: []string{secret}, spoil: func(h http.Header) { h.Del("webhook-signature") }, want: ErrUnverified},
		{name: "with one of another kind", secrets: []string{secret}, spoil: func(h http.Header) {
			h.Set("webhook-signature", strings.Replace(h.Get("webhook-signature"), "v1,", "v1a,", 1))
		}, want: ErrUnverified},
		{name: "without an id", secrets: []string{secret}, spoil: func(h http.Header) { h.Del("webhook-id") }, want: ErrUnverified},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := http.Header{}
			if tt.at.IsZero() {
				tt.at = now
			}
			if err := Sign(h, secret, "msg_1", tt.at, []byte(body)); err != nil {
				t.Fatal(err)
			}
			if tt.spoil != nil {
				tt.spoil(h)
			}
			if tt.body == "" {
				tt.body = body
			}
			err := Verify(h, []byte(tt.body), tt.secrets...)
			if !errors.Is(err, tt.want) || err != nil && strings.Contains(err.Error(), "canary") {
				t.Errorf("Verify = %v, want %v", err, tt.want)
			}
			if len(tt.secrets) != 1 || errors.Is(tt.want, ErrSecret) {
				return
			}
			other, broken := standardwebhooks.NewWebhook(tt.secrets[0])
			if broken != nil {
				t.Fatal(broken)
			}
			if theirs := other.Verify([]byte(tt.body), h); (theirs == nil) != (err == nil) {
				t.Errorf("the library of Standard Webhooks says %v, and Verify %v", theirs, err)
			}
		})
	}
}
