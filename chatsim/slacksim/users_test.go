package slacksim_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
)

func TestUsersSelectInForm(t *testing.T) {
	t.Parallel()
	menu := obj{"type": "users_select", "action_id": "a", "placeholder": plain("Choose a person")}
	_, dana, o := opened(t, modal(input(menu, "block_id", "who")), "")
	if err := dana.Submit(t.Context()); !errors.Is(err, chatsim.ErrFormRejected) {
		t.Errorf("a form without people: error %v", err)
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

func TestUsersList(t *testing.T) {
	t.Parallel()
	sim := slacksim.Start(t, &slacksim.Options{People: []slacksim.Person{
		{ID: "U0000001", Name: "dana", RealName: "Dana", Locale: "de-DE"},
		{ID: "U0000002", Name: "gone", RealName: "Gone", Disabled: true},
		{ID: "U0000003", Name: "robo", RealName: "Robo", Bot: true},
		{ID: "U0000004", Name: "stranger", RealName: "Stranger", Team: "T0000009"},
	}})
	list := func(args obj) (ids string, reply obj) {
		reply = call(t, sim, "users.list", args)
		members, _ := reply["members"].([]any)
		for _, m := range members {
			one, _ := m.(obj)
			ids += fmt.Sprint(one["id"], " ", one["locale"], ",")
		}
		return ids, reply
	}
	for name, tc := range map[string]struct {
		args obj
		ids  string
		word any
	}{
		"all":                {args: obj{}, ids: "U0000001 <nil>,U0000002 <nil>,U0000003 <nil>,"},
		"with locales":       {args: obj{"include_locale": true, "limit": 1}, ids: "U0000001 de-DE,"},
		"a limit too large":  {args: obj{"limit": 1000}, word: "invalid_limit"},
		"an invented cursor": {args: obj{"cursor": "dXNlcjpVOQ=="}, word: "invalid_cursor"},
	} {
		if ids, reply := list(tc.args); ids != tc.ids || reply["error"] != tc.word {
			t.Errorf("%s: %s, %v", name, ids, reply["error"])
		}
	}
	pages := ""
	for args := (obj{"limit": 2}); ; {
		ids, reply := list(args)
		pages += ids + ";"
		more, _ := reply["response_metadata"].(obj)
		if args["cursor"] = more["next_cursor"]; args["cursor"] == "" {
			break
		}
	}
	if pages != "U0000001 <nil>,U0000002 <nil>,;U0000003 <nil>,;" {
		t.Errorf("pages: %s", pages)
	}
	sim.Grant("xoxb-sim", "chat:write")
	if _, reply := list(obj{}); reply["needed"] != "users:read" {
		t.Errorf("without the scope: %v", reply)
	}
}
