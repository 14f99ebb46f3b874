package discordsim_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
)

func TestPostErrors(t *testing.T) {
	t.Parallel()
	const thread = "210000000000000001"
	tests := map[string]struct {
		channel string
		before  func(*discordsim.Server)
		status  int
		code    int
	}{
		"a channel that is gone":             {"999999999999999999", nil, 404, 10003},
		"a channel the bot cannot see":       {deploys, func(s *discordsim.Server) { s.Deny(deploys, discordsim.ViewChannel) }, 403, 50001},
		"a channel the bot cannot write in":  {deploys, func(s *discordsim.Server) { s.Deny(deploys, discordsim.SendMessages) }, 403, 50013},
		"a thread the bot cannot write in":   {thread, func(s *discordsim.Server) { s.Deny(thread, discordsim.SendMessagesInThreads) }, 403, 50013},
		"a thread of a channel out of sight": {thread, func(s *discordsim.Server) { s.Deny(deploys, discordsim.ViewChannel) }, 403, 50001},
		"a locked thread":                    {thread, func(s *discordsim.Server) { s.Archive(thread, true) }, 403, 160005},
		"closed direct messages":             {"700000000000000001", func(s *discordsim.Server) { s.CloseDM(dana, true) }, 403, 50007},
		"a person of another guild":          {"700000000000000004", nil, 403, 50278},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := discordsim.Start(t, &discordsim.Options{
				People: []discordsim.Person{{ID: dana, Name: "dana"}, {ID: "300000000000000004", Outside: true}},
				Channels: []discordsim.Channel{
					{ID: deploys, Name: "deploys"}, {ID: thread, Name: "release", Parent: deploys},
				},
			})
			for _, id := range []string{dana, "300000000000000004"} {
				if a := ask(t, sim, "POST", "/users/@me/channels", obj{"recipient_id": id}); a.status != http.StatusOK {
					t.Fatalf("opening a direct message was answered with %d", a.status)
				}
			}
			if tc.before != nil {
				tc.before(sim)
			}
			a := ask(t, sim, "POST", "/channels/"+tc.channel+"/messages", once(question("a1", "Yes"), 1))
			if a.status != tc.status || a.code() != tc.code {
				t.Errorf("the answer is %d %v, want %d %d", a.status, a.body, tc.status, tc.code)
			}
		})
	}
}

func TestUnarchiveThread(t *testing.T) {
	t.Parallel()
	const thread, path = "210000000000000001", "/channels/210000000000000001"
	archived := func(is bool) obj { return obj{"archived": is} }
	for name, tc := range map[string]struct {
		verb, path string
		body       any
		before     func(*discordsim.Server)
		status     int
		opens      bool
	}{
		"a message does":                   {"POST", path + "/messages", once(question("a2", "Yes"), 2), nil, 200, true},
		"an edit is refused":               {"PATCH", path + "/messages/", question("a1", "No"), nil, 400, false},
		"deleting does not need it":        {"DELETE", path + "/messages/", nil, nil, 204, false},
		"the bot may":                      {"PATCH", path, archived(false), nil, 200, true},
		"who may not write may not":        {"PATCH", path, archived(false), func(s *discordsim.Server) { s.Deny(thread, discordsim.SendMessages) }, 403, false},
		"no one may if it is locked":       {"PATCH", path, archived(false), func(s *discordsim.Server) { s.Archive(thread, true) }, 403, false},
		"archiving it takes a moderator":   {"PATCH", path, archived(true), nil, 403, false},
		"a channel is not for the bot":     {"PATCH", "/channels/" + deploys, archived(false), nil, 403, false},
		"an unknown channel":               {"PATCH", "/channels/210000000000000404", archived(false), nil, 404, false},
		"a message where it is locked not": {"POST", path + "/messages", once(question("a2", "Yes"), 2), func(s *discordsim.Server) { s.Archive(thread, true) }, 403, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := discordsim.Start(t, &discordsim.Options{Channels: []discordsim.Channel{
				{ID: deploys, Name: "deploys"}, {ID: thread, Name: "release", Parent: deploys},
			}})
			card := ask(t, sim, "POST", path+"/messages", once(question("a1", "Yes"), 1)).id()
			sim.Archive(thread, false)
			if tc.before != nil {
				tc.before(sim)
			}
			to := tc.path
			if strings.HasSuffix(to, "/") {
				to += card
			}
			if a := ask(t, sim, tc.verb, to, tc.body); a.status != tc.status {
				t.Errorf("answered with %d %v, want %d", a.status, a.body, tc.status)
			}
			meta, _ := ask(t, sim, "GET", path, nil).body["thread_metadata"].(obj)
			if meta["archived"] != !tc.opens {
				t.Errorf("the thread is %v, want it to be open: %v", meta, tc.opens)
			}
		})
	}
}

func TestPressInThread(t *testing.T) {
	t.Parallel()
	const thread = "210000000000000001"
	for name, tc := range map[string]struct {
		before func(*discordsim.Server)
		may    bool
	}{
		"that is archived opens it":                              {func(s *discordsim.Server) { s.Archive(thread, false) }, true},
		"that is archived and locked does nothing":               {func(s *discordsim.Server) { s.Archive(thread, true) }, false},
		"that is locked does nothing, though the thread is open": {func(s *discordsim.Server) { s.Lock(thread) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := discordsim.Start(t, &discordsim.Options{Channels: []discordsim.Channel{
				{ID: deploys, Name: "deploys"}, {ID: thread, Name: "release", Parent: deploys},
			}})
			l, _ := ready(t, sim)
			var received counter
			answering(t, sim, l, &received)
			link := obj{"type": 2, "style": 5, "label": "Docs", "url": "https://example.org"}
			ask(t, sim, "POST", "/channels/"+thread+"/messages", once(message(row(button("a1", "Yes"), link), row(choice("a2", "EU"))), 1))
			tc.before(sim)
			sees := map[bool]string{true: "[Yes] [Docs]\n▾ ", false: "(Yes) [Docs]\n▿ "}[tc.may]
			if got := sim.Seat(dana).Sees(); !strings.Contains(got, sees) {
				t.Errorf("Dana sees\n%s\nwant %q in it", got, sees)
			}
			press, pick := sim.Seat(dana).Press(t.Context(), "Yes"), sim.Seat(dana).Pick(t.Context(), "", "EU")
			if (press == nil) != tc.may || (pick == nil) != tc.may {
				t.Errorf("the press ended with %v, and the pick with %v", press, pick)
			}
			if n := received.count(); n != map[bool]int{true: 2}[tc.may] {
				t.Errorf("the app received %d", n)
			}
		})
	}
}

func TestNonceDeduplicates(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := discordsim.Start(t, nil)
		first, second := put(t, sim, once(question("a1", "Yes"), 7)), put(t, sim, once(question("a1", "Yes"), 7))
		if first != second || len(sim.Seat(dana).Messages(deploys)) != 1 {
			t.Errorf("the messages are %s and %s", first, second)
		}
		ask(t, sim, "DELETE", "/channels/"+deploys+"/messages/"+first, nil)
		if a := ask(t, sim, "POST", "/channels/"+deploys+"/messages", once(question("a1", "Yes"), 7)); a.code() != 10008 {
			t.Errorf("the nonce of a deleted message was answered with %d %v", a.status, a.body)
		}
		time.Sleep(6 * time.Minute)
		if third := put(t, sim, once(question("a1", "Yes"), 7)); third == first {
			t.Error("the nonce was remembered for longer than a few minutes")
		}
	})
}

func TestNonceExpires(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := discordsim.Start(t, nil)
		id := put(t, sim, once(question("a1", "Yes"), 7))
		named := func() any { return ask(t, sim, "GET", "/channels/"+deploys+"/messages/"+id, nil).body["nonce"] }
		if got := named(); got != "7" {
			t.Errorf("at first the nonce is %v", got)
		}
		time.Sleep(6 * time.Minute)
		if got := named(); got != nil {
			t.Errorf("later the nonce is %v", got)
		}
	})
}

func TestMissingNonceIsWarned(t *testing.T) {
	t.Parallel()
	sim := discordsim.Start(t, nil)
	put(t, sim, question("a1", "Yes"))
	warns := sim.Timeline().Events(chatsim.Warned)
	if len(warns) != 1 || !strings.HasPrefix(warns[0].Text, "note.nonce") {
		t.Errorf("timeline: %v", warns)
	}
}

func TestMessageResponse(t *testing.T) {
	t.Parallel()
	sim := discordsim.Start(t, nil)
	id := put(t, sim, once(message(
		box(words("Which?"), obj{"type": 14}, row(choice("pick", "EU", "US"))),
		with(words("Thanks"), "id", 2),
	), 1))
	a := ask(t, sim, "GET", "/channels/"+deploys+"/messages/"+id, nil)
	want := list{
		obj{"type": 17.0, "id": 1.0, "spoiler": false, "accent_color": nil, "components": list{
			obj{"type": 10.0, "id": 3.0, "content": "Which?"},
			obj{"type": 14.0, "id": 4.0, "divider": true, "spacing": 1.0},
			obj{"type": 1.0, "id": 5.0, "components": list{obj{
				"type": 3.0, "id": 6.0, "custom_id": "pick", "placeholder": "Choose", "min_values": 1.0, "max_values": 1.0,
				"options": list{obj{"label": "EU", "value": "EU"}, obj{"label": "US", "value": "US"}},
			}}},
		}},
		obj{"type": 10.0, "id": 2.0, "content": "Thanks"},
	}
	if diff := cmp.Diff(any(want), a.body["components"]); diff != "" {
		t.Errorf("the components (-want +got)\n%s", diff)
	}
	if a.body["nonce"] != "1" || a.body["flags"] != float64(v2) || a.body["author"].(obj)["id"] != botUser {
		t.Errorf("the message is %v", a.body)
	}
}

func TestListMessages(t *testing.T) {
	t.Parallel()
	sim := discordsim.Start(t, nil)
	var ids []string
	for i := range 5 {
		ids = append(ids, put(t, sim, once(obj{"content": fmt.Sprint(i), "allowed_mentions": noMentions}, i)))
	}
	for query, want := range map[string]string{
		"":                                "43210",
		"?limit=2":                        "43",
		"?before=" + ids[3]:               "210",
		"?limit=2&before=" + ids[3]:       "21",
		"?after=" + ids[1]:                "432",
		"?limit=2&after=" + ids[1]:        "32",
		"?limit=3&around=" + ids[2]:       "321",
		"?before=1":                       "",
		"?limit=1&after=1":                "0",
		"?limit=100&before=9999999999999": "",
	} {
		got := ""
		for _, m := range ask(t, sim, "GET", "/channels/"+deploys+"/messages"+query, nil).list {
			got += m.(obj)["content"].(string)
		}
		if got != want {
			t.Errorf("%s lists %s, want %s", query, got, want)
		}
	}
	sim.Expect("messages.limit")
	if a := ask(t, sim, "GET", "/channels/"+deploys+"/messages?limit=101", nil); a.code() != 50035 {
		t.Errorf("a page of 101 was answered with %d %v", a.status, a.body)
	}
}

func TestEditOwnMessagesOnly(t *testing.T) {
	t.Parallel()
	sim := discordsim.Start(t, nil)
	id, err := sim.Seat(dana).Say(deploys, "Hello")
	if err != nil {
		t.Fatal(err)
	}
	path := "/channels/" + deploys + "/messages/" + id
	if a := ask(t, sim, "PATCH", path, obj{"content": "Bye", "allowed_mentions": noMentions}); a.code() != 50005 {
		t.Errorf("the edit was answered with %d %v", a.status, a.body)
	}
	if a := ask(t, sim, "DELETE", path, nil); a.code() != 50013 {
		t.Errorf("the deletion was answered with %d %v", a.status, a.body)
	}
	if a := ask(t, sim, "DELETE", "/channels/"+deploys+"/messages/1", nil); a.code() != 10008 {
		t.Errorf("deleting nothing was answered with %d %v", a.status, a.body)
	}
}

func TestOldMessageEditLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := discordsim.Start(t, &discordsim.Options{OldEdits: 2})
		id := put(t, sim, once(question("a1", "Yes"), 1))
		edit := func() answer {
			return ask(t, sim, "PATCH", "/channels/"+deploys+"/messages/"+id, question("a1", "Yes"))
		}
		for range 4 {
			if a := edit(); a.status != http.StatusOK {
				t.Fatalf("a young message: %d %v", a.status, a.body)
			}
		}
		time.Sleep(time.Hour)
		for range 2 {
			if a := edit(); a.status != http.StatusOK {
				t.Fatalf("an old message: %d %v", a.status, a.body)
			}
		}
		if a := edit(); a.status != http.StatusTooManyRequests || a.code() != 30046 {
			t.Errorf("one edit too many was answered with %d %v", a.status, a.body)
		}
		time.Sleep(6 * time.Second)
		if a := edit(); a.status != http.StatusOK {
			t.Errorf("an hour later: %d %v", a.status, a.body)
		}
	})
}

func TestV2FlagConflicts(t *testing.T) {
	t.Parallel()
	plain := obj{"content": "Hello", "allowed_mentions": noMentions}
	tests := map[string]struct {
		first, edit obj // edit is nil if the post itself is checked
		rules       []string
		at          string // the field at fault, "" for success
	}{
		"content with the flag":              {first: with(message(words("x")), "content", "y"), rules: []string{"v2.legacy"}, at: "content"},
		"embeds with the flag":               {first: with(message(words("x")), "embeds", list{obj{"title": "y"}}), rules: []string{"v2.legacy"}, at: "embeds"},
		"a poll with the flag":               {first: with(message(words("x")), "poll", obj{}), rules: []string{"v2.legacy"}, at: "poll"},
		"empty content with the flag":        {first: with(message(words("x")), "content", "", "embeds", nil, "tts", false)},
		"the flag without components":        {first: with(message(), "components", list{}), rules: []string{"field.empty"}, at: "components"},
		"components without the flag":        {first: with(message(words("x")), "flags", 0), rules: []string{"v2.flag"}, at: "components.0.type"},
		"a row without the flag":             {first: with(message(row(button("a", "Yes"))), "flags", 0, "content", "x")},
		"six rows without the flag":          {first: with(message(row(button("a", "1")), row(button("b", "2")), row(button("c", "3")), row(button("d", "4")), row(button("e", "5")), row(button("f", "6"))), "flags", 0), rules: []string{"message.rows"}, at: "components"},
		"an edit that leaves the flag out":   {first: message(words("x")), edit: obj{"components": list{words("y")}, "allowed_mentions": noMentions}},
		"an edit that takes the flag off":    {first: message(words("x")), edit: obj{"flags": 0, "components": list{words("y")}, "allowed_mentions": noMentions}, rules: []string{"v2.flag"}, at: "components.0.type"},
		"an edit to V2 that keeps the text":  {first: plain, edit: message(words("y")), rules: []string{"v2.legacy"}, at: "content"},
		"an edit to V2 that clears the text": {first: plain, edit: with(message(words("y")), "content", nil, "embeds", list{})},
		"an ephemeral post":                  {first: with(message(words("x")), "flags", v2|64), rules: []string{"flags"}, at: "flags"},
		"a flag that cannot be set":          {first: with(message(words("x")), "flags", v2|1), rules: []string{"flags"}, at: "flags"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := discordsim.Start(t, nil)
			sim.Expect(tc.rules...)
			a := ask(t, sim, "POST", "/channels/"+deploys+"/messages", once(tc.first, 1))
			if tc.edit != nil {
				a = ask(t, sim, "PATCH", "/channels/"+deploys+"/messages/"+a.id(), tc.edit)
			}
			wantErrors(t, a, tc.at)
		})
	}
}

// wantErrors checks that a body was refused for one field, or accepted.
func wantErrors(t *testing.T, a answer, at string) {
	t.Helper()
	if at == "" {
		if a.status >= 300 {
			t.Errorf("the answer is %d %v", a.status, a.body)
		}
		return
	}
	if a.status != http.StatusBadRequest || a.code() != 50035 {
		t.Fatalf("the answer is %d %v", a.status, a.body)
	}
	here, _ := a.body["errors"].(obj)
	for name := range strings.SplitSeq(at, ".") {
		here, _ = here[name].(obj)
	}
	found, _ := here["_errors"].(list)
	if len(found) == 0 {
		t.Fatalf("there is nothing at %s in %v", at, a.body["errors"])
	}
	if first := found[0].(obj); first["code"] == "" || first["message"] == "" {
		t.Errorf("the error at %s is %v", at, first)
	}
}

func TestNotifications(t *testing.T) {
	t.Parallel()
	const text = "<@" + dana + "> <@&400000000000000001> @everyone"
	tests := map[string]struct {
		mentions any // nil omits them
		rules    []string
		pinged   string
	}{
		"no mentions allowed":  {mentions: noMentions},
		"one person by id":     {mentions: obj{"parse": list{}, "users": list{dana}}, pinged: dana},
		"another person by ID": {mentions: obj{"parse": list{}, "users": list{sam}}},
		"people":               {mentions: obj{"parse": list{"users"}}, pinged: dana},
		"roles":                {mentions: obj{"parse": list{"roles"}}, pinged: "400000000000000001"},
		"everyone":             {mentions: obj{"parse": list{"everyone"}}, pinged: "everyone"},
		"unset":                {rules: []string{"allowed_mentions"}, pinged: dana + " 400000000000000001 everyone"},
		"parse is null":        {mentions: obj{"parse": nil}},
	}
	for name, tc := range tests {
		for _, v2Message := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, V2 %v", name, v2Message), func(t *testing.T) {
				t.Parallel()
				sim := discordsim.Start(t, nil)
				sim.Expect(tc.rules...)
				o := obj{"content": text}
				if v2Message {
					o = obj{"flags": v2, "components": list{words(text)}}
				}
				if tc.mentions != nil {
					o["allowed_mentions"] = tc.mentions
				}
				put(t, sim, once(o, 1))
				var pinged []string
				for _, e := range sim.Timeline().Events(chatsim.Pinged) {
					pinged = append(pinged, e.Person)
				}
				if got := strings.Join(pinged, " "); got != tc.pinged {
					t.Errorf("notified are %q, want %q", got, tc.pinged)
				}
			})
		}
	}
}

func TestContradictoryMentions(t *testing.T) {
	t.Parallel()
	many := list{}
	for i := range 101 {
		many = append(many, fmt.Sprint(300000000000000000+i))
	}
	for name, tc := range map[string]struct {
		mentions obj
		rule, at string
	}{
		"a person twice":     {obj{"parse": list{}, "users": list{dana, sam, dana}}, "allowed_mentions.unique", "allowed_mentions.users.2"},
		"people twice":       {obj{"parse": list{"users"}, "users": list{dana}}, "allowed_mentions.either", "allowed_mentions"},
		"too many people":    {obj{"parse": list{}, "users": many}, "allowed_mentions.ids", "allowed_mentions.users"},
		"a word for a list":  {obj{"parse": "users"}, "field.kind", "allowed_mentions.parse"},
		"a name for an id":   {obj{"parse": list{}, "users": list{"dana"}}, "field.kind", "allowed_mentions.users.0"},
		"an answer in words": {obj{"parse": list{}, "replied_user": "no"}, "field.kind", "allowed_mentions.replied_user"},
		"an unknown word":    {obj{"parse": list{"friends"}}, "field.kind", "allowed_mentions.parse.0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := discordsim.Start(t, nil)
			sim.Expect(tc.rule)
			wantErrors(t, ask(t, sim, "POST", "/channels/"+deploys+"/messages",
				once(obj{"content": "x", "allowed_mentions": tc.mentions}, 1)), tc.at)
		})
	}
}

func TestReplyReference(t *testing.T) {
	t.Parallel()
	sim := discordsim.Start(t, nil)
	id := put(t, sim, once(question("a1", "Yes"), 1))
	reply := func(to obj) answer {
		return ask(t, sim, "POST", "/channels/"+deploys+"/messages",
			obj{"content": "x", "allowed_mentions": noMentions, "message_reference": to, "nonce": 2, "enforce_nonce": true})
	}
	if a := reply(obj{"message_id": id}); a.body["type"] != 19.0 || a.body["nonce"] != "2" {
		t.Errorf("the reply is %v", a.body)
	}
	sim.Expect("field.kind")
	wantErrors(t, reply(obj{"message_id": "1"}), "message_reference")
	wantErrors(t, reply(obj{"message_id": "the last one"}), "message_reference.message_id")
	sim.Expect("field.required")
	wantErrors(t, reply(obj{"channel_id": deploys}), "message_reference.message_id")
}

func TestHistoryPermission(t *testing.T) {
	t.Parallel()
	sim := discordsim.Start(t, nil)
	path := "/channels/" + deploys + "/messages"
	id := put(t, sim, once(question("a1", "Yes"), 1))
	sim.Deny(deploys, discordsim.ReadMessageHistory)
	if a := ask(t, sim, "GET", path, nil); a.status != http.StatusOK || len(a.list) != 0 {
		t.Errorf("the list is %d %v", a.status, a.list)
	}
	if a := ask(t, sim, "GET", path+"/"+id, nil); a.code() != 50013 {
		t.Errorf("the message is %d %v", a.status, a.body)
	}
	if a := ask(t, sim, "PATCH", path+"/"+id, question("a1", "No")); a.status != http.StatusOK {
		t.Errorf("the edit is %d %v", a.status, a.body)
	}
	denied := ask(t, sim, "GET", "/channels/"+deploys, nil).body["permission_overwrites"].(list)[0].(obj)
	if denied["deny"] != "65536" || denied["id"] != botUser {
		t.Errorf("the channel denies %v", denied)
	}
	sim.DeleteChannel(deploys)
	if a := ask(t, sim, "PATCH", path+"/"+id, question("a1", "No")); a.code() != 10003 {
		t.Errorf("the edit in a channel that is gone is %d %v", a.status, a.body)
	}
}
