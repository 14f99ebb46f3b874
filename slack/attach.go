package slack

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strconv"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/platform"
)

// The methods to upload files: announce a file, upload its content to the URL that Slack
// returns, and share several files in a thread with one message.
// https://docs.slack.dev/messaging/working-with-files
const (
	methodUploadURL = "files.getUploadURLExternal"
	methodUpload    = "upload_url"
	methodComplete  = "files.completeUploadExternal"
)

// Attach uploads files into the thread of a card. It implements [platform.Attacher].
func (c *Connector) Attach(ctx context.Context, to ask.Place, ref platform.MessageRef, up platform.Upload) error {
	w, err := c.at(ctx, methodUploadURL, ref.Installation)
	if err != nil {
		return err
	}
	err = w.api.upload(ctx, ref.Channel, cmp.Or(to.Thread, ref.Message), up)
	if e, ok := errors.AsType[*platform.Error](err); ok && e.Code == "missing_scope" {
		e.Kind = platform.Unreachable // Cards without files can still be posted.
	}
	return err
}

func (a *webAPI) upload(ctx context.Context, channel, thread string, up platform.Upload) error {
	type entry struct {
		ID    string `json:"id"`
		Title string `json:"title"`
	}
	var entries []entry
	for _, f := range up.Files {
		id, err := a.uploadOne(ctx, f)
		if err != nil {
			return err
		}
		entries = append(entries, entry{id, f.Name})
	}
	list, err := json.Marshal(entries)
	if err != nil {
		return err
	}
	values := url.Values{
		"files": {string(list)}, "channel_id": {channel}, "thread_ts": {thread},
		"initial_comment": {up.Text},
	}
	return a.do(ctx, call{op: methodComplete, place: channel, once: true}, func(ctx context.Context) error {
		return a.form(ctx, methodComplete, values, &struct{}{})
	})
}

// uploadOne uploads one file and returns its id. The file stays invisible until the upload is
// completed.
func (a *webAPI) uploadOne(ctx context.Context, f ask.File) (string, error) {
	var told struct {
		URL string `json:"upload_url"`
		ID  string `json:"file_id"`
	}
	values := url.Values{"filename": {f.Name}, "length": {strconv.Itoa(len(f.Text))}}
	err := a.do(ctx, call{op: methodUploadURL}, func(ctx context.Context) error { return a.form(ctx, methodUploadURL, values, &told) })
	if err != nil {
		return "", err
	}
	return told.ID, a.do(ctx, call{op: methodUpload}, func(ctx context.Context) error {
		_, err := a.post(ctx, told.URL, "", "application/octet-stream", strings.NewReader(f.Text))
		return err
	})
}

// Attached looks in the thread of a card for a message by the bot that has files and contains their
// digests, as Attach posts it. Equal files of another card in the thread are the same to readers. It needs the history scopes, like Find.
// Slack may share files after it has responded, but the search happens much later than that.
func (c *Connector) Attached(ctx context.Context, to ask.Place, ref platform.MessageRef, up platform.Upload) (bool, error) {
	w, err := c.at(ctx, "conversations.replies", ref.Installation)
	if err != nil {
		return false, err
	}
	return w.search.below(ctx, to, ref, func(raw json.RawMessage) bool {
		var m struct {
			author

			Text  string            `json:"text"`
			Files []json.RawMessage `json:"files"`
		}
		if connector.ReadLoosely(raw, &m) != nil || !w.search.wrote(m.author) || len(m.Files) == 0 {
			return false
		}
		return up.NamedIn(m.Text)
	})
}
