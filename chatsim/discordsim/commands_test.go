package discordsim_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
)

const (
	allCommands   = "/applications/600000000000000001/commands"
	guildCommands = "/applications/600000000000000001/guilds/100000000000000001/commands"
)

func chatCommand(name string) obj { return obj{"name": name, "description": "what it does"} }

func option(name string, more ...any) obj {
	return with(obj{"name": name, "description": "d", "type": 3}, more...)
}

func commandOptions(n int) list {
	out := list{}
	for i := range n {
		out = append(out, obj{"name": fmt.Sprint("o", i), "description": "d", "type": 3})
	}
	return out
}

func TestInvalidCommands(t *testing.T) {
	t.Parallel()
	many := func(kind, n int) list {
		out := list{}
		for i := range n {
			c := obj{"name": fmt.Sprint("c", i), "type": kind}
			if kind == 1 {
				c["description"] = "d"
			}
			out = append(out, c)
		}
		return out
	}
	for name, tc := range map[string]struct {
		verb, path  string
		body        any
		status      int
		code        int
		text, rules string
	}{
		"a good list":             {"PUT", allCommands, list{chatCommand("ask"), obj{"name": "Use as answer", "type": 3}}, 200, 0, "", ""},
		"one for this guild":      {"POST", guildCommands, chatCommand("ask"), 201, 0, "", ""},
		"capitals":                {"POST", allCommands, chatCommand("Ask"), 400, 50035, "APPLICATION_COMMAND_INVALID_NAME", "command.name"},
		"spaces":                  {"PUT", allCommands, list{chatCommand("ask me")}, 400, 50035, "APPLICATION_COMMAND_INVALID_NAME", "command.name"},
		"a name twice":            {"PUT", allCommands, list{chatCommand("ask"), chatCommand("ask")}, 400, 50035, "APPLICATION_COMMANDS_DUPLICATE_NAME", "command.unique"},
		"a name of two types":     {"PUT", allCommands, list{chatCommand("ask"), obj{"name": "ask", "type": 2}}, 200, 0, "", ""},
		"no description":          {"POST", allCommands, obj{"name": "ask"}, 400, 50035, "BASE_TYPE_REQUIRED", "field.required"},
		"a name too long":         {"POST", allCommands, chatCommand(strings.Repeat("a", 33)), 400, 50035, "BASE_TYPE_BAD_LENGTH", "command.name.length command.name"},
		"a long description":      {"POST", allCommands, obj{"name": "ask", "description": strings.Repeat("d", 101)}, 400, 50035, "BASE_TYPE_MAX_LENGTH", "command.description"},
		"26 options":              {"POST", allCommands, with(chatCommand("ask"), "options", commandOptions(26)), 400, 50035, "BASE_TYPE_BAD_LENGTH", "command.options"},
		"an option with capitals": {"POST", allCommands, with(chatCommand("ask"), "options", list{option("Stage")}), 400, 50035, "APPLICATION_COMMAND_INVALID_NAME", "command.name"},
		"an option of no type":    {"POST", allCommands, with(chatCommand("ask"), "options", list{option("stage", "type", 12)}), 400, 50035, "NUMBER_TYPE_MAX", "field.kind"},
		"a required option behind one that is not": {
			"POST", allCommands, with(chatCommand("ask"), "options", list{option("stage"), option("why", "required", true)}),
			400, 50035, "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID", "command.options.order",
		},
		"a choice without a value": {
			"POST", allCommands, with(chatCommand("ask"), "options", list{option("stage", "choices", list{obj{"name": "prod"}})}),
			400, 50035, "BASE_TYPE_REQUIRED", "field.required",
		},
		"a choice with a long name": {
			"POST", allCommands, with(chatCommand("ask"), "options", list{option("stage", "choices", list{obj{"name": long(101), "value": "x"}})}),
			400, 50035, "BASE_TYPE_BAD_LENGTH", "command.choice.name",
		},
		"a context that there is not": {"POST", allCommands, with(chatCommand("ask"), "contexts", list{3}), 400, 50035, "NUMBER_TYPE_MAX", "field.kind"},
		"an option of a command below": {
			"POST", allCommands, with(chatCommand("ask"), "options", list{option("team", "type", 1, "options", list{option("Stage")})}),
			400, 50035, "APPLICATION_COMMAND_INVALID_NAME", "command.name",
		},
		"101 chat commands":       {"PUT", allCommands, many(1, 101), 400, 30032, "", "command.count"},
		"16 commands of messages": {"PUT", allCommands, many(3, 16), 400, 30032, "", "command.count"},
		"another app":             {"PUT", "/applications/1/commands", list{}, 404, 10002, "", ""},
		"another guild":           {"GET", "/applications/600000000000000001/guilds/1/commands", nil, 403, 50001, "", ""},
		"nothing to delete":       {"DELETE", allCommands + "/1", nil, 404, 10063, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := discordsim.Start(t, nil)
			sim.Expect(strings.Fields(tc.rules)...)
			a := ask(t, sim, tc.verb, tc.path, tc.body)
			if a.status != tc.status || a.code() != tc.code || !strings.Contains(fmt.Sprint(a.body), tc.text) {
				t.Errorf("response %d %v, want %d %d %s", a.status, a.body, tc.status, tc.code, tc.text)
			}
		})
	}
}

func TestRegisterCommands(t *testing.T) {
	t.Parallel()
	sim := discordsim.Start(t, nil)
	first := ask(t, sim, "POST", allCommands, chatCommand("ask"))
	again := ask(t, sim, "POST", allCommands, obj{"name": "ask", "description": "something else"})
	if again.status != http.StatusOK || again.body["id"] != first.body["id"] || again.body["description"] != "something else" {
		t.Errorf("the same name again is %d %v", again.status, again.body)
	}
	if a := ask(t, sim, "PUT", allCommands, list{chatCommand("ask"), chatCommand("other")}); len(a.list) != 2 || a.list[0].(obj)["id"] != first.body["id"] {
		t.Errorf("the list is %v", a.list)
	}
	id := first.body["id"].(string)
	if a := ask(t, sim, "DELETE", allCommands+"/"+id, nil); a.status != http.StatusNoContent {
		t.Errorf("deleting it is %d", a.status)
	}
	if a := ask(t, sim, "GET", allCommands, nil); len(a.list) != 1 {
		t.Errorf("%v are left", a.list)
	}
}

func TestCommand(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := discordsim.Start(t, nil)
		ask(t, sim, "PUT", guildCommands, list{with(chatCommand("ask"), "options", list{obj{"name": "question", "description": "d", "type": 3}})})
		l, _ := ready(t, sim)
		replied := make(chan struct{}, 1)
		go func() {
			for {
				next := l.next()
				d, _ := next["d"].(obj)
				if next["t"] != "INTERACTION_CREATE" {
					return
				}
				data := d["data"].(obj)
				value := data["options"].(list)[0].(obj)["value"]
				ask(t, sim, "POST", fmt.Sprintf("/interactions/%v/%v/callback", d["id"], d["token"]), obj{"type": 4, "data": obj{
					"content": fmt.Sprintf("/%v %v", data["name"], value), "allowed_mentions": obj{"parse": list{}},
				}})
				replied <- struct{}{}
			}
		}()
		seat := sim.Seat(dana)
		if err := seat.Command(t.Context(), deploys, "ask", map[string]string{"question": "when?"}); err != nil {
			t.Fatal(err)
		}
		if err := seat.AwaitText(t.Context(), "/ask when?"); err != nil {
			t.Error(err)
		}
		if err := seat.Command(t.Context(), deploys, "other", nil); !errors.Is(err, chatsim.ErrNotThere) {
			t.Errorf("unregistered command: %v", err)
		}
		<-replied // The double may show the text before the bot has its own reply.
	})
}
