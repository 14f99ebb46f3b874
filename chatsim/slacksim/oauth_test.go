package slacksim_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/chatsim/slacksim"
)

const back = "https://app.example/back"

func TestOAuthCodeWorksOnce(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		id, secret, redirect, word, rule string
		code                             func(sim *slacksim.Server, code string) string
	}{
		"as it should be":     {"1.2", "sim-client-secret", back, "", "", nil},
		"another app":         {"1.3", "sim-client-secret", back, "invalid_client_id", "", nil},
		"a wrong secret":      {"1.2", "guessed", back, "bad_client_secret", "", nil},
		"another redirect":    {"1.2", "sim-client-secret", back + "/other", "bad_redirect_uri", "", nil},
		"an invented code":    {"1.2", "sim-client-secret", back, "invalid_code", "", func(*slacksim.Server, string) string { return "1.2.3" }},
		"a code that expired": {"1.2", "sim-client-secret", back, "invalid_code", "oauth.code", func(sim *slacksim.Server, code string) string { sim.Advance(10 * time.Minute); return code }},
		"a code used before": {"1.2", "sim-client-secret", back, "invalid_code", "oauth.code", func(sim *slacksim.Server, code string) string {
			_, _ = slackapi.GetOAuthV2ResponseContext(t.Context(), sim.Client(), "1.2", "sim-client-secret", code, back, slackapi.OAuthOptionAPIURL(sim.APIURL()))
			return code
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := slacksim.Start(t, nil)
			if tc.rule != "" {
				sim.Expect(tc.rule)
			}
			code := sim.Authorize("U0000001", back, "files:write")
			if tc.code != nil {
				code = tc.code(sim, code)
			}
			got, err := slackapi.GetOAuthV2ResponseContext(t.Context(), sim.Client(), tc.id, tc.secret, code, tc.redirect, slackapi.OAuthOptionAPIURL(sim.APIURL()))
			switch {
			case tc.word != "":
				if err == nil || err.Error() != tc.word {
					t.Errorf("it is answered with %v, want %s", err, tc.word)
				}
			case err != nil:
				t.Error(err)
			case got.AccessToken != "xoxb-sim" || got.AuthedUser.ID != "U0000001" || got.Team.ID != "T0000001":
				t.Errorf("it is answered with %+v", got)
			}
		})
	}
}

func TestInstallationPageRedirects(t *testing.T) {
	t.Parallel()
	sim := slacksim.Start(t, nil)
	for query, want := range map[string]int{
		"client_id=1.2&scope=chat:write&state=s&redirect_uri=" + url.QueryEscape(back): http.StatusFound,
		"client_id=1&scope=chat:write&redirect_uri=" + url.QueryEscape(back):           http.StatusBadRequest,
		"client_id=1.2&scope=chat:write&redirect_uri=" + url.QueryEscape(back+"#here"): http.StatusBadRequest,
		"client_id=1.2&redirect_uri=" + url.QueryEscape(back):                          http.StatusBadRequest,
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, sim.URL()+"/oauth/v2/authorize?"+query, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := sim.Client().Transport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s: %d, want %d", query, resp.StatusCode, want)
		}
		if want != http.StatusFound {
			continue
		}
		to, err := resp.Location()
		if err != nil || to.Host != "app.example" || to.Query().Get("state") != "s" || to.Query().Get("code") == "" {
			t.Errorf("it leads to %v, %v", to, err)
		}
	}
}
