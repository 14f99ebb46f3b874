package slacksim_test

import (
	"context"
	"crypto/hmac"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
)

func TestSlackGoVerifiesSignature(t *testing.T) {
	t.Parallel()
	sim := slacksim.Start(t, nil)
	sim.DeliverToHandler("/slack/interactions", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		// The library's verifier uses the wall clock, which runs here.
		v, err := slackapi.NewSecretsVerifier(r.Header, sim.SigningSecret())
		if err != nil {
			t.Fatal(err)
		}
		_, _ = v.Write(body)
		if err := v.Ensure(); err != nil {
			t.Error(err)
		}
		if r.URL.Path != "/slack/interactions" || r.Header.Get("Content-Type") != "application/x-www-form-urlencoded" {
			t.Errorf("the request is %s %v", r.URL, r.Header)
		}
	}))
	put(t, sim, actions(button(0)))
	if err := sim.Seat("U0000001").Press(t.Context(), "Yes"); err != nil {
		t.Error(err)
	}
}

func TestSign(t *testing.T) {
	t.Parallel()
	// The example of https://docs.slack.dev/authentication/verifying-requests-from-slack.
	body := "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar" +
		"&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com" +
		"%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c"
	header := slacksim.Sign("8f742231b10e8888abcd99yyyzzz85a5", time.Unix(1531420618, 0), []byte(body))
	want := "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503"
	if got := header.Get("X-Slack-Signature"); !hmac.Equal([]byte(got), []byte(want)) {
		t.Errorf("the signature is %s, want %s", got, want)
	}
}

func TestStatusOtherThan200(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusAccepted, http.StatusFound, http.StatusInternalServerError} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			t.Parallel()
			sim := slacksim.Start(t, nil)
			sim.Expect("ack.status")
			sim.DeliverToHandler("/", app(func(obj) (int, string) { return status, "" }))
			put(t, sim, actions(button(0)))
			dana := sim.Seat("U0000001")
			if err := dana.Press(t.Context(), "Yes"); !errors.Is(err, chatsim.ErrUnacknowledged) {
				t.Errorf("the press ended with %v", err)
			}
			if m := dana.Messages("C0000001")[0]; len(m.Warnings) != 1 || !strings.Contains(m.Plain, "⚠") {
				t.Errorf("Dana sees\n%s", m.Plain)
			}
			sim.DeliverToHandler("/", app(func(obj) (int, string) { return http.StatusOK, "" }))
			if err := dana.Press(t.Context(), "Yes"); err != nil {
				t.Error(err)
			}
			if strings.Contains(dana.Sees(), "⚠") {
				t.Error("the warning is still there")
			}
		})
	}
}

func TestAcknowledgementBodyIsWarned(t *testing.T) {
	t.Parallel()
	sim := slacksim.Start(t, nil)
	sim.DeliverToHandler("/", app(func(obj) (int, string) { return http.StatusOK, "thanks" }))
	put(t, sim, actions(button(0)))
	if err := sim.Seat("U0000001").Press(t.Context(), "Yes"); err != nil || !warned(sim, "note.answer") {
		t.Errorf("%v %v", err, sim.Timeline())
	}
}

func TestDeliveryFaults(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		fault     chatsim.Fault
		takes     time.Duration
		delivered int32
		fails     bool
		patience  time.Duration
	}{
		"none":                                   {delivered: 1},
		"dropped, where Slack has more patience": {fault: chatsim.Drop(), patience: time.Minute, takes: time.Minute, fails: true},
		"twice":                                  {fault: chatsim.Twice(), delivered: 2},
		"delayed":                                {fault: chatsim.Delay(time.Minute), takes: time.Minute, delivered: 1},
		"dropped":                                {fault: chatsim.Drop(), takes: 3 * time.Second, fails: true},
		"its reply lost":                         {fault: chatsim.LoseReply(), takes: 3 * time.Second, delivered: 1, fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				sim := slacksim.Start(t, &slacksim.Options{Patience: tc.patience})
				var delivered atomic.Int32
				sim.DeliverToHandler("/", app(func(obj) (int, string) {
					delivered.Add(1)
					return http.StatusOK, ""
				}))
				put(t, sim, actions(button(0)))
				if tc.fault.Name() != "" {
					sim.Fault(slacksim.Interactions, tc.fault)
				}
				before := time.Now()
				err := sim.Seat("U0000001").Press(t.Context(), "Yes")
				if errors.Is(err, chatsim.ErrUnacknowledged) != tc.fails {
					t.Errorf("the press ended with %v", err)
				}
				if took := time.Since(before); took != tc.takes {
					t.Errorf("it took %v, want %v", took, tc.takes)
				}
				if got := delivered.Load(); got != tc.delivered {
					t.Errorf("the app got it %d times, want %d", got, tc.delivered)
				}
			})
		})
	}
}

func TestFaultsOfTheWebAPI(t *testing.T) {
	t.Parallel()
	var limited *slackapi.RateLimitedError
	for name, tc := range map[string]struct {
		fault  chatsim.Fault
		check  func(error) bool
		posted bool
		takes  time.Duration
	}{
		"rate limit": {fault: chatsim.RateLimit(30 * time.Second), check: func(err error) bool { return errors.As(err, &limited) && limited.RetryAfter == 30*time.Second }},
		"status 503": {fault: chatsim.Status(http.StatusServiceUnavailable), check: func(err error) bool { return errors.As(err, new(slackapi.StatusCodeError)) }},
		"error word": {fault: chatsim.Refuse("fatal_error"), check: func(err error) bool { return err != nil && err.Error() == "fatal_error" }},
		"lost reply": {fault: chatsim.LoseReply(), check: func(err error) bool { return err != nil }, posted: true},
		"hanging":    {fault: chatsim.Hang(), check: func(err error) bool { return errors.Is(err, context.DeadlineExceeded) }, takes: 5 * time.Second},
		"slow":       {fault: chatsim.Delay(4 * time.Second), check: func(err error) bool { return err == nil }, posted: true, takes: 4 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				sim := slacksim.Start(t, nil)
				sim.Fault("chat.postMessage", tc.fault)
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
				defer cancel()
				before := time.Now()
				_, _, err := client(sim).PostMessageContext(ctx, "C0000001", slackapi.MsgOptionText("x", false))
				if !tc.check(err) {
					t.Errorf("the call ended with %v", err)
				}
				if took := time.Since(before); took != tc.takes {
					t.Errorf("it took %v, want %v", took, tc.takes)
				}
				if posted := len(sim.Seat("U0000001").Messages("C0000001")) == 1; posted != tc.posted {
					t.Errorf("posted: %v", posted)
				}
				if _, _, err := client(sim).PostMessageContext(t.Context(), "C0000001", slackapi.MsgOptionText("x", false)); err != nil {
					t.Errorf("the fault stayed: %v", err)
				}
			})
		})
	}
}

func TestFaultTimes(t *testing.T) {
	t.Parallel()
	sim := slacksim.Start(t, nil)
	sim.Fault(chatsim.Any, chatsim.Refuse("fatal_error").Times(2))
	sim.Fault("auth.test", chatsim.Refuse("internal_error").Always())
	var got []string
	for range 4 {
		_, err := client(sim).AuthTestContext(t.Context())
		got = append(got, err.Error())
	}
	if want := "fatal_error fatal_error internal_error internal_error"; strings.Join(got, " ") != want {
		t.Errorf("the errors are %v, want %s", got, want)
	}
	sim.ClearFaults()
	if _, err := client(sim).AuthTestContext(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestListenOnTCP(t *testing.T) {
	t.Parallel()
	sim := slacksim.Start(t, nil)
	url, err := sim.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if sim.APIURL() != url+"/api/" {
		t.Errorf("the API is at %s", sim.APIURL())
	}
	own := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	api := slackapi.New("xoxb-sim", slackapi.OptionAPIURL(url+"/api/"), slackapi.OptionHTTPClient(own))
	if _, _, err := api.PostMessageContext(t.Context(), "D0000001", slackapi.MsgOptionText("x", false)); err == nil {
		t.Error("a direct message that was never opened took a post")
	}
	channel, _, err := api.PostMessageContext(t.Context(), "U0000001", slackapi.MsgOptionText("x", false))
	if err != nil || channel != sim.DM("U0000001") {
		t.Errorf("the direct message is %s, %v", channel, err)
	}
}

func TestPressWithoutApp(t *testing.T) {
	t.Parallel()
	sim := slacksim.Start(t, nil)
	put(t, sim, actions(button(0)))
	if err := sim.Seat("U0000001").Press(t.Context(), "Yes"); !errors.Is(err, chatsim.ErrUnacknowledged) {
		t.Errorf("the press ended with %v", err)
	}
}

func TestUnknownEnvelopeAcknowledgement(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := slacksim.Start(t, nil)
		sim.Expect("socket.envelope")
		conn := dial(t, sim)
		if err := conn.WriteJSON(obj{"envelope_id": "made up"}); err != nil {
			t.Fatal(err)
		}
		if err := sim.Await(t.Context(), func() bool { return len(sim.Ledger().All()) == 1 }); err != nil {
			t.Error(err)
		}
	})
}
