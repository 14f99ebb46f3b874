package ask_test

import (
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
)

func TestCheckSource(t *testing.T) {
	t.Parallel()
	const address = "https://ci.example.com/billing/runs/42"
	tests := map[string]struct {
		title, url string
		want       string
	}{
		"none":                  {"", "", ""},
		"a run":                 {"billing, run 42", address, ""},
		"without a title":       {"", address, "source.title"},
		"a blank title":         {" \u200b", address, "source.title"},
		"without an address":    {"billing, run 42", "", "source.url"},
		"not https":             {"billing, run 42", "http://ci.example.com", "source.url"},
		"a script":              {"billing, run 42", "javascript:alert(1)", "source.url"},
		"another host in front": {"billing, run 42", "https://github.com@evil.example/", "source.url"},
		"an address as title":   {"https://github.com/acme", address, "source.title"},
		"a long title":          {strings.Repeat("a", ask.MaxLinkLabel+1), address, "source.title"},
		"a long address":        {"billing", "https://ci.example.com/" + strings.Repeat("a", ask.MaxLinkURL), "source.url"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var paths []string
			for _, p := range ask.CheckSource("source", ask.Source{Title: tt.title, URL: tt.url}) {
				paths = append(paths, p.Path)
			}
			if got := strings.Join(paths, " "); got != tt.want {
				t.Errorf("problems at %q, want %q", got, tt.want)
			}
		})
	}
}

func TestDecodeRequestReadsTheSource(t *testing.T) {
	t.Parallel()
	want := ask.Source{Title: "billing, run 42", URL: "https://ci.example.com/42"}
	for name, body := range map[string]string{
		"an object":        `{"source":{"title":"billing, run 42","url":"https://ci.example.com/42"}}`,
		"JSON in a string": `{"source":"{\"title\":\"billing, run 42\",\"url\":\"https://ci.example.com/42\"}"}`,
	} {
		if r, ignored, err := ask.DecodeRequest([]byte(body)); err != nil || r.Source != want || len(ignored) > 0 {
			t.Errorf("%s: source %+v, ignored %q, error %v", name, r.Source, ignored, err)
		}
	}
}
