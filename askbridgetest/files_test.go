package askbridgetest_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/askbridgetest"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/client"
)

// change is longer than the store and the platforms accept in one piece, and contains characters they would format
// or drop.
var change = ask.File{Name: "my_change.diff", Text: strings.Repeat("-\ta <&> `b`\r\n+\tc \u202e*d*\n", 4000)}

// uploaded returns the files of a double by name.
func uploaded(files []chatsim.File) map[string]string {
	all := map[string]string{}
	for _, f := range files {
		all[f.Name] += string(f.Content)
	}
	return all
}

func submitFiles(t *testing.T, w *askbridgetest.World, responder string) *client.Request {
	t.Helper()
	r, err := w.Client.Submit(t.Context(), ask.Request{Questions: database, Files: []ask.File{change, {Name: "b.txt", Text: "b"}}, Responders: []string{responder}})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	return r
}

func TestFilesAreUploadedBeforeAnswering(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		responder string
		files     func(*askbridgetest.World) []chatsim.File
		sees      func(*askbridgetest.World) string
		press     func(*testing.T, *askbridgetest.World) error
	}{
		askbridgetest.Slack: {
			"slack:U0000001", func(w *askbridgetest.World) []chatsim.File { return w.Slack.Files() },
			func(w *askbridgetest.World) string { return w.Slack.Seat("U0000001").Sees() },
			func(t *testing.T, w *askbridgetest.World) error {
				return w.Slack.Seat("U0000001").Press(t.Context(), "Postgres")
			},
		},
		askbridgetest.Discord: {
			"discord:300000000000000001", func(w *askbridgetest.World) []chatsim.File { return w.Discord.Files() },
			func(w *askbridgetest.World) string { return w.Discord.Seat("300000000000000001").Sees() },
			func(t *testing.T, w *askbridgetest.World) error {
				return w.Discord.Seat("300000000000000001").Press(t.Context(), "Postgres")
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := askbridgetest.Start(t, &askbridgetest.Options{Platforms: []string{name}})
				r := submitFiles(t, w, tt.responder)
				digest := change.Attachment().SHA256
				if got := uploaded(tt.files(w)); len(got) != 2 || got[change.Name] != change.Text || got["b.txt"] != "b" {
					t.Errorf("uploaded are %d files, %d bytes of the change", len(got), len(got[change.Name]))
				}
				if len(r.Files) != 2 || r.Files[0] != change.Attachment() {
					t.Errorf("the API returns %+v", r.Files)
				}
				screen := tt.sees(w)
				if strings.Count(screen, digest) != 1 || strings.Count(screen, digest[:8]) != 2 || strings.Contains(screen, "Uploading the files") {
					t.Errorf("she sees\n%s", screen)
				}
				if err := tt.press(t, w); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if got, err := w.Client.Get(t.Context(), r.ID); err != nil || got.State != ask.Answered || len(got.Files) != 2 {
					t.Errorf("after the press: %+v, %v", got, err)
				}
				if screen := tt.sees(w); strings.Count(screen, digest[:8]) != 2 {
					t.Errorf("on the closed card she sees\n%s", screen)
				}
			})
		})
	}
}

func TestFailedUploadBlocksAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		scopes := []string{"chat:write", "im:write", "users:read", "channels:history", "metadata.message:read"}
		w := askbridgetest.Start(t, &askbridgetest.Options{Platforms: []string{askbridgetest.Slack}, Slack: &slacksim.Options{BotScopes: scopes}})
		r := submitFiles(t, w, "slack:U0000001")
		got, err := w.Client.Get(t.Context(), r.ID)
		if err != nil || got.State != ask.Failed || !strings.Contains(got.Reason, "missing_scope") {
			t.Errorf("without files:write: %+v, %v", got, err)
		}
		if screen := w.Slack.Seat("U0000001").Sees(); strings.Contains(screen, "[Postgres]") || !strings.Contains(screen, "missing_scope") {
			t.Errorf("she sees\n%s", screen)
		}
		// Requests without files are still asked.
		if _, err := w.Client.Submit(t.Context(), ask.Request{Questions: database}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if err := w.Slack.Seat("U0000001").Press(t.Context(), "Postgres"); err != nil {
			t.Error(err)
		}
	})
}

func TestAnswerOnlyWhereFilesAreUploaded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := askbridgetest.Start(t, &askbridgetest.Options{Slack: &slacksim.Options{BotScopes: []string{"chat:write", "users:read"}}})
		r := submitFiles(t, w, "anyone")
		if screen := w.Slack.Seat("U0000001").Sees(); strings.Contains(screen, "[Postgres]") || !strings.Contains(screen, "You cannot answer here") {
			t.Errorf("on Slack she sees\n%s", screen)
		}
		if err := w.Discord.Seat("300000000000000001").Press(t.Context(), "Postgres"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		got, err := w.Client.Get(t.Context(), r.ID)
		problem := slices.ContainsFunc(got.Delivery, func(d client.Delivery) bool { return strings.Contains(d.Detail, "missing_scope") })
		if err != nil || got.State != ask.Answered || !problem {
			t.Errorf("it is %+v, %v", got, err)
		}
	})
}

func TestLostReplyDoesNotUploadFilesTwice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := askbridgetest.Start(t, nil)
		w.Slack.Fault("files.completeUploadExternal", chatsim.LoseReply())
		w.Slack.Fault(slacksim.Uploads, chatsim.Status(503))
		submitFiles(t, w, "anyone")
		time.Sleep(time.Minute)
		synctest.Wait()
		for name, files := range map[string][]chatsim.File{"slack": w.Slack.Files(), "discord": w.Discord.Files()} {
			shown := slices.DeleteFunc(files, func(f chatsim.File) bool { return f.Message == "" })
			if got := uploaded(shown); len(shown) != 2 || got[change.Name] != change.Text {
				t.Errorf("%s has %d files", name, len(shown))
			}
		}
		if err := w.Slack.Seat("U0000001").Press(t.Context(), "Postgres"); err != nil {
			t.Error(err)
		}
	})
}
