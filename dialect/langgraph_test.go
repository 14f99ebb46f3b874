package dialect_test

import (
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
)

// A graph that forbids responses once got one when people replied to the agent.
func TestLangGraphForbidsResponse(t *testing.T) {
	t.Parallel()
	const forbids = `"allow_respond":false`
	reply := ask.Replying(dana, "only after the backup")
	for _, c := range []struct {
		name, in string
		wordless bool
		is, want string
	}{
		{"response allowed", inboxF, false, "application/json", `[{"type":"response","args":"only after the backup"}]`},
		{"response forbidden", strings.Replace(inboxF, `"allow_respond":true`, forbids, 1), true, "text/plain; charset=utf-8", "only after the backup"},
		{
			"response and ignoring forbidden", strings.NewReplacer(`"allow_respond":true`, forbids, `"allow_ignore":true`, `"allow_ignore":false`).Replace(inboxF),
			true, "text/plain; charset=utf-8", "only after the backup",
		},
	} {
		d := get(t, "langgraph")
		call, err := d.Decode([]byte(c.in), nil)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if r := call.Request; r.Wordless != c.wordless || r.Questions[0].NoOther != c.wordless {
			t.Errorf("%s: Wordless: %v, NoOther: %v", c.name, r.Wordless, r.Questions[0].NoOther)
		}
		got := d.Encode([]byte(c.in), reply, nil)
		if body := string(got.Body); got.ContentType != c.is || !strings.Contains(body, c.want) || c.wordless && strings.Contains(body, `"type"`) {
			t.Errorf("%s: %s %s", c.name, got.ContentType, body)
		}
	}
}
