package askbridgetest_test

import (
	"fmt"
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

// places lists the platforms with their responders and how they answer.
var places = map[string]struct {
	dana  string
	files func(*askbridgetest.World) []chatsim.File
	sees  func(*askbridgetest.World) string
	press func(*testing.T, *askbridgetest.World, string) error
}{
	askbridgetest.Slack: {
		"slack:U0000001", func(w *askbridgetest.World) []chatsim.File { return w.Slack.Files() },
		func(w *askbridgetest.World) string { return w.Slack.Seat("U0000001").Sees() },
		func(t *testing.T, w *askbridgetest.World, what string) error {
			return w.Slack.Seat("U0000001").Press(t.Context(), what)
		},
	},
	askbridgetest.Discord: {
		"discord:300000000000000001", func(w *askbridgetest.World) []chatsim.File { return w.Discord.Files() },
		func(w *askbridgetest.World) string { return w.Discord.Seat("300000000000000001").Sees() },
		func(t *testing.T, w *askbridgetest.World, what string) error {
			return w.Discord.Seat("300000000000000001").Press(t.Context(), what)
		},
	},
}

// prompt is Claude Code's input for a shell command.
func prompt(command string) []byte {
	return fmt.Appendf(nil, `{"session_id":"s1","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":%q}}`, command)
}

func TestLongCommandIsApprovedWithFile(t *testing.T) {
	t.Parallel()
	command := strings.Repeat("psql ledger -c 'update <accounts>'\n", 200) + "echo done"
	for name, p := range places {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := askbridgetest.Start(t, &askbridgetest.Options{Platforms: []string{name}})
				got, err := w.Client.SubmitTool(t.Context(), client.ToolCall{Dialect: "claude", Input: prompt(command), Request: ask.Request{Responders: []string{p.dana}}})
				if err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if all := uploaded(p.files(w)); len(all) != 1 || all["command.txt"] != command {
					t.Errorf("below the card are %d files, with %d bytes of the command", len(all), len(all["command.txt"]))
				}
				digest := ask.File{Text: command}.Attachment().SHA256
				screen := p.sees(w)
				for _, want := range []string{"psql ledger -c 'update <accounts>'\n", "Full text: command.txt (7.0 KB), sha256 " + digest[:8], digest, "last 6029 characters only in the file"} {
					if !strings.Contains(screen, want) {
						t.Errorf("she does not see %q in\n%s", want, screen)
					}
				}
				if strings.Contains(screen, "echo done") {
					t.Errorf("she sees the end of it in\n%s", screen)
				}
				if err := p.press(t, w, "Allow"); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if got, err = w.Client.WaitTool(t.Context(), got.RequestID, "claude", prompt(command)); err != nil || !strings.Contains(string(got.Body), `"allow"`) {
					t.Errorf("the host got %s, %v", got.Body, err)
				}
			})
		})
	}
}

func TestLongCommandNeedsUpload(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := askbridgetest.Start(t, &askbridgetest.Options{Platforms: []string{askbridgetest.Slack}, Slack: &slacksim.Options{BotScopes: []string{"chat:write", "im:write", "users:read", "channels:history", "metadata.message:read"}}})
		input := prompt(strings.Repeat("x", 3000))
		got, err := w.Client.SubmitTool(t.Context(), client.ToolCall{Dialect: "claude", Input: input, Request: ask.Request{Responders: []string{"slack:U0000001"}}})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if screen := w.Slack.Seat("U0000001").Sees(); strings.Contains(screen, "[Allow]") {
			t.Errorf("she sees\n%s", screen)
		}
		if got, err = w.Client.WaitTool(t.Context(), got.RequestID, "claude", input); err != nil || got.State != ask.Failed || len(got.Body) != 0 {
			t.Errorf("a host with its own screen got %s, %+v, %v", got.Body, got, err)
		}
	})
}

func TestLongContextBecomesFile(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("It went down twice this week.\n", 100) + "The end."
	for name, p := range places {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := askbridgetest.Start(t, &askbridgetest.Options{Platforms: []string{name}})
				asked := ask.Request{Questions: database, Context: long, Key: "k", Responders: []string{p.dana}}
				r, err := w.Client.Submit(t.Context(), asked)
				if err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				want := ask.File{Name: "context.txt", Text: long, Unshown: 2018}.Attachment()
				if uploaded(p.files(w))["context.txt"] != long || len(r.Files) != 1 || r.Files[0] != want || !strings.HasSuffix(r.Context, "week.\n…") {
					t.Errorf("the API returns %+v and %q", r.Files, r.Context)
				}
				if screen := p.sees(w); !strings.Contains(screen, want.SHA256) || !strings.Contains(screen, "last 2018 characters only in the file") || strings.Contains(screen, "The end.") {
					t.Errorf("she sees\n%s", screen)
				}
				if again, err := w.Client.Submit(t.Context(), asked); err != nil || again.ID != r.ID {
					t.Errorf("asked again: %+v, %v", again, err)
				}
				// The text that replaces it is not the beginning of the file.
				context := "It is up."
				if _, err := w.Client.Revise(t.Context(), r.ID, ask.Revision{Context: &context}); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if screen := p.sees(w); !strings.Contains(screen, "It is up.") || strings.Contains(screen, "only in the file") {
					t.Errorf("then she sees\n%s", screen)
				}
				if err := p.press(t, w, "Postgres"); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestRevisionUploadsItsOwnFile(t *testing.T) {
	t.Parallel()
	for name, p := range places {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := askbridgetest.Start(t, &askbridgetest.Options{Platforms: []string{name}})
				long := strings.Repeat("It went down twice this week.\n", 100)
				r, err := w.Client.Submit(t.Context(), ask.Request{Questions: database, Context: long, Responders: []string{p.dana}})
				if err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				// The result is unknown.
				if name == askbridgetest.Slack {
					w.Slack.Fault("files.completeUploadExternal", chatsim.Status(500))
				} else {
					w.Discord.Fault("create message", chatsim.Status(500))
				}
				long += "It is the cable."
				if _, err := w.Client.Revise(t.Context(), r.ID, ask.Revision{Context: &long}); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Minute)
				synctest.Wait()
				if all := uploaded(p.files(w)); all["context-2.txt"] != long {
					t.Errorf("uploaded are %d files", len(all))
				}
			})
		})
	}
}

// A person must never approve something with a file of an earlier revision below it.
func TestRevisedContextBecomesAnotherFile(t *testing.T) {
	t.Parallel()
	ending := func(how string) string { return strings.Repeat("It went down twice this week.\n", 100) + how }
	for name, p := range places {
		for begins, first := range map[string]string{"a long one": ending("It is the disk."), "a short one": "It is down."} {
			t.Run(name+" after "+begins, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					w := askbridgetest.Start(t, &askbridgetest.Options{Platforms: []string{name}})
					r, err := w.Client.Submit(t.Context(), ask.Request{Questions: database, Context: first, Responders: []string{p.dana}})
					if err != nil {
						t.Fatal(err)
					}
					synctest.Wait()
					next := ending("It is the <cable>.")
					for range 2 { // A repeat changes nothing.
						if r, err = w.Client.Revise(t.Context(), r.ID, ask.Revision{Context: &next}); err != nil {
							t.Fatal(err)
						}
						synctest.Wait()
					}
					want := ask.File{Name: "context-2.txt", Text: next, Unshown: 2028}.Attachment()
					if got, err := w.Client.Get(t.Context(), r.ID); err != nil || got.Revision != 1 || len(got.Files) != 1 || got.Files[0] != want {
						t.Errorf("the API returns %+v, %v", got, err)
					}
					files := p.files(w)
					if all := uploaded(files); all["context-2.txt"] != next || len(files) != len(all) {
						t.Errorf("uploaded are %d files", len(files))
					}
					screen := p.sees(w)
					if strings.Count(screen, want.SHA256[:8]) != 2 || strings.Count(screen, ask.File{Text: first}.Attachment().SHA256[:8]) > 1 || !strings.Contains(screen, "Only these files count now") {
						t.Errorf("she sees\n%s", screen)
					}
					if err := p.press(t, w, "Postgres"); err != nil {
						t.Fatal(err)
					}
					synctest.Wait()
					if got, err := w.Client.Get(t.Context(), r.ID); err != nil || got.State != ask.Answered {
						t.Errorf("after the press: %+v, %v", got, err)
					}
				})
			})
		}
	}
}
