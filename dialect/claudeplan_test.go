package dialect_test

import (
	"testing"

	"github.com/askbridge/askbridge/dialect"
)

func TestPlanCardShowsOnlyThePlan(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ input, question, shown string }{
		"a plan":          {`{"plan":"Move it."}`, "May the agent go ahead with this plan?", "Move it."},
		"a stored plan":   {`{"plan":"Move it.","planFilePath":"/home/dana/.claude/plans/a.md"}`, "May the agent go ahead with this plan?", "Move it."},
		"more than that":  {`{"plan":"Move it.","planFilePath":"/a.md","x":"a"}`, "May the agent go ahead with this plan?", "Move it.\n\nThe agent also sent:\nx: \"a\""},
		"no plan":         {`{}`, "May the agent leave plan mode?", "The agent sent no plan."},
		"no stored plan":  {`{"planFilePath":"/a.md"}`, "May the agent leave plan mode?", "The agent sent no plan."},
		"an empty plan":   {`{"plan":""}`, "May the agent leave plan mode?", "The agent sent no plan."},
		"no plan but x":   {`{"x":"a"}`, "May the agent leave plan mode?", "The agent sent no plan.\n\nThe agent also sent:\nx: \"a\""},
		"a plan in parts": {`{"plan":["Move it."]}`, "May the agent go ahead with this plan?", "{\n  \"plan\": [\n    \"Move it.\"\n  ]\n}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, _ := dialect.Get("claude")
			call, err := d.Decode([]byte(`{"session_id":"s1","hook_event_name":"PermissionRequest","tool_name":"ExitPlanMode","tool_input":`+c.input+`}`), nil)
			if err != nil {
				t.Fatal(err)
			}
			if q := call.Request.Questions[0]; q.Text != c.question || q.Options[0].Preview != c.shown {
				t.Errorf("%s\n%s", q.Text, q.Options[0].Preview)
			}
		})
	}
}
