package discordsim_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
)

func TestGuildRoutes(t *testing.T) {
	t.Parallel()
	sim := discordsim.Start(t, nil)
	const guild = "100000000000000001"
	for path, want := range map[string]string{
		"/users/@me":                               "id:" + botUser,
		"/users/" + dana:                           "global_name:Dana",
		"/applications/@me":                        "verify_key:" + sim.PublicKey(),
		"/guilds/" + guild:                         "name:Sim",
		"/guilds/" + guild + "/members/" + kim:     "roles:[400000000000000001]",
		"/guilds/" + guild + "/members/" + botUser: "pending:false",
		"/channels/" + deploys:                     "name:deploys",
		"/gateway":                                 "url:ws://discord.sim/gateway",
		"/gateway/bot":                             "max_concurrency:1",
	} {
		if a := ask(t, sim, "GET", path, nil); a.status != http.StatusOK || !strings.Contains(fmt.Sprint(a.body), want) {
			t.Errorf("%s is %d %v, want %s in it", path, a.status, a.body, want)
		}
	}
	search := "/guilds/" + guild + "/members/search?query="
	for path, want := range map[string]int{
		"/guilds/" + guild + "/roles": 2, "/guilds/" + guild + "/channels": 2, "/users/@me/guilds": 1,
		search + "DAN": 1, search + "ana": 0, search + "&limit=2": -1, search + "dana&limit=0": -1, search + "dana&limit=1001": -1,
	} {
		if want < 0 {
			if a := ask(t, sim, "GET", path, nil); a.code() != 50035 {
				t.Errorf("%s is %d %v", path, a.status, a.body)
			}
			continue
		}
		if a := ask(t, sim, "GET", path, nil); len(a.list) != want {
			t.Errorf("%s lists %d, want %d", path, len(a.list), want)
		}
	}
	for path, code := range map[string]int{
		"/users/1": 10013, "/guilds/1": 10004, "/guilds/1/roles": 10004, "/guilds/1/channels": 10004,
		"/guilds/1/members/" + dana: 10004, "/guilds/1/members/search?query=dana": 10004, "/guilds/" + guild + "/members/1": 10013, "/channels/1": 10003,
		"/channels/" + deploys + "/messages/1": 10008,
	} {
		if a := ask(t, sim, "GET", path, nil); a.code() != code {
			t.Errorf("%s is %d %v, want %d", path, a.status, a.body, code)
		}
	}
}

func TestInvalidRequests(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		who, verb, path string
		body            any
		status, code    int
		rules           []string
	}{
		"no token":          {"", "GET", "/v10/users/@me", nil, 401, 0, nil},
		"another token":     {"Bot wrong", "GET", "/v10/users/@me", nil, 401, 0, nil},
		"a bare token":      {"discord-sim-token", "GET", "/v10/users/@me", nil, 401, 0, nil},
		"no version":        {"Bot discord-sim-token", "GET", "/users/@me", nil, 400, 50041, []string{"request.route"}},
		"an old version":    {"Bot discord-sim-token", "GET", "/v6/users/@me", nil, 400, 50041, []string{"request.route"}},
		"version 9":         {"Bot discord-sim-token", "GET", "/v9/users/@me", nil, 200, 0, nil},
		"an unknown route":  {"Bot discord-sim-token", "GET", "/v10/friends", nil, 404, 0, []string{"request.route"}},
		"an unknown verb":   {"Bot discord-sim-token", "PUT", "/v10/users/@me", nil, 405, 0, []string{"request.route"}},
		"a body of no JSON": {"Bot discord-sim-token", "POST", "/v10/users/@me/channels", "{", 400, 50109, []string{"request.json"}},
		"a list as a body":  {"Bot discord-sim-token", "POST", "/v10/users/@me/channels", "[]", 400, 50109, []string{"request.json"}},
		"only white space": {
			"Bot discord-sim-token", "POST", "/v10/channels/" + deploys + "/messages", `{"content": " \n", "allowed_mentions": {"parse": []}}`,
			400, 50006, nil,
		},
		"no recipient": {"Bot discord-sim-token", "POST", "/v10/users/@me/channels", "{}", 400, 50035, []string{"field.kind"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := discordsim.Start(t, nil)
			sim.Expect(tc.rules...)
			body, _ := tc.body.(string)
			req, err := http.NewRequestWithContext(t.Context(), tc.verb, sim.APIURL()+tc.path, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("User-Agent", "DiscordBot (https://example.org, v1)")
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Authorization", tc.who)
			resp, err := sim.Client().Do(req)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			calls := sim.Calls()
			if resp.StatusCode != tc.status || calls[len(calls)-1].Code != tc.code {
				t.Errorf("the answer is %d, logged as %+v", resp.StatusCode, calls)
			}
		})
	}
}

func TestUserAgentIsRequired(t *testing.T) {
	t.Parallel()
	sim := discordsim.Start(t, nil)
	sim.Expect("request.user_agent")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, sim.APIURL()+"/v10/gateway", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := sim.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
}

func TestRateLimitBucket(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := discordsim.Start(t, nil)
		post := func(channel string, n int) answer {
			return ask(t, sim, "POST", "/channels/"+channel+"/messages", once(question("a1", "Yes"), n))
		}
		for n := range 5 {
			a := post(deploys, n)
			if left := a.header.Get("X-RateLimit-Remaining"); a.status != http.StatusOK || left != fmt.Sprint(4-n) {
				t.Errorf("post %d: %d, %s left", n, a.status, left)
			}
		}
		a := post(deploys, 6)
		if a.status != http.StatusTooManyRequests || a.body["retry_after"] != 5.0 || a.body["global"] != false ||
			a.header.Get("Retry-After") != "5" || a.header.Get("X-RateLimit-Scope") != "user" || a.header.Get("X-RateLimit-Bucket") == "" {
			t.Errorf("the sixth post: %d %v %v", a.status, a.body, a.header)
		}
		if a := post(general, 7); a.status != http.StatusOK {
			t.Errorf("another channel: %d", a.status)
		}
		time.Sleep(5 * time.Second)
		if a := post(deploys, 8); a.status != http.StatusOK {
			t.Errorf("five seconds later: %d", a.status)
		}
	})
}

func TestGlobalRateLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := discordsim.Start(t, nil)
		for range 50 {
			ask(t, sim, "GET", "/users/@me", nil)
		}
		a := ask(t, sim, "GET", "/users/@me", nil)
		if a.status != http.StatusTooManyRequests || a.body["global"] != true || a.header.Get("X-RateLimit-Global") != "true" {
			t.Errorf("the 51st request: %d %v", a.status, a.body)
		}
		time.Sleep(time.Second)
		if a := ask(t, sim, "GET", "/users/@me", nil); a.status != http.StatusOK {
			t.Errorf("a second later: %d", a.status)
		}
	})
}

func TestUnlimited(t *testing.T) {
	t.Parallel()
	sim := discordsim.Start(t, &discordsim.Options{Unlimited: true})
	for n := range 60 {
		if a := ask(t, sim, "POST", "/channels/"+deploys+"/messages", once(question("a1", "Yes"), n)); a.status != http.StatusOK {
			t.Fatalf("post %d: %d", n, a.status)
		}
	}
}

func TestInvalidRequestsAreCounted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := discordsim.Start(t, nil)
		sim.Revoke()
		for range 99 {
			ask(t, sim, "GET", "/users/@me", nil)
			time.Sleep(time.Second)
		}
		if n := len(sim.Ledger().All()); n != 0 {
			t.Fatalf("%d rules were broken after 99 requests", n)
		}
		sim.Expect("requests.invalid")
		ask(t, sim, "GET", "/users/@me", nil)
	})
}

func TestFaultsOfTheAPI(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		fault  chatsim.Fault
		status int // 0 for no answer
		code   int
		takes  time.Duration
		posted bool
	}{
		"rate limit": {chatsim.RateLimit(2 * time.Second), 429, 0, 0, false},
		"status":     {chatsim.Status(502), 502, 0, 0, false},
		"refuse":     {chatsim.Refuse("50013"), 403, 50013, 0, false},
		"lose reply": {chatsim.LoseReply(), 0, 0, 0, true},
		"delay":      {chatsim.Delay(2 * time.Second), 200, 0, 2 * time.Second, true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				sim := discordsim.Start(t, nil)
				sim.Fault("create message", tc.fault)
				before := time.Now()
				a, _ := request(t, sim, "Bot discord-sim-token", "POST", "/channels/"+deploys+"/messages", once(question("a1", "Yes"), 1))
				if a.status != tc.status || a.code() != tc.code || time.Since(before) != tc.takes {
					t.Errorf("the answer is %d %v after %v", a.status, a.body, time.Since(before))
				}
				if posted := len(sim.Seat(dana).Messages(deploys)) == 1; posted != tc.posted {
					t.Errorf("posted: %v", posted)
				}
				if id := put(t, sim, once(question("a1", "Yes"), 1)); id == "" || len(sim.Seat(dana).Messages(deploys)) != 1 {
					t.Error("the fault stayed, or the second try posted a second message")
				}
			})
		})
	}
}

func TestHangingCallEndsWithCaller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := discordsim.Start(t, nil)
		sim.Fault(chatsim.Any, chatsim.Hang())
		client := sim.Client()
		client.Timeout = time.Minute
		before := time.Now()
		resp, err := client.Get(sim.APIURL() + "/v10/gateway")
		if err == nil {
			_ = resp.Body.Close()
			t.Error("there was an answer")
		}
		if took := time.Since(before); took != time.Minute {
			t.Errorf("it took %v", took)
		}
		sim.Expect("request.user_agent")
		sim.ClearFaults()
	})
}

func TestListenOnTCP(t *testing.T) {
	t.Parallel()
	sim := discordsim.Start(t, nil)
	url, err := sim.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	own := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/api/v9/gateway", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("User-Agent", "DiscordBot (https://example.org, 1)")
	resp, err := own.Do(req)
	if err != nil || resp.StatusCode != http.StatusOK || sim.APIURL() != url+"/api" {
		t.Fatalf("%v, %v, the API is at %s", resp, err, sim.APIURL())
	}
	_ = resp.Body.Close()
}
