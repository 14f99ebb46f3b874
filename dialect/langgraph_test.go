package dialect_test

import (
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
)

// The graph said that it takes no response, people wrote one to the agent, and it got that type.
func TestAGraphGetsNoResponseThatItForbids(t *testing.T) {
	t.Parallel()
	const forbids = `"allow_respond":false`
	reply := ask.Replying(dana, "only after the backup")
	for _, c := range []struct {
		name, in string
		wordless bool
		is, says string
	}{
		{"it takes one", inboxF, false, "application/json", `[{"type":"response","args":"only after the backup"}]`},
		{"it forbids one", strings.Replace(inboxF, `"allow_respond":true`, forbids, 1), true, "text/plain; charset=utf-8", "only after the backup"},
		{
			"it forbids one, and being ignored", strings.NewReplacer(`"allow_respond":true`, forbids, `"allow_ignore":true`, `"allow_ignore":false`).Replace(inboxF),
			true, "text/plain; charset=utf-8", "only after the backup",
		},
	} {
		d := get(t, "langgraph")
		call, err := d.Decode([]byte(c.in), nil)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if r := call.Request; r.Wordless != c.wordless || r.Questions[0].NoOther != c.wordless {
			t.Errorf("%s: wordless %v, and typed text left out %v", c.name, r.Wordless, r.Questions[0].NoOther)
		}
		got := d.Encode([]byte(c.in), reply, nil)
		if body := string(got.Body); got.ContentType != c.is || !strings.Contains(body, c.says) || c.wordless && strings.Contains(body, `"type"`) {
			t.Errorf("%s: %s %s", c.name, got.ContentType, body)
		}
	}
}
