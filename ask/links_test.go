package ask_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
)

func TestLinkTextMatchesAddress(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		link ask.Link
		want string
	}{
		"an address":               {ask.Link{Label: "Runbook", URL: "https://wiki.example.com/a?b=c#d"}, ""},
		"the longest there is":     {ask.Link{Label: strings.Repeat("x", 60), URL: "https://x.example/" + strings.Repeat("a", 494)}, ""},
		"one character more":       {ask.Link{Label: "x", URL: "https://x.example/" + strings.Repeat("a", 495)}, "links[0].url: has 513 characters"},
		"a long label":             {ask.Link{Label: strings.Repeat("x", 61), URL: "https://x.example"}, "links[0].label: has 61 characters"},
		"no label":                 {ask.Link{Label: " \u200b", URL: "https://x.example"}, "links[0].label: must not be empty"},
		"a label that deceives":    {ask.Link{Label: "https://good.example", URL: "https://evil.example"}, "links[0].label: must not be an address itself"},
		"no address":               {ask.Link{Label: "x"}, "links[0].url: must be an https address"},
		"http":                     {ask.Link{Label: "x", URL: "http://x.example"}, "links[0].url: must be an https address"},
		"another scheme":           {ask.Link{Label: "x", URL: "javascript:alert(1)"}, "links[0].url: must be an https address"},
		"no host":                  {ask.Link{Label: "x", URL: "https:///x"}, "links[0].url: must be an https address"},
		"a user before the host":   {ask.Link{Label: "x", URL: "https://good.example@evil.example"}, "links[0].url: must not have a user"},
		"letters of other kinds":   {ask.Link{Label: "x", URL: "https://раураl.example"}, "links[0].url: must be plain ASCII"},
		"a space":                  {ask.Link{Label: "x", URL: "https://x.example/a b"}, "links[0].url: must be plain ASCII"},
		"what formats on a card":   {ask.Link{Label: "x", URL: "https://x.example/|a>"}, "links[0].url: must be plain ASCII"},
		"a port that is no number": {ask.Link{Label: "x", URL: "https://x.example:a"}, "links[0].url: must be an https address"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := ask.Request{Questions: []ask.Question{ask.YesNo("Go?")}, Links: []ask.Link{tt.link}}
			err := r.Validate(nil)
			if tt.want == "" {
				if err != nil {
					t.Errorf("unexpected error: %v", err)
				}
				return
			}
			if !errors.Is(err, ask.ErrLinks) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

func TestTooManyLinks(t *testing.T) {
	t.Parallel()
	r, ignored, err := ask.DecodeRequest([]byte(`{"questions": [{"question": "Go?"}], "links": [` + strings.Repeat(`{"label": "a", "url": "https://x.example", "icon": "x"},`, 5) + `{"label": "b", "url": "https://y.example"}]}`))
	if err != nil || len(r.Links) != 6 || len(ignored) != 5 || ignored[0] != "links[0].icon" {
		t.Fatalf("decoded %v, ignored %v, error %v", r.Links, ignored, err)
	}
	if err := r.Validate(nil); !errors.Is(err, ask.ErrLinks) || !strings.Contains(err.Error(), "links: has 6 links; at most 5") {
		t.Errorf("error %v", err)
	}
}
