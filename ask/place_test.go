package ask_test

import (
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
)

func TestParsePlace(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]ask.Place{
		"slack:C0000001":                  {Platform: "slack", Channel: "C0000001"},
		"slack:C0000001/17.000100":        {Platform: "slack", Channel: "C0000001", Thread: "17.000100"},
		"slack:U0000001":                  {Platform: "slack", User: "U0000001"},
		"slack:@U0000001":                 {Platform: "slack", User: "U0000001"},
		"slack:@someone":                  {Platform: "slack", User: "someone"},
		"slack@T0000001:C0000001":         {Platform: "slack", Installation: "T0000001", Channel: "C0000001"},
		"slack@T0000001:C0000001/17.0001": {Platform: "slack", Installation: "T0000001", Channel: "C0000001", Thread: "17.0001"},
		"slack@E0000001:W0000001":         {Platform: "slack", Installation: "E0000001", User: "W0000001"},
		"discord:300000000":               {Platform: "discord", Channel: "300000000"},
		"discord:300000000/400000000":     {Platform: "discord", Channel: "300000000", Thread: "400000000"},
		"discord:@300000000":              {Platform: "discord", User: "300000000"},
		"discord@100000000:@300000000":    {Platform: "discord", Installation: "100000000", User: "300000000"},
		"matrix:!room:example.org":        {Platform: "matrix", Channel: "!room:example.org"},
		"matrix:Unity":                    {Platform: "matrix", Channel: "Unity"},
		"matrix:#U0000001":                {Platform: "matrix", Channel: "U0000001"},
		"matrix:##W1/2":                   {Platform: "matrix", Channel: "#W1", Thread: "2"},
		"matrix:#team":                    {Platform: "matrix", Channel: "#team"},
		"slack:*":                         {Platform: "slack", Channel: "*"},
	} {
		got, err := ask.ParsePlace(text)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
		if again, err := ask.ParsePlace(want.String()); err != nil || again != want {
			t.Errorf("%s prints as %s, which parses as %+v, %v", text, want, again, err)
		}
	}
	for _, text := range []string{"", "slack", "slack:", ":C1", "slack:C1/", "slack:U1/17.1", "slack:@", "slack:@/1", "slack@:C1", "@T1:C1", "slack:/17.1"} {
		if got, err := ask.ParsePlace(text); err == nil {
			t.Errorf("%q parses as %+v, want an error", text, got)
		}
	}
}

// A place that was read is the same after it was printed, and so is one made of ids
// without the characters that the short form is made of.
func FuzzParsePlace(f *testing.F) {
	f.Add("slack@T1:C1/17.1", "slack", "T1", "C1", "17.1", true)
	f.Add("discord:@3", "discord", "", "3", "", false)
	f.Add("slack:W1", "slack", "", "U1", "", true)
	f.Add("a:@@b", "a", "b", "@", "/", false)
	f.Fuzz(func(t *testing.T, text, platform, installation, id, thread string, person bool) {
		if p, err := ask.ParsePlace(text); err == nil {
			if again, err := ask.ParsePlace(p.String()); err != nil || again != p {
				t.Errorf("%q parses as %+v, prints as %s, parses again as %+v, %v", text, p, p, again, err)
			}
		}
		p := ask.Place{Platform: platform, Installation: installation, Channel: id, Thread: thread}
		if person {
			p = ask.Place{Platform: platform, Installation: installation, User: id}
		}
		odd := platform == "" || id == "" || strings.ContainsAny(platform+installation+id, "@:/")
		if odd {
			return
		}
		if again, err := ask.ParsePlace(p.String()); err != nil || again != p {
			t.Errorf("%+v prints as %s, which parses as %+v, %v", p, p, again, err)
		}
	})
}
