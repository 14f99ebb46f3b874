package config

import (
	"strings"
	"testing"
)

func TestSignInProblems(t *testing.T) {
	t.Parallel()
	const whole = `
slack: {bot_token: xoxb-1, signing_secret: 12345678901234567890123456789012}
agents: [{name: bot, token: canary-canary-canary-canary}, {name: other, token: canary-canary-canary-canarz, tenant: bot}]
console:
  address: https://ask.example.com
  sign_in: {issuer: "https://login.example.com", client_id: askbridge, roles: {read: [staff]}}
`
	for name, test := range map[string]struct{ old, fresh, want string }{
		"complete":        {"", "", ""},
		"this machine":    {"https://ask.example.com", "http://127.0.0.1:8080", ""},
		"no sign-in":      {`  sign_in: {issuer: "https://login.example.com", client_id: askbridge, roles: {read: [staff]}}`, "", "console.sign_in is missing"},
		"no address":      {"  address: https://ask.example.com\n", "", "console.address is missing"},
		"plain http":      {"https://ask.example.com", "http://ask.example.com", "console.address must be an https:// address"},
		"query":           {"https://ask.example.com", "https://ask.example.com?x=1", "console.address must be the address"},
		"user":            {"https://login.example.com", "https://a:b@login.example.com", "console.sign_in.issuer must be the issuer"},
		"no client":       {"client_id: askbridge, ", "", "console.sign_in.client_id is missing"},
		"no roles":        {"read: [staff]", "claim: groups", "console.sign_in.roles grants no role"},
		"empty value":     {"read: [staff]", `act: [""]`, "console.sign_in.roles.act[0] is empty"},
		"no tokens":       {"agents: [{name: bot, token: canary-canary-canary-canary}, {name: other, token: canary-canary-canary-canarz, tenant: bot}]", "", "console.sign_in needs agents or require_tokens"},
		"several tenants": {", tenant: bot}", "}", "console.sign_in.tenant is missing"},
		"admin alone":     {"read: [staff]", "admin: [staff]", ""},
		"short session":   {"client_id: askbridge", "client_id: askbridge, session: 1m", "console.sign_in.session must be between"},
		"long session":    {"client_id: askbridge", "client_id: askbridge, session: 30d", "console.sign_in.session must be between"},
		"two scopes":      {"client_id: askbridge", `client_id: askbridge, scopes: ["a b"]`, "console.sign_in.scopes[0] must be one scope"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := parse("askbridge.yaml", []byte(strings.Replace(whole, test.old, test.fresh, 1)), chats(), surroundings{})
			if test.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), ": ", " "), test.want) {
				t.Errorf("the error is %v, want %q", err, test.want)
			}
		})
	}
}
