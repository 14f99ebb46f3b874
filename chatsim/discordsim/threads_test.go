package discordsim_test

import (
	"strings"
	"testing"

	"github.com/askbridge/askbridge/chatsim/discordsim"
)

const (
	forum   = "220000000000000001"
	tagged  = "220000000000000002"
	bug     = "230000000000000001"
	release = "210000000000000001"
)

func withForums(t *testing.T) *discordsim.Server {
	t.Helper()
	return discordsim.Start(t, &discordsim.Options{Channels: []discordsim.Channel{
		{ID: deploys, Name: "deploys"},
		{ID: release, Name: "release", Parent: deploys},
		{ID: forum, Name: "ideas", Forum: true},
		{ID: tagged, Name: "bugs", Forum: true, NeedsTag: true, Tags: []discordsim.Tag{{ID: bug, Name: "bug"}}},
	}})
}

func post(name string, more ...any) obj {
	return with(obj{"name": name, "message": question("a1", "Yes")}, more...)
}

func TestStartThread(t *testing.T) {
	t.Parallel()
	six := list{bug, bug, bug, bug, bug, bug}
	for name, tc := range map[string]struct {
		path   string // M is a message of #deploys
		body   obj
		before func(*discordsim.Server)
		rules  []string
		status int
		code   int
	}{
		"from a message":                   {path: deploys + "/messages/M", body: obj{"name": "4.2"}, status: 201},
		"without a name":                   {path: deploys + "/messages/M", body: obj{}, rules: []string{"field.required"}, status: 400, code: 50035},
		"with a long name":                 {path: deploys + "/messages/M", body: obj{"name": strings.Repeat("x", 101)}, rules: []string{"thread.name"}, status: 400, code: 50035},
		"that archives itself at any time": {path: deploys + "/messages/M", body: obj{"name": "4.2", "auto_archive_duration": 61}, rules: []string{"thread.auto_archive_duration"}, status: 400, code: 50035},
		"from a message that is gone":      {path: deploys + "/messages/1", body: obj{"name": "4.2"}, status: 404, code: 10008},
		"where the bot may not": {
			path: deploys + "/messages/M", body: obj{"name": "4.2"},
			before: func(s *discordsim.Server) { s.Deny(deploys, discordsim.CreatePublicThreads) }, status: 403, code: 50013,
		},
		"without a message":           {path: deploys, body: obj{"name": "4.2", "type": 11}, status: 201},
		"without a type":              {path: deploys, body: obj{"name": "4.2"}, status: 403, code: 50013},
		"in a thread":                 {path: release, body: obj{"name": "4.2", "type": 11}, status: 400, code: 50024},
		"as a post":                   {path: forum, body: post("Idea"), status: 201},
		"as a post without a message": {path: forum, body: obj{"name": "Idea"}, status: 400, code: 50006},
		"as a post with a bad card":   {path: forum, body: obj{"name": "Idea", "message": obj{"components": list{obj{"type": 10, "content": "x"}}, "allowed_mentions": obj{"parse": list{}}}}, rules: []string{"v2.flag"}, status: 400, code: 50035},
		"as a post without its tag":   {path: tagged, body: post("Bug"), status: 400, code: 40067},
		"as a post with its tag":      {path: tagged, body: post("Bug", "applied_tags", list{bug}), status: 201},
		"as a post with six tags":     {path: tagged, body: post("Bug", "applied_tags", six), rules: []string{"thread.tags"}, status: 400, code: 50035},
		"as a post with another tag":  {path: tagged, body: post("Bug", "applied_tags", list{"1"}), rules: []string{"field.kind"}, status: 400, code: 50035},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := withForums(t)
			sim.Expect(tc.rules...)
			m := put(t, sim, once(question("a0", "Yes"), 1))
			if tc.before != nil {
				tc.before(sim)
			}
			a := ask(t, sim, "POST", "/channels/"+strings.Replace(tc.path, "M", m, 1)+"/threads", tc.body)
			if a.status != tc.status || a.code() != tc.code {
				t.Fatalf("answered with %d %v, want %d %d", a.status, a.body, tc.status, tc.code)
			}
			if tc.status != 201 {
				return
			}
			parent, _, _ := strings.Cut(tc.path, "/")
			if a.body["parent_id"] != parent || a.body["type"] != 11.0 {
				t.Errorf("the thread is %v", a.body)
			}
			if strings.HasSuffix(tc.path, "M") && a.id() != m {
				t.Errorf("the thread is %s, and its message %s", a.id(), m)
			}
			if first, _ := a.body["message"].(obj); first != nil && first["id"] != a.body["id"] {
				t.Errorf("the post is %v, and its message %v", a.body["id"], first["id"])
			}
			if a := ask(t, sim, "POST", "/channels/"+a.id()+"/messages", once(question("a2", "Go"), 2)); a.status != 200 {
				t.Errorf("it takes no message: %d %v", a.status, a.body)
			}
			if sees := sim.Seat(dana).Sees(); !strings.Contains(sees, "[Go]") {
				t.Errorf("Dana sees\n%s", sees)
			}
		})
	}
}

func TestMessageHasOneThread(t *testing.T) {
	t.Parallel()
	sim := withForums(t)
	path := "/channels/" + deploys + "/messages/" + put(t, sim, once(question("a0", "Yes"), 1))
	ask(t, sim, "POST", path+"/threads", obj{"name": "4.2"})
	ask(t, sim, "PATCH", path, question("a0", "No"))
	if a := ask(t, sim, "POST", path+"/threads", obj{"name": "4.2"}); a.code() != 160004 {
		t.Errorf("a second thread was answered with %d %v", a.status, a.body)
	}
}

func TestForumRejectsMessages(t *testing.T) {
	t.Parallel()
	sim := withForums(t)
	if a := ask(t, sim, "POST", "/channels/"+forum+"/messages", once(question("a1", "Yes"), 1)); a.status != 400 || a.code() != 40058 {
		t.Errorf("answered with %d %v", a.status, a.body)
	}
	if a := ask(t, sim, "GET", "/channels/"+tagged, nil); a.body["type"] != 15.0 || a.body["flags"] != 16.0 {
		t.Errorf("the forum is %v", a.body)
	}
}

func TestAddingPeopleToThreads(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		channel, person string
		archived        bool
		status, code    int
	}{
		"a member":              {release, dana, false, 204, 0},
		"to an archived thread": {release, dana, true, 400, 50083},
		"unknown person":        {release, "300000000000000404", false, 404, 10007},
		"to a channel":          {deploys, dana, false, 400, 50024},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := withForums(t)
			if tc.archived {
				sim.Archive(release, false)
			}
			if a := ask(t, sim, "PUT", "/channels/"+tc.channel+"/thread-members/"+tc.person, nil); a.status != tc.status || a.code() != tc.code {
				t.Errorf("answered with %d %v, want %d %d", a.status, a.body, tc.status, tc.code)
			}
		})
	}
}
