package page_test

import (
	"bytes"
	"context"
	"fmt"
	"mime/multipart"
	"net/http"
	"testing"

	slackapi "github.com/slack-go/slack"
)

const change = "- old\n+ new\n"

// playFiles looks at files on both platforms and takes one home.
func playFiles(t *testing.T, chrome context.Context) {
	t.Helper()
	w := newTown(t)
	api := slackapi.New("xoxb-sim", slackapi.OptionAPIURL(w.Slack.APIURL()), slackapi.OptionHTTPClient(w.Slack.Client()))
	_, err := api.UploadFileContext(t.Context(), slackapi.UploadFileParameters{
		Content: change, FileSize: len(change), Filename: "change.diff", Title: "The whole change", SnippetType: "diff", Channel: "C0000001",
	})
	w.must(err)
	w.sayWith(`{"flags":32768,"allowed_mentions":{"parse":[]},"components":[{"type":10,"content":"In full:"},{"type":13,"file":{"url":"attachment://change.diff"}},
		{"type":12,"items":[{"media":{"url":"attachment://change.diff"},"description":"a graph"}]}]}`)
	p := open(t, chrome, w.url, desktop)
	p.sees(on("slack", ".file"), "The whole change")
	p.sees(on("slack", ".file pre"), "+ new")
	p.sees(on("discord", ".file"), "change.diff")
	p.sees(on("discord", ".file"), fmt.Sprintf("%d bytes", len(change)))
	p.sees(on("discord", ".picture"), "a graph")
	for _, link := range []string{".slack .file a", ".discord .file a", ".discord .picture a"} {
		if got := awaited[string](p, fmt.Sprintf("fetch(document.querySelector(%q).href).then((answer) => answer.text())", link)); got != change {
			t.Errorf("%s leads to %q", link, got)
		}
	}
	w.say(http.StatusOK, `{"allowed_mentions":{"parse":[]},"nonce":"2","enforce_nonce":true,"poll":{"question":{"text":"Which database?"},"answers":[{"poll_media":{"text":"Postgres"}},{"poll_media":{"text":"SQLite"}}]}}`)
	p.tap("discord", "SQLite (0)")
	p.tap("discord", "Postgres (0)")
	p.sees(on("discord", ".message:last-child"), "Postgres (1)")
	p.sees(on("discord", ".message:last-child"), "SQLite (0)")
	p.shoot("both files")
	p.accessible("files")
}

// sayWith posts a message of the bot's with a file.
func (w *town) sayWith(message string) {
	w.t.Helper()
	var raw bytes.Buffer
	form := multipart.NewWriter(&raw)
	w.must(form.WriteField("payload_json", message))
	part, err := form.CreateFormFile("files[0]", "change.diff")
	w.must(err)
	_, err = part.Write([]byte(change))
	w.must(err)
	w.must(form.Close())
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.World.Discord.APIURL()+"/v10/channels/"+deploysOnDiscord+"/messages", &raw)
	w.must(err)
	r.Header.Set("Authorization", "Bot discord-sim-token")
	r.Header.Set("Content-Type", form.FormDataContentType())
	r.Header.Set("User-Agent", "DiscordBot (https://example.com, 1)")
	answer, err := w.World.Discord.Client().Do(r)
	w.must(err)
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		w.t.Fatalf("create message: %s", answer.Status)
	}
}
