package slacksim

import (
	"maps"
	"net/http"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/internal/double"
)

// file is an uploaded file, created when the upload is announced.
type file struct {
	id, name, title, alt, snippet string
	ticket                        string // last path segment of its upload_url
	announced                     int    // size in bytes
	content                       []byte
	uploaded, complete            bool
	made                          time.Time
	shared                        []share
}

// share is one message that shows a file.
type share struct{ channel, thread, ts string }

// EventFileShared is the event sent when a person or the app shares a file in a conversation.
// https://docs.slack.dev/reference/events/file_shared
const EventFileShared = "file_shared"

// Uploads is the target of a Fault on an upload_url.
const Uploads = "upload_url"

// uploadPath is the path of upload_urls. It is on the API's host because slack-go sends its
// token nowhere else.
const uploadPath = "/upload/v1/"

// filesPath is the path of files, which continues with their workspace.
const filesPath = "/files-pri/"

// snippets are the supported snippet types.
// https://docs.slack.dev/reference/methods/files.getUploadURLExternal
var snippets = []string{
	"c", "cpp", "csharp", "css", "csv", "diff", "dockerfile", "go", "html", "java", "javascript", "json", "kotlin", "lua", "makefile",
	"markdown", "perl", "php", "powershell", "python", "r", "ruby", "rust", "scala", "shell", "sql", "swift", "text", "tsv", "typescript",
	"xml", "yaml",
}

// filesUploadURL announces a file and returns the URL to upload it to.
// https://docs.slack.dev/reference/methods/files.getUploadURLExternal
func (s *Server) filesUploadURL(c *call) (object, *apiError) {
	name, kind, alt := c.args.str("filename"), c.args.str("snippet_type"), c.args.str("alt_txt")
	length, err := strconv.Atoi(c.args.str("length"))
	switch {
	case name == "", err != nil, length < 1:
		s.violate(ruleArguments, c.method, "a filename and a length of at least 1 are needed, not %q and %q", name, c.args.str("length"))
		return nil, no("missing_argument")
	case s.opts.FilesOff:
		return nil, no("file_uploads_disabled")
	case kind != "" && !slices.Contains(snippets, kind):
		s.violate(ruleSnippet, c.method, "%q", kind)
		return nil, no("unknown_snippet_type")
	case kind != "" && length > maxSnippet.max:
		s.violate(maxSnippet, c.method, "%d bytes, %d are allowed", length, maxSnippet.max)
		return nil, no("snippet_too_large")
	case double.Length(alt) > maxAltText.max:
		s.violate(maxAltText, c.method, "%d characters, %d are allowed", double.Length(alt), maxAltText.max)
		return nil, no("alt_txt_too_large")
	}
	f := &file{id: s.newID("F"), name: name, title: name, alt: alt, snippet: kind, announced: length, made: s.clock.Now()}
	f.ticket = s.secretFor("upload " + f.id)
	s.files[f.id] = f
	return object{"upload_url": s.service.URL() + uploadPath + f.ticket, "file_id": f.id}, nil
}

// fileShares returns the files that a call completes and the titles it sets.
func (s *Server) fileShares(c *call) ([]*file, *apiError) {
	v, _, err := c.args.tree("files")
	list, isList := v.([]any)
	if err != nil || !isList || len(list) == 0 {
		s.violate(ruleArguments, c.method+" /files", `a list such as [{"id":"F…","title":"…"}] is needed`)
		return nil, no("missing_argument")
	}
	var out []*file
	for _, item := range list {
		o, _ := item.(object)
		f := s.files[text(o, "id")]
		if f == nil || !f.uploaded || f.complete {
			s.violate(ruleUpload, c.method, "file %q is unknown, not uploaded or completed before", text(o, "id"))
			return nil, no("file_not_found")
		}
		out = append(out, f)
	}
	for i, item := range list { // Change files only after all of them were found.
		o, _ := item.(object)
		if title := text(o, "title"); title != "" {
			out[i].title = title
		}
	}
	return out, nil
}

// shareTargets returns the conversations a call shares files in. Without any the files stay
// private.
func (s *Server) shareTargets(c *call) ([]*conversation, *apiError) {
	names := strings.FieldsFunc(c.args.str("channels"), func(r rune) bool { return r == ',' || r == ' ' })
	if one := c.args.str("channel_id"); one != "" {
		names = append(names, one)
	}
	if len(names) > maxFileChannels.max {
		s.violate(maxFileChannels, c.method, "%d channels, %d are allowed", len(names), maxFileChannels.max)
		return nil, no("channels_limit_exceeded")
	}
	var out []*conversation
	for _, name := range names {
		conv := s.conversations[name]
		switch {
		case strings.HasPrefix(name, "#"):
			s.violate(ruleArguments, c.method, "%q is the name of a channel and no id", name)
			return nil, no("invalid_channel")
		case conv == nil, conv.Private && !conv.member(s.opts.BotUser): // A user id does not open a direct message here.
			return nil, no("channel_not_found")
		case conv.with != "" && s.opts.MessagesTabOff:
			return nil, no("messages_tab_disabled")
		case conv.Archived:
			return nil, no("is_archived")
		case !conv.member(s.opts.BotUser): // chat:write.public applies only to messages.
			return nil, no("not_in_channel")
		}
		out = append(out, conv)
	}
	return out, nil
}

// filesComplete completes an upload and shares the files, in one message per conversation. The
// response does not identify the message: files.info and the event file_shared do.
// https://docs.slack.dev/reference/methods/files.completeUploadExternal
func (s *Server) filesComplete(c *call) (object, *apiError) {
	convs, refused := s.shareTargets(c)
	if refused != nil {
		return nil, refused
	}
	thread := ""
	switch {
	case c.args.has("thread_ts") && len(convs) != 1:
		s.violate(ruleArguments, c.method, "thread_ts with %d channels", len(convs))
		return nil, no("invalid_arguments")
	case c.args.has("thread_ts"):
		if thread, _, refused = s.threadOf(c, convs[0]); refused != nil {
			return nil, refused
		}
	}
	comment := args{"text": c.args["initial_comment"], "blocks": c.args["blocks"]}
	if c.args.has("initial_comment") && c.args.has("blocks") {
		s.warn(noteComment, c.method, "initial_comment together with blocks")
		comment["blocks"] = nil
	}
	what, refused := s.readContent(c.method, comment)
	if refused != nil {
		return nil, refused
	}
	files, refused := s.fileShares(c)
	if refused != nil {
		return nil, refused
	}
	shown := []any{}
	for _, f := range files {
		f.complete = true
		shown = append(shown, object{"id": f.id, "title": f.title})
	}
	for _, conv := range convs {
		m := s.post(conv, what, thread, "")
		s.attach(m, files)
		s.record(chatsim.Event{Kind: chatsim.Posted, Channel: conv.ID, Message: m.ts, Where: c.method, Text: strings.TrimSpace(what.text + " " + namesOf(files))})
		s.remark(c.method, conv.ID, m.ts, what, args{}, chatsim.Posted)
		s.emitMessage(conv, m)
		for _, f := range files {
			s.emitFile(conv, f, m.user)
		}
	}
	return object{"files": shown}, nil
}

// attach attaches files to a message.
func (s *Server) attach(m *message, files []*file) {
	m.files = files
	for _, f := range files {
		f.shared = append(f.shared, share{m.channel, m.thread, m.ts})
	}
}

// attached returns the files that chat.update keeps on a message; without file_ids all stay.
// https://docs.slack.dev/reference/methods/chat.update
func (s *Server) attached(c *call) (files []*file, given bool, refused *apiError) {
	if !c.args.has("file_ids") {
		return nil, false, nil
	}
	v, _, err := c.args.tree("file_ids")
	ids, isList := v.([]any)
	if err != nil { // The documentation shows a list, the SDKs send a comma-separated string.
		isList = true
		for id := range strings.SplitSeq(c.args.str("file_ids"), ",") {
			ids = append(ids, strings.TrimSpace(id))
		}
	}
	if !isList {
		return nil, true, no("invalid_arguments")
	}
	for _, id := range ids {
		name, _ := id.(string)
		f := s.files[name]
		if f == nil || !f.complete {
			s.violate(ruleUpload, c.method, "file %q is unknown or not completed", name)
			return nil, true, no("file_not_found")
		}
		files = append(files, f)
	}
	return files, true, nil
}

func namesOf(files []*file) string {
	var names []string
	for _, f := range files {
		names = append(names, f.name)
	}
	return strings.Join(names, ", ")
}

// filesInfo describes a file. https://docs.slack.dev/reference/methods/files.info
func (s *Server) filesInfo(c *call) (object, *apiError) {
	f := s.files[c.args.str("file")]
	if f == nil || !f.complete {
		return nil, no("file_not_found")
	}
	return object{"file": s.fileJSON(f), "comments": []any{}}, nil
}

// filesDelete deletes a file of the app everywhere it is shared.
// https://docs.slack.dev/reference/methods/files.delete
func (s *Server) filesDelete(c *call) (object, *apiError) {
	f := s.files[c.args.str("file")]
	if f == nil || !f.complete {
		return nil, no("file_not_found")
	}
	delete(s.files, f.id)
	for _, at := range f.shared {
		if conv := s.conversations[at.channel]; conv != nil {
			if m := conv.find(at.ts); m != nil {
				m.files = slices.DeleteFunc(m.files, func(other *file) bool { return other == f })
			}
		}
	}
	return object{}, nil
}

// fileJSON renders a file object. https://docs.slack.dev/reference/objects/file-object
func (s *Server) fileJSON(f *file) object {
	link := s.service.URL() + filesPath + s.opts.Team + "-" + f.id + "/" + f.name
	out := object{
		"id": f.id, "name": f.name, "title": f.title, "size": len(f.content), "user": s.opts.BotUser, "created": f.made.Unix(),
		"timestamp": f.made.Unix(), "mode": "hosted", "mimetype": f.kind(), "filetype": strings.TrimPrefix(path.Ext(f.name), "."),
		"is_external": false, "is_public": len(f.shared) > 0, "url_private": link, "url_private_download": link,
		"permalink": "https://" + s.opts.TeamDomain + ".slack.com/files/" + s.opts.BotUser + "/" + f.id + "/" + f.name,
	}
	if f.alt != "" {
		out["alt_txt"] = f.alt
	}
	if f.snippet != "" {
		out["mode"], out["filetype"] = "snippet", f.snippet
		lines := strings.SplitAfter(string(f.content), "\n")
		shown := lines[:min(len(lines), previewLines)]
		out["preview"], out["lines"], out["lines_more"] = strings.Join(shown, ""), len(lines), len(lines)-len(shown)
	}
	places := map[string]any{}
	for _, at := range f.shared {
		list, _ := places[at.channel].([]any)
		one := object{"ts": at.ts, "team_id": s.opts.Team}
		if at.thread != "" {
			one["thread_ts"] = at.thread
		}
		places[at.channel] = append(list, one)
	}
	shares, channels := object{}, object{"channels": []any{}, "groups": []any{}, "ims": []any{}}
	for id, list := range places {
		kind, in := "public", "channels"
		if conv := s.conversations[id]; conv.with != "" || conv.Private {
			kind, in = "private", map[bool]string{true: "ims", false: "groups"}[conv.with != ""]
		}
		group, _ := shares[kind].(object)
		if group == nil {
			group = object{}
			shares[kind] = group
		}
		group[id] = list
		channels[in] = append(channels[in].([]any), id)
	}
	maps.Copy(out, channels)
	out["shares"] = shares
	return out
}

// previewLines is the number of lines shown of a collapsed snippet.
const previewLines = 5

// kind returns the file's media type, derived from its name.
func (f *file) kind() string {
	switch ext := path.Ext(f.name); ext {
	case ".png", ".gif", ".webp":
		return "image/" + ext[1:]
	case ".jpg", ".jpeg":
		return "image/jpeg"
	case ".pdf":
		return "application/pdf"
	case ".json":
		return "application/json"
	case ".zip":
		return "application/zip"
	default:
		if f.snippet != "" || !slices.Contains(f.content, 0) {
			return "text/plain"
		}
		return "application/octet-stream"
	}
}

// emitFile sends the event for a file shared in a conversation.
func (s *Server) emitFile(conv *conversation, f *file, user string) {
	s.emit(conv, object{"type": EventFileShared, "channel_id": conv.ID, "file_id": f.id, "user_id": user, "file": object{"id": f.id}})
}

// Files lists the completed uploads, oldest first.
func (s *Server) Files() []chatsim.File {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []chatsim.File
	for _, f := range s.files {
		if f.complete {
			out = append(out, f.shown())
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].ID < out[j].ID })
	return out
}

func (f *file) shown() chatsim.File {
	out := chatsim.File{ID: f.id, Name: f.name, Title: f.title, Alt: f.alt, Content: slices.Clone(f.content)}
	if len(f.shared) > 0 {
		out.Channel, out.Thread, out.Message = f.shared[0].channel, f.shared[0].thread, f.shared[0].ts
	}
	return out
}

// serveFile serves a file's content to callers whose token has files:read.
// https://docs.slack.dev/reference/objects/file-object
func (s *Server) serveFile(w http.ResponseWriter, r *http.Request) {
	id, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, filesPath+s.opts.Team+"-"), "/")
	secret, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	s.mu.Lock()
	t, f := s.tokens[secret], s.files[id]
	allowed := t != nil && t.state == "" && t.of != nil && t.of.covers(s) && slices.Contains(t.granted(), "files:read")
	s.mu.Unlock()
	switch {
	case !allowed: // Slack shows its login page.
		http.Redirect(w, r, "https://"+s.opts.TeamDomain+".slack.com/?redir="+r.URL.EscapedPath(), http.StatusFound)
	case f == nil || !f.complete:
		http.NotFound(w, r)
	default:
		w.Header().Set("Content-Type", f.kind())
		_, _ = w.Write(f.content) // The caller may have disconnected. Completed content is immutable.
	}
}
