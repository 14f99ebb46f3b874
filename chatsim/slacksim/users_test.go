package slacksim_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/chatsim"
)

func TestUsersSelectInForm(t *testing.T) {
	t.Parallel()
	menu := obj{"type": "users_select", "action_id": "a", "placeholder": plain("Choose a person")}
	_, dana, o := opened(t, modal(input(menu, "block_id", "who")), "")
	if err := dana.Submit(t.Context()); !errors.Is(err, chatsim.ErrFormRejected) {
		t.Errorf("a form without anybody ended with %v", err)
	}
	if err := dana.Pick(t.Context(), "", "Sam"); err != nil {
		t.Fatal(err)
	}
	if got := dana.Sees(); !strings.Contains(got, "▾ Choose a person") || !strings.Contains(got, "● Sam") || !strings.Contains(got, "○ Kim") {
		t.Errorf("Dana sees\n%s", got)
	}
	if blocks, _ := json.Marshal(dana.Form().View["blocks"]); !strings.Contains(string(blocks), `"value":"U0000003"`) {
		t.Errorf("the form is drawn with %s", blocks)
	}
	if err := dana.Submit(t.Context()); err != nil {
		t.Fatal(err)
	}
	view := o.last()["view"].(obj)
	if raw, _ := json.Marshal(view["state"]); string(raw) != `{"values":{"who":{"a":{"selected_user":"U0000002","type":"users_select"}}}}` {
		t.Errorf("the state is %s", raw)
	}
	if raw, _ := json.Marshal(view["blocks"]); strings.Contains(string(raw), "options") {
		t.Errorf("the payload contains the options: %s", raw)
	}
}
