package slack

import "testing"

func TestATypedTextIsReadAsItWasTyped(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ sent, want string }{
		"an address":                 {"see <https://example.org/a?b=1&amp;c=2>", "see https://example.org/a?b=1&c=2"},
		"a host":                     {"<http://example.org|example.org>", "example.org"},
		"a mail address":             {"<mailto:ops@example.org|ops@example.org>", "ops@example.org"},
		"a channel":                  {"ask <#C0123ABCD|ops-eu> first", "ask #ops-eu first"},
		"a private channel":          {"ask <#C0123ABCD|> first", "ask <#C0123ABCD|> first"},
		"a user group":               {"<!subteam^S0123ABCD|@oncall>", "@oncall"},
		"everybody":                  {"<!here> and <!channel|channel>", "@here and @channel"},
		"a person":                   {"<@U0123ABCD> decides", "<@U0123ABCD> decides"},
		"what only looks like these": {"&lt;#C0123ABCD|ops&gt; &amp;lt; 3 &lt; 4", "<#C0123ABCD|ops> &lt; 3 < 4"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := plainText(tt.sent); got != tt.want {
				t.Errorf("%q is read as %q, want %q", tt.sent, got, tt.want)
			}
		})
	}
}
