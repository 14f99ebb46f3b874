package discordsim_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
)

func aPoll(answers int, more ...any) obj {
	list := many(answers, func(i int) any { return obj{"poll_media": obj{"text": fmt.Sprint("answer ", i)}} })
	return with(obj{"question": obj{"text": "Which database?"}, "answers": list, "duration": 24}, more...)
}

func polling(p any) obj { return once(obj{"poll": p, "allowed_mentions": noMentions}, 1) }

func TestPoll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := discordsim.Start(t, nil)
		l, _ := ready(t, sim, "intents", 1<<24)
		ctx, seat := t.Context(), sim.Seat(dana)
		id := put(t, sim, polling(aPoll(2)))
		path := "/channels/" + deploys + "/polls/" + id
		for _, answer := range []string{"answer 0", "answer 1"} { // The second replaces the first.
			if err := seat.Vote(ctx, id, answer); err != nil {
				t.Fatal(err)
			}
		}
		for _, want := range []string{"MESSAGE_POLL_VOTE_ADD 1", "MESSAGE_POLL_VOTE_REMOVE 1", "MESSAGE_POLL_VOTE_ADD 2"} {
			next := l.next()
			if got := fmt.Sprint(next["t"], " ", next["d"].(obj)["answer_id"]); got != want {
				t.Errorf("the app receives %s, want %s", got, want)
			}
		}
		if sees := seat.Sees(); !strings.HasSuffix(sees, "Which database?\n○ answer 0 (0)\n● answer 1 (1)") {
			t.Errorf("she sees\n%s", sees)
		}
		if a := ask(t, sim, "GET", path+"/answers/2", nil); len(a.body["users"].(list)) != 1 {
			t.Errorf("the voters are %v", a.body)
		}
		if a := ask(t, sim, "POST", path+"/expire", nil); a.body["poll"].(obj)["results"].(obj)["is_finalized"] != true {
			t.Errorf("ended, it is %v", a.body["poll"])
		}
		if a := ask(t, sim, "POST", path+"/expire", nil); a.code() != 520001 {
			t.Errorf("ended twice: %d %v", a.status, a.body)
		}
		if err := seat.Vote(ctx, id, "answer 0"); !errors.Is(err, chatsim.ErrNotThere) {
			t.Errorf("a vote after the end: %v", err)
		}
		if a := ask(t, sim, "PATCH", "/channels/"+deploys+"/messages/"+id, message(words("x"))); a.status != http.StatusBadRequest || a.code() != 520003 {
			t.Errorf("an edit of it: %d %v", a.status, a.body)
		}
	})
}

func TestInvalidPolls(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		body obj
		rule string
		at   string
		deny discordsim.Permission
		code int
	}{
		"ten answers":                   {body: polling(aPoll(10))},
		"eleven answers":                {body: polling(aPoll(11)), rule: "poll.answers", at: "poll.answers"},
		"no answers":                    {body: polling(aPoll(0)), rule: "field.empty", at: "poll.answers"},
		"no question":                   {body: polling(with(aPoll(1), "question", nil)), rule: "field.required", at: "poll.question"},
		"a question of 301 characters":  {body: polling(aPoll(1, "question", obj{"text": long(301)})), rule: "poll.question", at: "poll.question.text"},
		"an answer of 56 characters":    {body: polling(aPoll(1, "answers", list{obj{"poll_media": obj{"text": long(56)}}})), rule: "poll.answer", at: "poll.answers.0.poll_media.text"},
		"a poll of 33 days":             {body: polling(aPoll(1, "duration", 769)), rule: "poll.duration", at: "poll.duration"},
		"a poll with components":        {body: once(with(message(words("x")), "poll", aPoll(1)), 1), rule: "v2.legacy", at: "poll"},
		"a bot that may not send polls": {body: polling(aPoll(1)), deny: discordsim.SendPolls, code: 50013},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := discordsim.Start(t, nil)
			sim.Deny(deploys, tc.deny)
			if tc.rule != "" {
				sim.Expect(tc.rule)
			}
			a := ask(t, sim, "POST", "/channels/"+deploys+"/messages", tc.body)
			if tc.code != 0 {
				if a.code() != tc.code {
					t.Errorf("the answer is %d %v", a.status, a.body)
				}
				return
			}
			wantErrors(t, a, tc.at)
		})
	}
}

func TestBulkDelete(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := discordsim.Start(t, &discordsim.Options{Permissions: discordsim.ManageMessages})
		sim.Expect("messages.bulk")
		bulk := func(ids ...any) int {
			return ask(t, sim, "POST", "/channels/"+deploys+"/messages/bulk-delete", obj{"messages": append(list{}, ids...)}).code()
		}
		post := func(n int) string { return put(t, sim, once(message(words("x")), n)) }
		old := post(1)
		if code := bulk(old); code != 50016 {
			t.Errorf("one message: %d", code)
		}
		if code := bulk(many(101, func(i int) any { return fmt.Sprint(i) })...); code != 50016 {
			t.Errorf("101 messages: %d", code)
		}
		time.Sleep(15 * 24 * time.Hour)
		if code := bulk(old, post(2)); code != 50034 {
			t.Errorf("one that is two weeks old: %d", code)
		}
		if code := bulk(post(3), post(4)); code != 0 || strings.Count(sim.Seat(dana).Sees(), "askbridge") != 2 {
			t.Errorf("two of today: %d\n%s", code, sim.Seat(dana).Sees())
		}
	})
}

func TestTooManyDirectMessagesFlagBot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		people := make([]discordsim.Person, 0, 200)
		for i := range 200 {
			people = append(people, discordsim.Person{ID: fmt.Sprint(300000000000000000 + i)})
		}
		sim := discordsim.Start(t, &discordsim.Options{People: people})
		sim.Expect("requests.invalid")
		codes := map[int]int{}
		for _, p := range people {
			codes[ask(t, sim, "POST", "/users/@me/channels", obj{"recipient_id": p.ID}).code()]++
			time.Sleep(100 * time.Millisecond)
		}
		if codes[0] != 30 || codes[40003] != 3 || codes[20026] != 167 {
			t.Errorf("the answers are %v", codes)
		}
		time.Sleep(time.Hour)
		if code := ask(t, sim, "POST", "/users/@me/channels", obj{"recipient_id": people[199].ID}).code(); code != 20026 {
			t.Errorf("an hour later: %d; only an appeal helps", code)
		}
	})
}

func TestEditCommands(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := discordsim.Start(t, nil)
		first := ask(t, sim, "POST", allCommands, chatCommand("ask"))
		ask(t, sim, "POST", allCommands, chatCommand("other"))
		path := allCommands + "/" + first.id()
		if a := ask(t, sim, "PATCH", path, obj{"name": "other"}); a.status != http.StatusBadRequest || a.code() != 40041 {
			t.Errorf("a name that is taken: %d %v", a.status, a.body)
		}
		if a := ask(t, sim, "PATCH", path, obj{"name": "question"}); a.status != http.StatusOK || a.body["name"] != "question" || a.body["description"] != "what it does" {
			t.Errorf("a new name: %d %v", a.status, a.body)
		}
		if a := ask(t, sim, "PATCH", allCommands+"/1", obj{"name": "x"}); a.code() != 10063 {
			t.Errorf("no such command: %d %v", a.status, a.body)
		}
		named := func(prefix string) list {
			return many(100, func(i int) any { return chatCommand(fmt.Sprint(prefix, i)) })
		}
		if a := ask(t, sim, "PUT", allCommands, named("a")); a.status != http.StatusOK {
			t.Fatalf("100 new ones: %d %v", a.status, a.body)
		}
		time.Sleep(time.Second)
		if a := ask(t, sim, "PUT", allCommands, named("b")); a.status != http.StatusBadRequest || a.code() != 30034 {
			t.Errorf("202 in a day: %d %v", a.status, a.body)
		}
		if a := ask(t, sim, "PUT", allCommands, named("a")); a.status != http.StatusOK {
			t.Errorf("those that are known cost nothing: %d %v", a.status, a.body)
		}
		time.Sleep(24 * time.Hour)
		if a := ask(t, sim, "PUT", allCommands, named("b")); a.status != http.StatusOK {
			t.Errorf("the day after: %d %v", a.status, a.body)
		}
	})
}

func TestUserInstalledApp(t *testing.T) {
	t.Parallel()
	sim := discordsim.Start(t, &discordsim.Options{UserInstalled: true, Unlimited: true})
	if a := ask(t, sim, "POST", "/channels/"+deploys+"/messages", once(message(words("x")), 1)); a.status != http.StatusForbidden || a.code() != 50001 {
		t.Errorf("its bot is no member: %d %v", a.status, a.body)
	}
	if a := ask(t, sim, "GET", "/guilds/100000000000000001/channels", nil); a.code() != 50001 {
		t.Errorf("channels of its server: %d %v", a.status, a.body)
	}
	if a := ask(t, sim, "GET", "/users/@me/guilds", nil); a.status != http.StatusOK || a.code() != 0 {
		t.Errorf("its servers: %d %v", a.status, a.body)
	}
	ask(t, sim, "PUT", allCommands, list{chatCommand("ask")})
	i := during(t, sim, func() error { return sim.Seat(dana).Command(t.Context(), deploys, "ask", nil) })
	if owners := i.obj["authorizing_integration_owners"].(obj); owners["1"] != dana || owners["0"] != nil {
		t.Errorf("it is installed for %v", owners)
	}
	i.respond(t, obj{"type": 4, "data": message(words("Which?"))})
	for n := range 6 {
		want := map[bool]int{true: 40094}[n == 5]
		if a := i.hook(t, "POST", "", message(words("More"))); a.code() != want {
			t.Errorf("follow-up %d: %d %v", n+1, a.status, a.body)
		}
	}
}
