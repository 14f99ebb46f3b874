package discordsim_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
)

// sent is a file of a request.
type sent struct{ part, name, content string }

// along makes a request with files and a body.
func along(t *testing.T, sim *discordsim.Server, verb, path string, body any, parts ...sent) answer {
	t.Helper()
	var raw bytes.Buffer
	form := multipart.NewWriter(&raw)
	payload, _ := json.Marshal(body)
	if err := form.WriteField("payload_json", string(payload)); err != nil {
		t.Fatal(err)
	}
	for _, p := range parts {
		w, err := form.CreateFormFile(p.part, p.name)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(w, p.content)
	}
	_ = form.Close()
	req, err := http.NewRequestWithContext(t.Context(), verb, sim.APIURL()+"/v10"+path, &raw)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("User-Agent", "DiscordBot (https://example.org, 1)")
	req.Header.Set("Content-Type", form.FormDataContentType())
	req.Header.Set("Authorization", "Bot discord-sim-token")
	resp, err := sim.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	out := answer{status: resp.StatusCode, header: resp.Header}
	if resp.StatusCode != http.StatusNoContent {
		if err := json.NewDecoder(resp.Body).Decode(&out.body); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// file is a component that shows a file of the message.
func file(name string) obj { return obj{"type": 13, "file": obj{"url": "attachment://" + name}} }

func TestFileOnMessage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := discordsim.Start(t, nil)
		card := once(message(words("Deploy?"), file("plan.diff"), obj{"type": 12, "items": list{with(picture("attachment://graph.png"), "description", "a graph")}}), 1)
		a := along(t, sim, "POST", "/channels/"+deploys+"/messages", card, sent{"files[0]", "plan.diff", "+ new"}, sent{"files[1]", "graph.png", "\x89PNG"})
		if a.status != http.StatusOK {
			t.Fatalf("the answer is %d %v", a.status, a.body)
		}
		if n := len(a.body["attachments"].(list)); n != 0 {
			t.Errorf("a message with the V2 flag lists %d files; its components name them", n)
		}
		shown := a.body["components"].(list)[1].(obj)
		media := shown["file"].(obj)
		if shown["name"] != "plan.diff" || shown["size"] != 5.0 || media["attachment_id"] == "" {
			t.Errorf("the file is %v", shown)
		}
		link := media["url"].(string)
		if status, body := fetch(t, sim, link); status != http.StatusOK || body != "+ new" {
			t.Errorf("its URL: %d %q", status, body)
		}
		if status, _ := fetch(t, sim, strings.Replace(link, "hm=", "hm=0", 1)); status != http.StatusNotFound {
			t.Errorf("forged URL: status %d", status)
		}
		if want := "askbridge\nDeploy?\n📎 plan.diff (5 bytes)\n🖼 a graph"; sim.Seat(dana).Sees() != want {
			t.Errorf("she sees\n%s\nwant\n%s", sim.Seat(dana).Sees(), want)
		}

		path := "/channels/" + deploys + "/messages/" + a.id()
		if e := ask(t, sim, "PATCH", path, message(words("Deployed."), file("plan.diff"))); e.status != http.StatusOK {
			t.Errorf("an edit without files keeps them: %d %v", e.status, e.body)
		}
		time.Sleep(25 * time.Hour)
		if status, _ := fetch(t, sim, link); status != http.StatusNotFound {
			t.Errorf("after a day: status %d", status)
		}
		again := ask(t, sim, "GET", path, nil)
		fresh := again.body["components"].(list)[1].(obj)["file"].(obj)["url"].(string)
		if status, _ := fetch(t, sim, fresh); status != http.StatusOK {
			t.Errorf("fresh URL: status %d", status)
		}
		if files := sim.Files(); len(files) != 2 || string(files[0].Content) != "+ new" || files[0].Message != a.id() || files[0].Channel != deploys {
			t.Errorf("the double holds %+v", files)
		}
		if e := ask(t, sim, "PATCH", path, with(message(words("Deployed.")), "attachments", list{})); e.status != http.StatusOK || len(sim.Files()) != 0 {
			t.Errorf("an edit that lists no files: %d, there are %d", e.status, len(sim.Files()))
		}
	})
}

func fetch(t *testing.T, sim *discordsim.Server, link string) (status int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, link, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := sim.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(raw)
}

func TestUpdateResponseDropsUnlistedFiles(t *testing.T) {
	t.Parallel()
	for name, lists := range map[string]bool{"listed": true, "not listed": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := discordsim.Start(t, nil)
			card := once(message(file("plan.diff"), row(button("a1", "Yes"))), 1)
			posted := along(t, sim, "POST", "/channels/"+deploys+"/messages", card, sent{"files[0]", "plan.diff", "+ new"})
			i := during(t, sim, func() error { return sim.Seat(dana).Press(t.Context(), "Yes") })
			edit := message(file("plan.diff"))
			if lists {
				edit["attachments"] = list{obj{"id": posted.body["components"].(list)[0].(obj)["file"].(obj)["attachment_id"]}}
			} else {
				sim.Expect("media.reference")
			}
			if a := i.respond(t, obj{"type": 7, "data": edit}); (a.status == http.StatusNoContent) != lists {
				t.Errorf("the answer is %d %v", a.status, a.body)
			}
			if !lists {
				i.respond(t, obj{"type": 6})
			}
		})
	}
}

func TestInvalidFiles(t *testing.T) {
	t.Parallel()
	plan := sent{"files[0]", "plan.diff", "+ new"}
	eleven := func() []sent {
		var out []sent
		for i := range 11 {
			out = append(out, sent{fmt.Sprintf("files[%d]", i), "x.txt", "x"})
		}
		return out
	}()
	plain := obj{"content": "See.", "allowed_mentions": noMentions}
	for name, tc := range map[string]struct {
		body   obj
		parts  []sent
		before func(*discordsim.Server)
		status int
		code   int
		rule   string
		at     string
	}{
		"a file below a text":              {body: plain, parts: []sent{plan}, status: 200},
		"a file and no text":               {body: obj{"allowed_mentions": noMentions}, parts: []sent{plan}, status: 200},
		"a described file":                 {body: with(plain, "attachments", list{obj{"id": 0, "description": "the plan"}}), parts: []sent{plan}, status: 200},
		"a list that names no file":        {body: with(plain, "attachments", list{obj{"id": "1"}}), parts: []sent{plan}, status: 400, code: 50035, rule: "attachments", at: "attachments.0.id"},
		"a description of 1,025":           {body: with(plain, "attachments", list{obj{"id": 0, "description": long(1025)}}), parts: []sent{plan}, status: 400, code: 50035, rule: "media.description", at: "attachments.0.description"},
		"eleven files":                     {body: plain, parts: eleven, status: 400, code: 30015, rule: "message.files"},
		"a file over 10 MiB":               {body: plain, parts: []sent{{"files[0]", "x.bin", long(10<<20 + 1)}}, status: 413, code: 40005, rule: "file.bytes"},
		"a part of another name":           {body: plain, parts: []sent{{"plan", "plan.diff", "+ new"}}, status: 400, code: 50035, rule: "request.parts"},
		"a bot that may not attach":        {body: plain, parts: []sent{plan}, before: func(s *discordsim.Server) { s.Deny(deploys, discordsim.AttachFiles) }, status: 403, code: 50013},
		"a component for another file":     {body: message(file("other.diff")), parts: []sent{plan}, status: 400, code: 50035, rule: "media.reference", at: "components.0.file.url"},
		"a file no component speaks of":    {body: message(words("See.")), parts: []sent{plan}, status: 200},
		"a list of files that is no list":  {body: with(plain, "attachments", obj{}), status: 400, code: 50035, rule: "field.kind", at: "attachments"},
		"a thumbnail that came along":      {body: message(obj{"type": 9, "components": list{words("x")}, "accessory": with(picture("attachment://x.png"), "type", 11)}), parts: []sent{{"files[0]", "x.png", "x"}}, status: 200},
		"a thumbnail that did not":         {body: message(obj{"type": 9, "components": list{words("x")}, "accessory": with(picture("attachment://x.png"), "type", 11)}), status: 400, code: 50035, rule: "media.reference", at: "components.0.accessory.media.url"},
		"an empty message, and no file":    {body: obj{"allowed_mentions": noMentions}, status: 400, code: 50006},
		"a file of a message without flag": {body: obj{"components": list{file("plan.diff")}, "allowed_mentions": noMentions}, parts: []sent{plan}, status: 400, code: 50035, rule: "v2.flag", at: "components.0.type"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := discordsim.Start(t, nil)
			if tc.before != nil {
				tc.before(sim)
			}
			if tc.rule != "" {
				sim.Expect(tc.rule)
			}
			a := along(t, sim, "POST", "/channels/"+deploys+"/messages", once(tc.body, 1), tc.parts...)
			if a.status != tc.status || a.code() != tc.code {
				t.Errorf("the answer is %d %v, want %d %d", a.status, a.body, tc.status, tc.code)
			}
			if tc.at != "" {
				wantErrors(t, a, tc.at)
			}
			if unseen := strings.Contains(name, "no component speaks"); warned(sim, "note.file") != unseen {
				t.Errorf("noted: %v", !unseen)
			}
		})
	}
}

func TestFileUploadInForm(t *testing.T) {
	t.Parallel()
	sim, seat, got := withForm(t, label("Log?", files("max_values", 2, "file_types", list{"image", ".log"})))
	ctx := t.Context()
	if err := seat.Attach(ctx, "Log?", "plan.diff", []byte("x")); err == nil || !strings.Contains(err.Error(), "takes only") {
		t.Errorf("a file of another type: %v", err)
	}
	if err := seat.Submit(ctx); err == nil || !strings.Contains(seat.Sees(), "This field is required") {
		t.Errorf("sent without a file: %v\n%s", err, seat.Sees())
	}
	for _, name := range []string{"run.LOG", "screen.png"} {
		if err := seat.Attach(ctx, "Log?", name, []byte("all of it")); err != nil {
			t.Fatal(err)
		}
	}
	if err := seat.Attach(ctx, "Log?", "third.log", nil); err == nil || !strings.Contains(err.Error(), "no more than 2") {
		t.Errorf("a third one: %v", err)
	}
	if !strings.Contains(seat.Sees(), "2 chosen") {
		t.Errorf("she sees\n%s", seat.Sees())
	}
	if err := seat.Submit(ctx); err != nil {
		t.Fatal(err)
	}
	field := got.components(t).(list)[0].(obj)["component"].(obj)
	ids, _ := field["values"].(list)
	all, _ := got.all[len(got.all)-1]["data"].(obj)["resolved"].(obj)["attachments"].(obj)
	if len(ids) != 2 || field["type"] != 19.0 {
		t.Fatalf("the field holds %v", field)
	}
	first, _ := all[ids[0].(string)].(obj)
	if first["filename"] != "run.LOG" || first["ephemeral"] != true || first["size"] != 9.0 {
		t.Errorf("the file is %v", first)
	}
	if status, body := fetch(t, sim, first["url"].(string)); status != http.StatusOK || body != "all of it" {
		t.Errorf("its URL: %d %q", status, body)
	}
}

// warned reports whether the timeline has a note about this rule.
func warned(sim *discordsim.Server, rule string) bool {
	return slices.ContainsFunc(sim.Timeline().Events(chatsim.Warned), func(e chatsim.Event) bool { return strings.HasPrefix(e.Text, rule+":") })
}
