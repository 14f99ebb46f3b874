package keyvalue

import (
	"errors"
	"strings"
	"testing"
)

func TestKeysAsText(t *testing.T) {
	t.Parallel()
	for text, k := range map[string]Key{
		"token/ops/t1":            {"token", "ops", "t1"},
		"link//slack:U1":          {"link", "", "slack:U1"},
		"grant/a%2Fb%252F/x/y%2F": {"grant", "a/b%2F", "x/y%2F"},
	} {
		if got := k.String(); got != text {
			t.Errorf("%+v as text is %q, want %q", k, got, text)
		}
		if got, err := ParseKey(text); err != nil || got != k {
			t.Errorf("%q parses to %+v, %v", text, got, err)
		}
	}
}

func TestParseKeyErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "not kind/tenant/id", "token/t1": "not kind/tenant/id", "token/ops/": "id is empty", "Token/ops/t1": "kind",
		"token/o\nps/t1": "control", "token/ops/\xff": "UTF-8", "token/100%/t1": "not in canonical form", "token/a%2fb/t1": "not in canonical form",
		strings.Repeat("t", 33) + "/ops/t1": "kind",
	} {
		if _, err := ParseKey(text); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want an error about %q", text, err, want)
		}
	}
}

func FuzzParseKey(f *testing.F) {
	for _, text := range []string{"token/ops/t1", "link//x/y", "grant/a%2Fb%25/x", "a/%/b", "a/b"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		k, err := ParseKey(text)
		if err != nil {
			return
		}
		if k.Validate() != nil || k.String() != text {
			t.Errorf("%q parses to %+v, which as text is %q", text, k, k)
		}
		if !strings.HasPrefix(text, prefix(k.Kind, k.Tenant)) {
			t.Errorf("%q is missing from the keys of its tenant", text)
		}
	})
}
