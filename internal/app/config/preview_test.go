package config

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPreviewReadsNoSecrets(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "askbridge.yaml")
	preview := func(text string) (*Config, error) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return Preview(path, chats())
	}
	got, err := preview(`
slack: {bot_token: "${ASKBRIDGE_TEST_UNSET}", signing_secret: "${file:/nowhere}", no_such_key: 1}
store: {type: redis, redis: {url: "${ASKBRIDGE_TEST_UNSET}"}}
agents: [{name: a, token: "${ASKBRIDGE_TEST_UNSET}"}]
webhooks: {secret: short}
audit: {key: "${ASKBRIDGE_TEST_UNSET}"}
listen: nowhere
people: {dana: ["slack:U1"], sam: ["slack:U2"]}
rotas: {oncall: {ical: "${ASKBRIDGE_TEST_UNSET}", names: {"First": sam}}}
responders: [not_requester]
routes:
  deploys:
    to: [{platform: slack, channel: C1, thread: "1712.000100", installation: T1}]
    responders: ["slack:U1", not_requester]
    policy: {need: 2}
    schedule: {steps: [{after: 1m, do: add, to: [{platform: slack, channel: C2, thread: "1712.000100"}]}]}
`)
	if err != nil {
		t.Fatal(err)
	}
	r := got.Routes["deploys"]
	if want := []Target{{Platform: "slack", Channel: "C1"}}; !cmp.Equal(r.To, want) {
		t.Errorf("places %v, want %v", r.To, want)
	}
	if want := []Target{{Platform: "slack", Channel: "C2"}}; !cmp.Equal(r.Schedule.Steps[0].To, want) {
		t.Errorf("places of the step %v, want %v", r.Schedule.Steps[0].To, want)
	}
	if !slices.Equal(r.Responders, []string{"slack:U1"}) || !slices.Equal(got.Responders, []string{"anyone"}) || r.Policy.Need != 2 {
		t.Errorf("responders %v and %v, policy %+v", r.Responders, got.Responders, r.Policy)
	}
	if rota := got.Rotas["oncall"]; rota.ICal.Set() || !slices.Equal(rota.Members, []string{"dana", "sam"}) || rota.Turns(got.People).From.IsZero() {
		t.Errorf("rota %+v", rota)
	}
	if got.Store.Type != StoreMemory || len(got.Agents) > 0 || got.Webhooks.Secret.Set() || len(got.Platforms) != 1 {
		t.Errorf("settings that are no preview: %+v", got)
	}
	_, err = preview("slack: {}\nroutes: {a: {to: [{platform: slack, channel: \"${ASKBRIDGE_TEST_UNSET}\"}]}}\nagnts: []\n")
	want := path + ":2:46: routes.a.to[0].channel: the environment variable ASKBRIDGE_TEST_UNSET is not set\n" +
		path + ":3:1: agnts: unknown key; did you mean agents?"
	if err == nil || err.Error() != want {
		t.Errorf("got:\n%v\nwant:\n%s", err, want)
	}
}
