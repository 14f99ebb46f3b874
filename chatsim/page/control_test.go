package page_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/chatsim/page"
	"github.com/askbridge/askbridge/chatsim/slacksim"
)

// controlAPI is the control API as a program uses it, each answer held against the document.
type controlAPI struct {
	*testing.T

	url    string
	doc    map[string]any
	seen   map[string]bool // "GET /api/state 200"
	schema *jsonschema.Compiler
}

const documentURL = "mem:openapi.json"

func startControl(t *testing.T, opts *page.Options, chats ...page.Chat) *controlAPI {
	t.Helper()
	srv := httptest.NewServer(page.Handler(opts, chats...))
	t.Cleanup(srv.Close)
	c := &controlAPI{T: t, url: srv.URL, seen: map[string]bool{}, schema: jsonschema.NewCompiler()}
	c.schema.DefaultDraft(jsonschema.Draft2020)
	status, body := c.raw("GET", "/api/openapi.json", "")
	if status != http.StatusOK {
		t.Fatalf("the document: %d", status)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.schema.AddResource(documentURL, doc); err != nil {
		t.Fatal(err)
	}
	c.doc, _ = doc.(map[string]any)
	return c
}

// calls is a call of an app to Slack.
func calls(t *testing.T, slack *slacksim.Server, method, body string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, slack.APIURL()+method, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer xoxb-sim")
	resp, err := slack.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	out, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// uploads sends the bytes of a file as an app does.
func uploads(t *testing.T, slack *slacksim.Server, to, content string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, to, strings.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := slack.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
}

func (c *controlAPI) raw(method, path, body string) (int, []byte) {
	c.Helper()
	req, err := http.NewRequestWithContext(c.Context(), method, c.url+path, strings.NewReader(body))
	if err != nil {
		c.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.Fatal(err)
	}
	defer resp.Body.Close()
	out, err := io.ReadAll(resp.Body)
	if err != nil {
		c.Fatal(err)
	}
	return resp.StatusCode, out
}

// call makes a call, and holds what is asked and answered against the document.
func (c *controlAPI) call(want int, method, path, body string) map[string]any {
	c.Helper()
	status, raw := c.raw(method, path, body)
	if status != want {
		c.Fatalf("%s %s %s: %d %s, want %d", method, path, body, status, raw, want)
	}
	bare, _, _ := strings.Cut(path, "?")
	name := fmt.Sprintf("%s %s %d", method, bare, status)
	c.seen[name] = true
	at := "/paths/" + strings.ReplaceAll(strings.ReplaceAll(bare, "~", "~0"), "/", "~1") + "/" + strings.ToLower(method)
	if body != "" && status == http.StatusOK {
		c.hold(name+", what is asked", at+"/requestBody/content/application~1json/schema", []byte(body))
	}
	if !json.Valid(raw) {
		return map[string]any{"text": string(raw)} // In the document, this is text/plain or an event stream.
	}
	c.hold(name, fmt.Sprintf("%s/responses/%d/content/application~1json/schema", at, status), raw)
	var out map[string]any
	_ = json.Unmarshal(raw, &out) // A list is of no interest here.
	return out
}

func (c *controlAPI) hold(name, at string, raw []byte) {
	c.Helper()
	schema, err := c.schema.Compile(documentURL + "#" + at)
	if err != nil {
		c.Fatalf("%s: the document has no schema for it: %v", name, err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err == nil {
		err = schema.Validate(v)
	}
	if err != nil {
		c.Errorf("%s: does not match the document: %v\n%s", name, err, raw)
	}
}

// documented lists the responses in the document.
func (c *controlAPI) documented() []string {
	var out []string
	for path, methods := range c.doc["paths"].(map[string]any) {
		for method, op := range methods.(map[string]any) {
			for status := range op.(map[string]any)["responses"].(map[string]any) {
				out = append(out, strings.ToUpper(method)+" "+path+" "+status)
			}
		}
	}
	slices.Sort(out)
	return out
}

func TestControlAPI(t *testing.T) {
	t.Parallel()
	slack, discord := slacksim.New(nil), discordsim.New(nil)
	t.Cleanup(func() { _, _ = slack.Close(), discord.Close() })
	slack.DeliverToHandler("/", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	c := startControl(t, &page.Options{
		Connect: &page.Connect{Variables: map[string]string{"A": "b"}, Files: []page.File{{Name: ".env", About: "variables", Text: "A=b\n"}}},
		Cases:   fstest.MapFS{"a.txtar": {Data: []byte("note\n-- slack.json --\n{}\n")}},
	}, page.Slack(slack), page.Discord(discord))
	asks := func() string {
		return calls(t, slack, "chat.postMessage", `{"channel":"C0000001","text":"Which database?","blocks":[{"type":"section","text":{"type":"plain_text","text":"Which database?"}},{"type":"actions","elements":[
			{"type":"button","action_id":"a","text":{"type":"plain_text","text":"Postgres"}}]}]}`)
	}
	asks()

	c.call(200, "GET", "/api/openapi.json", "")
	c.call(200, "GET", "/api/setup", "")
	c.call(200, "GET", "/api/connect", "")
	c.call(200, "GET", "/api/cases", "")
	c.call(200, "GET", "/api/coverage", "")

	// A new person with a role, in a new channel.
	role := c.call(200, "PUT", "/api/roles", `{"platform":"discord","id":"","name":"deciders","mentionable":true}`)["id"].(string)
	who := c.call(200, "PUT", "/api/people", `{"platform":"discord","id":"","name":"lee","real_name":"Lee","roles":["`+role+`"]}`)["id"].(string)
	c.call(200, "PUT", "/api/channels", `{"platform":"discord","id":"","name":"secret","members":["`+who+`"]}`)
	c.call(200, "PUT", "/api/people", `{"platform":"slack","id":"U1","name":"lee","real_name":"Lee","guest":"single_channel","zone":"Europe/Berlin"}`)
	c.call(200, "PUT", "/api/channels", `{"platform":"slack","id":"C9","name":"secret","members":["U1"],"private":true}`)
	c.call(200, "PUT", "/api/roles", `{"platform":"slack","id":"","name":"deciders","members":["U1"]}`)
	state := fmt.Sprint(c.call(200, "GET", "/api/state", ""))
	for _, want := range []string{"Lee", "secret", "deciders", "single_channel", "Europe/Berlin", "Which database?"} {
		if !strings.Contains(state, want) {
			t.Errorf("the state lacks %q", want)
		}
	}
	c.call(200, "PUT", "/api/delivery", `{"platform":"discord","kind":"interactions","url":""}`)
	c.call(400, "PUT", "/api/delivery", `{"platform":"slack","kind":"interactions","url":"localhost:3000"}`)

	// A person answers, looks and writes.
	if seen := c.call(200, "GET", "/api/sees?platform=slack&person=Dana&text=Which&wait=10s", ""); seen["met"] != true {
		t.Errorf("Dana sees %v", seen)
	}
	if seen := c.call(200, "GET", "/api/sees?platform=slack&person=Lee&text=Which", ""); seen["met"] != false {
		t.Errorf("Lee sees %v", seen)
	}
	if got := c.call(200, "POST", "/api/act", `{"platform":"slack","person":"Dana","do":"press","control":"Postgres"}`); got["outcome"] != "done" {
		t.Errorf("the press is %v", got)
	}
	c.call(200, "POST", "/api/act", `{"platform":"slack","person":"U1","do":"say","channel":"C9","text":"hello"}`)
	c.call(200, "POST", "/api/act", `{"platform":"discord","person":"Lee","do":"say","text":"hello"}`)
	events := c.call(200, "GET", "/api/timeline?platform=slack&wait=1s", "")
	last := events["last"].(float64)
	if after := c.call(200, "GET", fmt.Sprintf("/api/timeline?platform=slack&after=%v", last), ""); after["last"] != last {
		t.Errorf("the timeline goes on with %v after %v", after, last)
	}
	if got := c.call(200, "GET", "/api/session", ""); !strings.Contains(fmt.Sprint(got["scene"]), "dana@slack presses \"Postgres\"\n# lee@slack wrote \"hello\"") {
		t.Errorf("the scene is %s", got["scene"])
	}
	ts := slack.Seat("U0000001").Messages("C0000001")[0].TS
	c.call(200, "GET", "/api/inspect?platform=slack&message="+ts, "")

	// Files: one sent by the app, and one chosen for a form.
	got := map[string]any{}
	_ = json.Unmarshal([]byte(calls(t, slack, "files.getUploadURLExternal?filename=plan.diff&length=5", "")), &got)
	uploads(t, slack, got["upload_url"].(string), "+ new")
	calls(t, slack, "files.completeUploadExternal", fmt.Sprintf(`{"files":[{"id":%q}],"channel_id":"C0000001"}`, got["file_id"]))
	if got := c.call(200, "GET", fmt.Sprintf("/api/files?platform=slack&id=%v", got["file_id"]), ""); got["text"] != "+ new" {
		t.Errorf("the file is %v", got)
	}
	c.call(404, "GET", "/api/files?platform=slack&id=F9", "")
	if got := c.call(200, "POST", "/api/act", `{"platform":"discord","person":"Dana","do":"attach","control":"Log?","file":{"name":"a.log","content":"eA=="}}`); got["outcome"] != "gone" {
		t.Errorf("a file for a form that is not open: %v", got)
	}

	// A page of the app's own.
	calls(t, slack, "views.publish", `{"user_id":"U0000001","view":{"type":"home","blocks":[{"type":"section","text":{"type":"plain_text","text":"One question waits."}}]}}`)
	c.call(200, "POST", "/api/act", `{"platform":"slack","person":"Dana","do":"open home"}`)
	if seen := c.call(200, "GET", "/api/sees?platform=slack&person=Dana&channel=home&text=waits", ""); seen["met"] != true {
		t.Errorf("on the Home tab Dana sees %v", seen)
	}

	// Something goes wrong.
	c.call(200, "GET", "/api/faults", "")
	c.call(200, "POST", "/api/faults", `{"platform":"slack","fault":"refuse","word":"is_archived","target":"chat.postMessage","times":2}`)
	if got := asks(); !strings.Contains(got, "is_archived") {
		t.Errorf("the refusal is %s", got)
	}
	c.call(200, "DELETE", "/api/faults?platform=slack", "")
	if got := asks(); !strings.Contains(got, `"ok":true`) {
		t.Errorf("with nothing waiting: %s", got)
	}
	before := slack.Now()
	c.call(200, "POST", "/api/clock", `{"advance":"31m"}`)
	if now := slack.Now(); now.Sub(before).Minutes() < 31 {
		t.Errorf("the clock went from %v to %v", before, now)
	}

	if got := c.call(200, "GET", "/api/session", ""); !strings.Contains(fmt.Sprint(got["scene"]), "time passes 31m0s\n") {
		t.Errorf("the scene is %s", got["scene"])
	}

	// Rules are broken, on purpose and not.
	c.call(200, "GET", "/api/violations", "")
	c.call(200, "POST", "/api/verify", "")
	c.call(200, "POST", "/api/expect", `{"platform":"slack","rules":["request.method"]}`)
	c.call(409, "POST", "/api/verify", "") // It did not come.
	calls(t, slack, "no.such", "{}")
	c.call(200, "POST", "/api/verify", "")
	c.call(200, "POST", "/api/reset", "")
	if state := fmt.Sprint(c.call(200, "GET", "/api/state", "")); strings.Contains(state, "Which database?") || strings.Contains(state, "Lee") {
		t.Errorf("after the reset: %s", state)
	}
	if got := c.call(200, "GET", "/api/session", ""); got["scene"] != "-- steps --\n" {
		t.Errorf("after the reset the scene is %s", got["scene"])
	}
	calls(t, slack, "no.such", "{}")
	if got := c.call(409, "POST", "/api/verify", ""); !strings.Contains(fmt.Sprint(got), "request.method") {
		t.Errorf("the verdict is %v", got)
	}
	for path := range map[string]bool{"people": true, "channels": true, "roles": true, "delivery": true, "act": true, "expect": true, "faults": true} {
		method := map[bool]string{true: "PUT", false: "POST"}[slices.Contains([]string{"people", "channels", "roles", "delivery"}, path)]
		c.call(404, method, "/api/"+path, `{"platform":"irc"}`)
		c.call(400, method, "/api/"+path, `[]`)
	}
	c.call(400, "POST", "/api/clock", `{"advance":"-1m"}`)
	c.call(404, "DELETE", "/api/faults?platform=irc", "")
	for _, status := range []string{"42", "200", "1000", "-1"} {
		c.call(400, "POST", "/api/faults", `{"platform":"slack","fault":"error","status":`+status+`}`)
	}
	for _, path := range []string{"sees?platform=slack&person=Dana&", "timeline?platform=slack&"} {
		c.call(400, "GET", "/api/"+path+"wait=2h", "")
	}
	// Misspelled names are rejected: without them the search would match everything and the fault every method.
	for _, name := range c.documented() {
		if call, ok := strings.CutSuffix(name, " 400"); ok {
			method, path, _ := strings.Cut(call, " ")
			if got := c.call(400, method, path+"?txt=Nothing", ""); !strings.Contains(got["text"].(string), `Unknown parameter "txt"`) {
				t.Errorf("%s: response %q", call, got["text"])
			}
		}
	}
	for _, call := range []string{
		`act {"platform":"slack","person":"Dana","do":"say","chanel":"C0000001","text":"hello"}`,
		`faults {"platform":"slack","fault":"refuse","word":"is_archived","chanel":"chat.postMessage"}`,
	} {
		path, body, _ := strings.Cut(call, " ")
		if got := c.call(400, "POST", "/api/"+path, body); !strings.Contains(got["text"].(string), `Unknown member "chanel"`) {
			t.Errorf("%s: response %q", call, got["text"])
		}
	}
	for _, path := range []string{"sees?platform=slack&person=Nobody", "timeline?platform=irc", "inspect?platform=irc"} {
		c.call(404, "GET", "/api/"+path, "")
	}

	for _, name := range c.documented() {
		if strings.Contains(name, "/api/workspaces") || strings.Contains(name, "install") {
			c.seen[name] = true // TestInstallInSecondWorkspaceToAnswer and TestWorkspaceErrors make these calls.
		}
	}
	c.seen["GET /api/events 200"] = true // TestAStreamStartsWithAllThereIs… reads it.
	if missed := slices.DeleteFunc(c.documented(), func(name string) bool { return c.seen[name] }); len(missed) > 0 {
		t.Errorf("responses without a test: %v", missed)
	}
	for _, name := range slices.Sorted(maps.Keys(c.seen)) {
		if !slices.Contains(c.documented(), name) {
			t.Errorf("the document lacks %s", name)
		}
	}
}

// An operation that is missing in the document would be unknown to users.
func TestDocumentIsComplete(t *testing.T) {
	t.Parallel()
	c := startControl(t, nil)
	var listed []string
	for path, methods := range c.doc["paths"].(map[string]any) {
		for method := range methods.(map[string]any) {
			listed = append(listed, strings.ToUpper(method)+" "+path)
		}
	}
	if want := page.Operations(); !slices.Equal(slices.Sorted(slices.Values(listed)), want) {
		t.Errorf("the document has %v\nthe handler has %v", listed, want)
	}
}
