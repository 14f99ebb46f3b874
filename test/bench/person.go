package bench

import (
	"context"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/askbridge/askbridge/test/bench/fastchat"
)

// secret is Slack's signing secret.
const secret = "0123456789abcdef0123456789abcdef"

// person clicks buttons: it sends signed requests as the platform would.
type person struct {
	kind string
	key  ed25519.PrivateKey
	http *http.Client
	acts atomic.Int64
	// ballast is the rest of the message that a platform sends with a click.
	ballast string
}

func newPerson(kind string) *person {
	p := &person{kind: kind, http: newClient(), key: ed25519.NewKeyFromSeed([]byte(secret))}
	p.acts.Store(time.Now().UnixMicro())
	section := `{"type":"section","block_id":"b","text":{"type":"mrkdwn","text":"` + strings.Repeat("What the agent wants to know. ", 10) + `"}}`
	p.ballast = "[" + strings.TrimSuffix(strings.Repeat(section+",", 6), ",") + "]"
	return p
}

// public returns the key that the program verifies signatures with.
func (p *person) public() string {
	if p.kind == "slack" {
		return secret
	}
	return hex.EncodeToString(p.key.Public().(ed25519.PublicKey))
}

// press clicks the first option of a card and returns how long the acknowledgement took.
func (p *person) press(ctx context.Context, address string, at fastchat.Post) (time.Duration, error) {
	req, err := p.click(ctx, address, at)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	resp, err := p.http.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	took := time.Since(began)
	switch {
	case err != nil:
		return 0, fmt.Errorf("bench: a click got %s with %v and %q: %w", resp.Status, resp.Header, body, err)
	case resp.StatusCode != http.StatusOK:
		return 0, fmt.Errorf("bench: a click got %s: %s", resp.Status, body)
	}
	return took, nil
}

// click builds the request of a click. See
// https://docs.slack.dev/reference/interaction-payloads/block_actions-payload and
// https://docs.discord.com/developers/interactions/receiving-and-responding.
func (p *person) click(ctx context.Context, address string, at fastchat.Post) (*http.Request, error) {
	stamp := strconv.FormatInt(time.Now().Unix(), 10)
	if p.kind == "slack" {
		n := p.acts.Add(1)
		payload := fmt.Sprintf(`{"type":"block_actions","team":{"id":"T0000001"},"user":{"id":"U0000001","name":"dana","team_id":"T0000001"},`+
			`"container":{"type":"message","message_ts":%q,"channel_id":%q},"channel":{"id":%q},"trigger_id":"1.2.3","message":{"blocks":%s},`+
			`"response_url":"http://127.0.0.1:1/","actions":[{"type":"button","action_id":%q,"block_id":"b","action_ts":"%d.%06d"}]}`,
			at.Message, at.Channel, at.Channel, p.ballast, control(at), n/1_000_000, n%1_000_000)
		body := "payload=" + url.QueryEscape(payload)
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, address+"/slack/interactions", strings.NewReader(body))
		if err != nil {
			return nil, err
		}
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte("v0:" + stamp + ":" + body))
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("X-Slack-Request-Timestamp", stamp)
		req.Header.Set("X-Slack-Signature", "v0="+hex.EncodeToString(mac.Sum(nil)))
		return req, nil
	}
	_, body := p.interaction(at)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address+"/discord/interactions", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Signature-Timestamp", stamp)
	req.Header.Set("X-Signature-Ed25519", hex.EncodeToString(ed25519.Sign(p.key, []byte(stamp+body))))
	return req, nil
}

// snowflake returns a Discord ID with a timestamp. The bridge redraws a card if the ID of its click looks too old.
// See https://docs.discord.com/developers/reference#snowflakes.
func snowflake(at time.Time, n int64) int64 {
	const epoch, counted = 1420070400000, 22
	return (at.UnixMilli()-epoch)<<counted | n&(1<<counted-1)
}

// control returns the ID of a card's first option.
func control(at fastchat.Post) string { return "1:" + at.Request + ":c:0:0" }

// interaction returns Discord's payload of a click, the same over HTTP and the gateway.
func (p *person) interaction(at fastchat.Post) (id, body string) {
	id = strconv.FormatInt(snowflake(time.Now(), p.acts.Add(1)), 10)
	return id, fmt.Sprintf(`{"id":%q,"application_id":%q,"type":3,"version":1,"token":"t","channel_id":%q,"guild_id":%q,"context":0,`+
		`"locale":"en-US","guild_locale":"en-US","app_permissions":"0","entitlements":[],"authorizing_integration_owners":{"0":"`+fastchat.Guild+`"},`+
		`"member":{"user":{"id":"300000000000000001","username":"dana"},"roles":[]},`+
		`"message":{"id":%q,"channel_id":%q,"embeds":%s},"data":{"component_type":2,"custom_id":%q}}`,
		id, fastchat.Application, at.Channel, fastchat.Guild, at.Message, at.Channel, p.ballast, control(at))
}

// newClient returns an HTTP client that keeps its connections.
func newClient() *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConns: 4096, MaxIdleConnsPerHost: 4096}}
}

// question returns the request of a benchmark: one question with three options.
func question(kind string, mark, channel int, more string) string {
	at := fmt.Sprintf("C%07d", channel)
	if kind == "discord" {
		at = fastchat.Channel(channel)
	}
	return fmt.Sprintf(`{"to":[{"platform":%q,"channel":%q}],%s"questions":[{"question":"%s%dx Which database should the service use?",`+
		`"header":"Database","multiSelect":false,"options":[{"label":"Postgres","description":"Managed, one more thing to run"},`+
		`{"label":"SQLite","description":"In the process, one machine only"},{"label":"Redis","description":"There already, in memory"}]}]}`,
		kind, at, more, fastchat.Marker, mark)
}

// asked is the part of a response that an agent reads.
type asked struct {
	ID        string    `json:"id"`
	State     string    `json:"state"`
	ExpiresAt time.Time `json:"expires_at"`
}

// token is the agents' token. The other programs ignore it.
const token = "a-token-of-the-benchmarks"

// call sends an API call of an agent.
func call(ctx context.Context, client *http.Client, token, method, address, body string) (asked, error) {
	var got asked
	req, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return got, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := client.Do(req)
	if err != nil {
		return got, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return got, err
	}
	if resp.StatusCode > 299 {
		return got, fmt.Errorf("bench: %s %s: %s: %s", method, req.URL.Path, resp.Status, data)
	}
	return got, json.Unmarshal(data, &got)
}
