package slacksim_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
)

const diff = "- old\n+ new\n  same\n  same\n  same\n  same\n  same"

// upload uploads a file to where the parameters say, with the real library.
func upload(t *testing.T, sim *slacksim.Server, p slackapi.UploadFileParameters) string {
	t.Helper()
	p.Content, p.FileSize = diff, len(diff)
	if p.Filename == "" {
		p.Filename = "change.diff"
	}
	f, err := client(sim).UploadFileContext(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return f.ID
}

func TestFileInThread(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := slacksim.Start(t, nil)
		api, ctx := client(sim), t.Context()
		_, card, err := api.PostMessageContext(ctx, "C0000001", slackapi.MsgOptionText("Deploy?", false))
		if err != nil {
			t.Fatal(err)
		}
		id := upload(t, sim, slackapi.UploadFileParameters{
			Title: "The whole change", Channel: "C0000001", ThreadTimestamp: card, InitialComment: "In full:", SnippetType: "diff", AltTxt: "a diff of two lines",
		})
		if sees := sim.Seat("U0000001").Sees(); !strings.Contains(sees, "In full:\n📎 The whole change\n- old\n+ new") || !strings.Contains(sees, "(2 more lines)") || !strings.Contains(sees, "(in thread)") {
			t.Errorf("she sees\n%s", sees)
		}
		info, _, _, err := api.GetFileInfoContext(ctx, id, 0, 0)
		if err != nil || info.Size != len(diff) || info.Filetype != "diff" || len(info.Channels) != 1 || info.Shares.Public["C0000001"][0].ThreadTs != card {
			t.Errorf("files.info: %+v, %v", info, err)
		}
		var got bytes.Buffer
		if err := api.GetFileContext(ctx, info.URLPrivate, &got); err != nil || got.String() != diff {
			t.Errorf("the bytes are %q, %v", got.String(), err)
		}
		files := sim.Files()
		if len(files) != 1 || string(files[0].Content) != diff || files[0].Thread != card || files[0].Alt != "a diff of two lines" || files[0].Message != info.Shares.Public["C0000001"][0].Ts {
			t.Errorf("the double holds %+v", files)
		}
		if err := api.DeleteFileContext(ctx, id); err != nil || strings.Contains(sim.Seat("U0000001").Sees(), "📎") {
			t.Errorf("deleted: %v, she sees\n%s", err, sim.Seat("U0000001").Sees())
		}
	})
}

func TestPrivateFileIsAttachedLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := slacksim.Start(t, nil)
		api, ctx := client(sim), t.Context()
		id := upload(t, sim, slackapi.UploadFileParameters{})
		if sees := sim.Seat("U0000001").Sees(); sees != "" {
			t.Errorf("a private file is seen:\n%s", sees)
		}
		_, ts, err := api.PostMessageContext(ctx, "C0000001", slackapi.MsgOptionText("Deploy?", false))
		if err != nil {
			t.Fatal(err)
		}
		if _, _, _, err := api.UpdateMessageContext(ctx, "C0000001", ts, slackapi.MsgOptionText("Deploy?", false), slackapi.MsgOptionFileIDs([]string{id})); err != nil {
			t.Fatal(err)
		}
		if sees := sim.Seat("U0000001").Sees(); !strings.HasSuffix(sees, "Deploy?\n📎 change.diff") {
			t.Errorf("she sees\n%s", sees)
		}
		sim.Expect("file.upload")
		if reply := call(t, sim, "chat.update", obj{"channel": "C0000001", "ts": ts, "text": "x", "file_ids": list{"F9"}}); reply["error"] != "file_not_found" {
			t.Errorf("unknown file: %v", reply)
		}
	})
}

func TestFileSharedEvent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim, a := subscribed(t)
		sim.Subscribe(slacksim.EventMessage, slacksim.EventFileShared)
		id := upload(t, sim, slackapi.UploadFileParameters{Channel: "C0000001"})
		synctest.Wait()
		kinds := map[any]obj{}
		for _, e := range a.events() {
			kinds[e["type"]] = e
		}
		if kinds["message"]["subtype"] != "file_share" || kinds["file_shared"]["file_id"] != id || kinds["file_shared"]["channel_id"] != "C0000001" {
			t.Errorf("received %v", kinds)
		}
	})
}

func TestInvalidFiles(t *testing.T) {
	t.Parallel()
	announce := func(more ...any) obj { return with(obj{"filename": "a.txt", "length": "3"}, more...) }
	complete := func(more ...any) obj { return with(obj{"files": list{obj{"id": "F9"}}}, more...) }
	for name, tc := range map[string]struct {
		opts   slacksim.Options
		before func(*slacksim.Server)
		method string
		args   obj
		rule   string
		want   string
	}{
		"a file of no bytes":               {method: "files.getUploadURLExternal", args: announce("length", "0"), rule: "request.arguments", want: "missing_argument"},
		"a file without a name":            {method: "files.getUploadURLExternal", args: obj{"length": "3"}, rule: "request.arguments", want: "missing_argument"},
		"a snippet of a megabyte and more": {method: "files.getUploadURLExternal", args: announce("length", "1048577", "snippet_type", "diff"), rule: "file.snippet", want: "snippet_too_large"},
		"a snippet of no known type":       {method: "files.getUploadURLExternal", args: announce("snippet_type", "novel"), rule: "file.snippet_type", want: "unknown_snippet_type"},
		"an alt text of 1001 characters":   {method: "files.getUploadURLExternal", args: announce("alt_txt", x(1001)), rule: "file.alt_txt", want: "alt_txt_too_large"},
		"a workspace without files":        {opts: slacksim.Options{FilesOff: true}, method: "files.getUploadURLExternal", args: announce(), want: "file_uploads_disabled"},
		"a token without files:write":      {opts: slacksim.Options{BotScopes: []string{"chat:write"}}, method: "files.getUploadURLExternal", args: announce(), want: "missing_scope"},
		"completing what is unknown":       {method: "files.completeUploadExternal", args: complete(), rule: "file.upload", want: "file_not_found"},
		"completing nothing":               {method: "files.completeUploadExternal", args: obj{}, rule: "request.arguments", want: "missing_argument"},
		"more than 100 channels":           {method: "files.completeUploadExternal", args: complete("channels", strings.Repeat("C0000001,", 101)), rule: "file.channels", want: "channels_limit_exceeded"},
		"a channel by its name":            {method: "files.completeUploadExternal", args: complete("channel_id", "#deploys"), rule: "request.arguments", want: "invalid_channel"},
		"a person in place of a channel":   {method: "files.completeUploadExternal", args: complete("channel_id", "U0000001"), want: "channel_not_found"},
		"a channel without the bot": {
			opts: slacksim.Options{BotScopes: []string{"files:write", "chat:write.public"}}, before: func(s *slacksim.Server) { s.Remove("C0000001", "U0000BOT") },
			method: "files.completeUploadExternal", args: complete("channel_id", "C0000001"), want: "not_in_channel",
		},
		"an archived channel":          {before: func(s *slacksim.Server) { s.Archive("C0000001") }, method: "files.completeUploadExternal", args: complete("channel_id", "C0000001"), want: "is_archived"},
		"a thread in two channels":     {method: "files.completeUploadExternal", args: complete("channels", "C0000001,C0000002", "thread_ts", "1.000001"), rule: "request.arguments", want: "invalid_arguments"},
		"an unknown thread":            {method: "files.completeUploadExternal", args: complete("channel_id", "C0000001", "thread_ts", "1.000001"), rule: "request.thread", want: "thread_not_found"},
		"reading an unknown file":      {method: "files.info", args: obj{"file": "F9"}, want: "file_not_found"},
		"deleting an unknown file":     {method: "files.delete", args: obj{"file": "F9"}, want: "file_not_found"},
		"a Messages tab that is off":   {opts: slacksim.Options{MessagesTabOff: true}, before: func(s *slacksim.Server) { s.DM("U0000001") }, method: "files.completeUploadExternal", args: complete("channel_id", "D0000001"), want: "messages_tab_disabled"},
		"files without files:read":     {opts: slacksim.Options{BotScopes: []string{"files:write"}}, method: "files.info", args: obj{"file": "F9"}, want: "missing_scope"},
		"blocks that no message takes": {method: "files.completeUploadExternal", args: complete("channel_id", "C0000001", "blocks", list{obj{"type": "poem"}}), rule: "block.type", want: "invalid_blocks"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := slacksim.Start(t, &tc.opts)
			if tc.before != nil {
				tc.before(sim)
			}
			if tc.rule != "" {
				sim.Expect(tc.rule)
			}
			if reply := call(t, sim, tc.method, tc.args); reply["error"] != tc.want {
				t.Errorf("the reply is %v, want the error %q", reply, tc.want)
			}
		})
	}
}

func TestUploadSizeMismatch(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		body    string
		address string // instead of the issued one
		fault   chatsim.Fault
		twice   bool
		status  int
		rule    string
	}{
		"as many as announced":          {body: "abc", status: http.StatusOK},
		"again, before it is completed": {body: "abc", twice: true, status: http.StatusOK},
		"fewer than announced":          {body: "ab", status: http.StatusBadRequest, rule: "file.upload"},
		"at an address never issued":    {body: "abc", address: "/upload/v1/guessed", status: http.StatusNotFound, rule: "file.upload"},
		"while Slack is in trouble":     {body: "abc", fault: chatsim.Status(http.StatusBadGateway), status: http.StatusBadGateway},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := slacksim.Start(t, nil)
			if tc.rule != "" {
				sim.Expect(tc.rule)
			}
			given := call(t, sim, "files.getUploadURLExternal", obj{"filename": "a.txt", "length": 3})
			to, _ := given["upload_url"].(string)
			if tc.address != "" {
				to = sim.URL() + tc.address
			}
			if tc.fault.Name() != "" {
				sim.Fault(slacksim.Uploads, tc.fault)
			}
			status, body := 0, ""
			for range map[bool]int{true: 2, false: 1}[tc.twice] {
				req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, to, strings.NewReader(tc.body))
				if err != nil {
					t.Fatal(err)
				}
				resp, err := sim.Client().Do(req)
				if err != nil {
					t.Fatal(err)
				}
				raw, _ := io.ReadAll(resp.Body)
				_ = resp.Body.Close()
				status, body = resp.StatusCode, string(raw)
			}
			if status != tc.status || status == http.StatusOK && body != "OK - 3" {
				t.Errorf("the answer is %d %q, want %d", status, body, tc.status)
			}
			if tc.status != http.StatusOK {
				sim.Expect("file.upload") // By the following calls.
			}
			done := call(t, sim, "files.completeUploadExternal", obj{"files": list{obj{"id": given["file_id"]}}})
			if (done["ok"] == true) != (tc.status == http.StatusOK) {
				t.Errorf("completed: %v", done)
			}
		})
	}
}

func TestFileDownloadNeedsToken(t *testing.T) {
	t.Parallel()
	sim := slacksim.Start(t, nil)
	id := upload(t, sim, slackapi.UploadFileParameters{})
	info, _, _, err := client(sim).GetFileInfoContext(t.Context(), id, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	c := sim.Client()
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, info.URLPrivate, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusFound {
		t.Errorf("without a token the answer is %d", resp.StatusCode)
	}
}

func TestBlocksWithInitialComment(t *testing.T) {
	t.Parallel()
	sim := slacksim.Start(t, nil)
	given := call(t, sim, "files.getUploadURLExternal", obj{"filename": "a.txt", "length": 3})
	to, _ := given["upload_url"].(string)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, to, strings.NewReader("abc"))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := sim.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	call(t, sim, "files.completeUploadExternal", obj{
		"files": list{obj{"id": given["file_id"]}}, "channel_id": "C0000001", "initial_comment": "Look.", "blocks": list{obj{"type": "divider"}},
	})
	if sees := sim.Seat("U0000001").Sees(); !warned(sim, "note.initial_comment") || !strings.HasSuffix(sees, "Look.\n📎 a.txt") {
		t.Errorf("no note of it; she sees\n%s", sees)
	}
}
