package slack

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
)

func TestPlainText(t *testing.T) {
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

// In a channel that is shared with another company most of the envelope may be of that
// company, as in https://github.com/slackapi/bolt-js/issues/935: what our own people
// typed there was not heard.
func TestTypedAnswerInSharedChannel(t *testing.T) {
	t.Parallel()
	const (
		ours   = `"authorizations":[{"team_id":"T0000001","enterprise_id":null}]`
		theirs = `"authorizations":[{"team_id":"T0000009","enterprise_id":"E0000009"}]`
		wide   = `"authorizations":[{"team_id":null,"enterprise_id":"E0000001"}]`
		nobody = `"authorizations":[]`
		here   = `"team_id":"T0000001","enterprise_id":null,"context_team_id":"T0000001","context_enterprise_id":null`
		sister = `"team_id":"T0000002","enterprise_id":"E0000001","context_team_id":"T0000002","context_enterprise_id":"E0000001"`
		shared = `"is_ext_shared_channel":true,` + sister
		there  = `"team_id":"T0000009","enterprise_id":"E0000009","context_team_id":"T0000009","context_enterprise_id":"E0000009"`
		mixed  = `"team_id":"T0000001","enterprise_id":"E0000001","context_team_id":"T0000009","context_enterprise_id":null`
	)
	organisation := ourHome
	organisation.enterprise, organisation.wide = "E0000001", true
	for name, tc := range map[string]struct {
		us                  home
		authorizes, context string
		team                string // of who wrote
		want                ask.Membership
		refused             error
	}{
		"by one of ours":                             {ourHome, ours, there, "T0000001", ask.Member, nil},
		"by one of theirs":                           {ourHome, ours, there, "T0000009", ask.Outsider, nil},
		"by one of theirs, as if it were ours":       {ourHome, ours, here, "T0000009", ask.Outsider, nil},
		"where their installation hears it":          {ourHome, theirs, here, "T0000001", ask.Unknown, errForeign},
		"where the envelope does not say":            {ourHome, nobody, here, "T0000001", ask.Member, nil},
		"nor is it ours":                             {ourHome, nobody, there, "T0000001", ask.Unknown, errForeign},
		"by one of our organisation":                 {organisation, wide, there, "E0000001", ask.Member, nil},
		"by one of a workspace of our organisation":  {organisation, wide, sister, "T0000002", ask.Member, nil},
		"which the authorization may name otherwise": {organisation, `"authorizations":[{"team_id":"T0000001","enterprise_id":"E0000001"}]`, sister, "T0000002", ask.Member, nil},
		"and not where others are as well":           {organisation, wide, shared, "T0000009", ask.Unknown, nil},
		"by one of theirs, to our organisation":      {organisation, wide, there, "T0000009", ask.Unknown, nil},
		"by one of theirs, where not all is of them": {organisation, wide, mixed, "T0000009", ask.Unknown, nil},
		"and nobody is authorized":                   {organisation, nobody, mixed, "T0000009", ask.Unknown, errForeign},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, err := decodeEvent(fmt.Appendf(nil, `{"type":"event_callback","api_app_id":"A0000001",%s,%s,"event":{"type":"message",
				"channel_type":"channel","channel":"C0000001","user":"U0000005","team":%q,"text":"SQLite","ts":"1712345700.000100"}}`,
				tc.authorizes, tc.context, tc.team))
			if err != nil {
				t.Fatal(err)
			}
			i, err := e.interaction(tc.us)
			if !errors.Is(err, tc.refused) || i.Membership != tc.want {
				t.Errorf("it is by a %q: %v, want %q: %v", i.Membership, err, tc.want, tc.refused)
			}
		})
	}
}

func TestMentionIsRemovedFromAnswer(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"<@U0000BOT> SQLite": "SQLite", "SQLite <@U0000BOT>": "SQLite", " <@U0000BOT>\n2 ": "2", "<@U0000BOT>": "",
		"SQLite <@U0000001>": "SQLite <@U0000001>", "as <@U0000BOT> says": "as <@U0000BOT> says",
	} {
		e, err := decodeEvent(fmt.Appendf(nil, `{"type":"event_callback","api_app_id":"A0000001","team_id":"T0000001","event":{"type":"message",
			"channel_type":"channel","channel":"C0000001","user":"U0000005","team":"T0000001","text":%q,"ts":"1712345700.000100"}}`, text))
		if err != nil {
			t.Fatal(err)
		}
		i, err := e.interaction(ourHome)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if got := strings.TrimSpace(i.Typed.Text); got != want {
			t.Errorf("%q is read as %q, want %q", text, got, want)
		}
	}
}

func TestMessageTimestamps(t *testing.T) {
	t.Parallel()
	for event, want := range map[string]time.Time{
		`"ts":"1405895017.000506"`: time.Unix(1405895017, 506e3),
		`"subtype":"message_changed","ts":"1405895100.000100","message":{"type":"message","user":"U0000001","text":"SQLite","ts":"1405895017.000506","edited":{"user":"U0000001","ts":"1405895100.000000"}}`: time.Unix(1405895100, 0),
	} {
		e, err := decodeEvent([]byte(`{"type":"event_callback","team_id":"T0000001","event":{"type":"message","channel":"C0000001","user":"U0000001","text":"2",` + event + `}}`))
		if err != nil {
			t.Fatal(err)
		}
		if i, err := e.interaction(ourHome); err != nil || !i.Typed.At.Equal(want) {
			t.Errorf("%s yields %+v, %v, want %v", event, i.Typed, err, want)
		}
	}
	c := &Connector{}
	if at := c.SentAt("1405895017.000506"); !at.Equal(time.Unix(1405895017, 506e3)) || !c.SentAt("").IsZero() {
		t.Errorf("it was written at %v, and what is no message at %v", at, c.SentAt(""))
	}
}
