package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

func TestSecretIsNeverPrinted(t *testing.T) {
	t.Parallel()
	const canary = "xoxb-canary"
	type hidden struct{ inner Secret }
	holder := struct {
		Open   Secret
		Among  []Secret
		ByName map[string]Secret
		hidden hidden
	}{NewSecret(canary), []Secret{NewSecret(canary)}, map[string]Secret{"a": NewSecret(canary)}, hidden{NewSecret(canary)}}
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%p", "%t", "%08.3f"} {
		fmt.Fprintf(&out, verb+"\n"+verb+"\n", holder, holder.Open)
	}
	for _, log := range []*slog.Logger{slog.New(slog.NewTextHandler(&out, nil)), slog.New(slog.NewJSONHandler(&out, nil))} {
		log.Info("settings", "secret", holder.Open, "holder", holder)
	}
	if err := json.NewEncoder(&out).Encode(holder); err != nil {
		t.Error(err)
	}
	if err := yaml.NewEncoder(&out).Encode(map[string]any{"secret": holder.Open, "holder": holder.Among}); err != nil {
		t.Error(err)
	}
	text := strings.ToLower(out.String())
	for _, spelling := range []string{canary, fmt.Sprintf("%x", canary), "canary"} {
		if strings.Contains(text, spelling) {
			t.Errorf("%q is in the output:\n%s", spelling, out.String())
		}
	}
	if !strings.Contains(text, redacted) {
		t.Error("output does not show that a secret is set")
	}
	if holder.Open.Reveal() != canary || (Secret{}).Reveal() != "" || (Secret{}).Set() {
		t.Error("Reveal does not return the secret")
	}
}
