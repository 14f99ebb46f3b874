package slacksim_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/chatsim/slacksim"
)

type (
	obj  = map[string]any
	list = []any
)

// x is a text of n characters.
func x(n int) string { return strings.Repeat("x", n) }

func plain(s string) obj  { return obj{"type": "plain_text", "text": s} }
func mrkdwn(s string) obj { return obj{"type": "mrkdwn", "text": s} }

// times repeats the result of f.
func times(n int, f func(i int) any) list {
	out := list{}
	for i := range n {
		out = append(out, f(i))
	}
	return out
}

// with adds members to an object.
func with(o obj, members ...any) obj {
	out := obj{}
	maps.Copy(out, o)
	for i := 0; i < len(members); i += 2 {
		out[members[i].(string)] = members[i+1]
	}
	return out
}

func button(i int) any {
	return obj{"type": "button", "action_id": fmt.Sprint("a", i), "text": plain("Yes")}
}

func option(i int) any {
	return obj{"text": plain(fmt.Sprint("Option ", i)), "value": fmt.Sprint("v", i)}
}

func choice(kind string, options int) obj {
	return obj{"type": kind, "action_id": "a", "options": times(options, option)}
}

func actions(elements ...any) list { return list{obj{"type": "actions", "elements": elements}} }

func section(accessory any) list {
	return list{obj{"type": "section", "text": mrkdwn("Which?"), "accessory": accessory}}
}

func input(element any, members ...any) list {
	return list{with(obj{"type": "input", "label": plain("Why"), "element": element}, members...)}
}

func textInput(members ...any) obj {
	return with(obj{"type": "plain_text_input", "action_id": "a"}, members...)
}

func asButton(members ...any) list { return actions(with(button(0).(obj), members...)) }

func asOption(members ...any) list {
	return actions(obj{"type": "radio_buttons", "action_id": "a", "options": list{with(option(0).(obj), members...)}})
}

// overflow is a menu with one option.
func overflow(members ...any) list {
	return actions(obj{"type": "overflow", "action_id": "a", "options": list{with(option(0).(obj), members...)}})
}

func confirming(members ...any) list {
	return asButton("confirm", with(obj{
		"title": plain("Sure?"), "text": plain("It is final."), "confirm": plain("Yes"), "deny": plain("No"),
	}, members...))
}

func modal(blocks list, members ...any) obj {
	return with(obj{
		"type": "modal", "title": plain("Other"), "submit": plain("Send"), "close": plain("Cancel"), "blocks": blocks,
	}, members...)
}

// rich is a rich text block with one part.
func rich(part string, elements ...any) list {
	return list{obj{"type": "rich_text", "elements": list{obj{"type": part, "elements": append(list{}, elements...)}}}}
}

// richList is a list in rich text, with one more member.
func richList(name string, value any) list {
	item := obj{"type": "rich_text_section", "elements": list{obj{"type": "text", "text": "x"}}}
	return list{obj{"type": "rich_text", "elements": list{with(obj{"type": "rich_text_list", "style": "bullet", "elements": list{item}}, name, value)}}}
}

func markdown(n int) obj { return obj{"type": "markdown", "text": x(n)} }

func without(o obj, name string) obj {
	out := with(o)
	delete(out, name)
	return out
}

func grouped(groups, options int, label string) list {
	return actions(obj{"type": "static_select", "action_id": "a", "option_groups": times(groups, func(g int) any {
		return obj{"label": plain(label), "options": times(options, option)}
	})})
}

// fat is a view of this size in bytes.
func fat(size int) obj {
	view := modal(times(84, func(int) any { return obj{"type": "section", "text": plain(x(2900))} }))
	view["blocks"] = append(view["blocks"].(list), obj{"type": "section", "text": plain("y")})
	raw, _ := json.Marshal(view)
	view["blocks"].(list)[84] = obj{"type": "section", "text": plain(x(1 + size - len(raw)))}
	return view
}

// call calls a method as the libraries do: with a form if that can hold the arguments, otherwise with JSON.
func call(t *testing.T, sim *slacksim.Server, method string, given any) obj {
	t.Helper()
	raw, err := json.Marshal(given)
	if err != nil {
		t.Fatal(err)
	}
	kind, body := "application/json; charset=utf-8", string(raw)
	if form, ok := formOf(raw); ok {
		kind, body = "application/x-www-form-urlencoded", form.Encode()
	}
	return send(t, sim, method, kind, body)
}

// formOf encodes arguments as a form, if all of them are texts, numbers or flags.
func formOf(raw []byte) (url.Values, bool) {
	var named map[string]any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&named) != nil {
		return nil, false
	}
	form := url.Values{}
	for name, v := range named {
		switch v.(type) {
		case string, bool, json.Number:
			form.Set(name, fmt.Sprint(v))
		default:
			return nil, false
		}
	}
	return form, true
}

func send(t *testing.T, sim *slacksim.Server, method, kind, body string) obj {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, sim.APIURL()+method, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer xoxb-sim")
	req.Header.Set("Content-Type", kind)
	resp, err := sim.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var out obj
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

// put sends blocks as a message, or a view as a modal.
func put(t *testing.T, sim *slacksim.Server, what any) obj {
	t.Helper()
	if blocks, ok := what.(list); ok {
		return call(t, sim, "chat.postMessage", obj{"channel": "C0000001", "text": "Which?", "blocks": blocks})
	}
	sim.DeliverToHandler("/", app(func(obj) (int, string) { return http.StatusOK, "" }))
	call(t, sim, "chat.postMessage", obj{"channel": "C0000001", "text": "Which?", "blocks": actions(button(0))})
	var trigger string
	sim.DeliverToHandler("/", app(func(payload obj) (int, string) {
		trigger, _ = payload["trigger_id"].(string)
		return http.StatusOK, ""
	}))
	if err := sim.Seat("U0000001").Press(t.Context(), "Yes"); err != nil {
		t.Fatal(err)
	}
	return call(t, sim, "views.open", obj{"trigger_id": trigger, "view": what})
}

func TestLimits(t *testing.T) {
	t.Parallel()
	for _, tc := range slices.Concat(boundaries, newerBoundaries()) {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			fine := slacksim.Start(t, nil)
			if reply := put(t, fine, tc.fine); reply["ok"] != true {
				t.Errorf("what is allowed was refused: %v", reply)
			}
			over := slacksim.Start(t, nil)
			over.Expect(tc.rule)
			reply := put(t, over, tc.refused)
			want := tc.errorIs
			if _, isMessage := tc.refused.(list); want == "" && isMessage {
				want = "invalid_blocks"
			} else if want == "" {
				want = "invalid_arguments"
			}
			if reply["error"] != want {
				t.Errorf("the error is %v, want %s", reply["error"], want)
			}
			if metadata := fmt.Sprint(reply["response_metadata"]); !strings.Contains(metadata, tc.messages) {
				t.Errorf("response %s, want %s", metadata, tc.messages)
			}
		})
	}
}

func TestRulesAreCovered(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var all []byte
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, raw...)
	}
	var names []string
	for _, r := range slacksim.Coverage().Rules {
		if slices.Contains(names, r.Name) {
			t.Errorf("two rules are named %q", r.Name)
		}
		names = append(names, r.Name)
		if !bytes.Contains(all, []byte(`"`+r.Name)) {
			t.Errorf("no test names the rule %q", r.Name)
		}
	}
}
