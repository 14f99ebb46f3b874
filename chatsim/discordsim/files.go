package discordsim

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/internal/double"
)

// attachment is a file on a message or in a submitted form.
type attachment struct {
	id, channel              string
	name, description, title string
	spoiler, ephemeral       bool
	content                  []byte
}

// upload is a file sent with a request, identified by the number of its part.
type upload struct {
	number  int
	name    string
	content []byte
}

// linkLife is the lifetime of an attachment URL; fetching the message again returns a new one.
// https://docs.discord.com/developers/reference#signed-attachment-cdn-urls
const linkLife = 24 * time.Hour

// readFiles determines the files of a message: kept and uploaded ones. An edit without a list
// keeps all files, except the edit that answers an interaction, which removes them.
// https://docs.discord.com/developers/resources/message#edit-message
// https://github.com/discord/discord-api-docs/issues/6277
func (s *Server) readFiles(what *content, body object, uploads []upload, drops bool) {
	var before []*attachment
	if what.before != nil {
		before = what.before.attachments
	}
	list, given := body["attachments"].([]any)
	if body["attachments"] != nil && !given {
		what.fail(ruleKind, "attachments", "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
	}
	if !given && !drops {
		what.attachments = slices.Clone(before)
	}
	described := map[int]object{}
	for i, o := range objects(list) {
		at := join(join("attachments", i), "id")
		id := idOf(o["id"])
		n, err := strconv.Atoi(id)
		stays := slices.IndexFunc(before, func(a *attachment) bool { return a.id == id })
		switch {
		case stays >= 0:
			kept := *before[stays]
			what.describe(&kept, join("attachments", i), o)
			what.attachments = append(what.attachments, &kept)
		case err == nil && slices.ContainsFunc(uploads, func(u upload) bool { return u.number == n }):
			described[n] = o
		default:
			what.fail(ruleAttachment, at, "ATTACHMENT_NOT_FOUND", "Attachment data not found")
		}
	}
	for _, u := range uploads {
		a := &attachment{id: s.newID(), name: u.name, content: u.content}
		if o := described[u.number]; o != nil {
			what.describe(a, join("attachments", u.number), o)
		}
		what.attachments = append(what.attachments, a)
	}
	if len(what.attachments) > maxFiles.max {
		what.tooMany = true
	}
}

// describe applies an attachment object of the body to a file.
func (what *content) describe(a *attachment, at string, o object) {
	what.object(at, o, nil, shape{
		"id": nil, "filename": what.str(1, rule{}), "description": what.str(0, maxMediaDesc), "title": what.str(0, maxMediaDesc),
		"is_spoiler": what.boolean, "duration_secs": nil, "waveform": nil,
	})
	a.description, a.title, a.spoiler = text(o, "description"), text(o, "title"), flag(o, "is_spoiler", false)
	if name := text(o, "filename"); name != "" {
		a.name = name
	}
}

// media returns the check for an image or file in a component: one of the message's files, or a
// URL where that is allowed.
// https://docs.discord.com/developers/components/reference#unfurled-media-item
func (c *check) media(addresses bool) func(string, any) {
	return c.anObject(func(at string, o object) {
		c.object(at, o, []string{"url"}, shape{
			"url": c.str(1, maxMediaURL),
			// Members of Discord's responses may be sent back.
			"id": nil, "proxy_url": nil, "height": nil, "width": nil, "content_type": nil, "attachment_id": nil, "flags": nil,
			"placeholder": nil, "placeholder_version": nil, "loading_state": nil, "content_scan_metadata": nil,
		})
		link := text(o, "url")
		name, own := strings.CutPrefix(link, "attachment://")
		web := strings.HasPrefix(link, "https://") || strings.HasPrefix(link, "http://")
		found := slices.IndexFunc(c.attachments, func(a *attachment) bool { return a.name == name })
		switch {
		case link == "":
		case own && found >= 0:
			c.named = append(c.named, c.attachments[found])
		case own:
			c.fail(ruleMedia, join(at, "url"), "UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND", "The referenced attachment %q was not found", name)
		case !web || !addresses:
			c.fail(ruleMedia, join(at, "url"), "URL_TYPE_INVALID_SCHEME", "%q is not an address that this component takes", link)
		}
	})
}

// unshown warns about files of a V2 message that no component refers to: people cannot see
// them. https://docs.discord.com/developers/components/reference#file
func (what *content) unshown() {
	for _, a := range what.attachments {
		if what.v2 && what.hasComponents && !slices.Contains(what.named, a) {
			what.note(noteUnshown, "components", "%q", a.name)
		}
	}
}

// attachable checks that the bot may send files to a channel, and their number and size.
func (s *Server) attachable(conv *channel, uploads []upload) *apiError {
	switch {
	case len(uploads) > 0 && s.allowed(conv)&AttachFiles == 0:
		return no(50013)
	case len(uploads) > maxFiles.max:
		s.violate(maxFiles, "files", "%d files, %d are allowed", len(uploads), maxFiles.max)
		return no(30015)
	}
	return nil
}

// settled returns components in which every image and file has an id, and references to the
// message's files are resolved.
func (s *Server) settled(components []object, files []*attachment) []object {
	eachMedia(components, func(media, holder object) {
		media["id"] = s.newID()
		name, own := strings.CutPrefix(text(media, "url"), "attachment://")
		for _, a := range files {
			if own && a.name == name {
				media["attachment_id"] = a.id
				if kindOf(holder) == kindFile {
					holder["name"], holder["size"] = a.name, len(a.content)
				}
				break
			}
		}
	})
	return components
}

// eachMedia visits every image and file in components, with the component or item that holds
// it.
func eachMedia(components []object, visit func(media, holder object)) {
	walk(components, func(o object) {
		for _, name := range []string{"media", "file"} {
			if media := child(o, name); media != nil {
				visit(media, o)
			}
		}
		for _, item := range objects(o["items"]) {
			if media := child(item, "media"); media != nil {
				visit(media, item)
			}
		}
	})
}

// linked returns components with valid URLs for the message's files.
func (s *Server) linked(components []object, files []*attachment) []object {
	eachMedia(components, func(media, _ object) {
		media["proxy_url"] = media["url"]
		for _, a := range files {
			if id := text(media, "attachment_id"); id != "" && id == a.id {
				media["url"], media["proxy_url"], media["content_type"] = s.link(a), s.link(a), a.kind()
			}
		}
	})
	return components
}

// attachmentJSON renders a file in messages and interactions.
// https://docs.discord.com/developers/resources/message#attachment-object
func (s *Server) attachmentJSON(a *attachment) object {
	out := object{
		"id": a.id, "filename": a.name, "size": len(a.content), "url": s.link(a), "proxy_url": s.link(a), "content_type": a.kind(),
	}
	for name, words := range map[string]string{"description": a.description, "title": a.title} {
		if words != "" {
			out[name] = words
		}
	}
	if a.ephemeral {
		out["ephemeral"] = true
	}
	return out
}

// attachmentsJSON lists the files of a message. It is empty with the V2 flag: the components
// refer to them. https://github.com/discord/discord-api-docs/issues/8279
func (s *Server) attachmentsJSON(m *message) []any {
	out := []any{}
	for _, a := range m.attachments {
		if m.flags&flagV2 == 0 {
			out = append(out, s.attachmentJSON(a))
		}
	}
	return out
}

// link returns a URL of a file that is valid for a day.
func (s *Server) link(a *attachment) string {
	dir := "attachments"
	if a.ephemeral {
		dir = "ephemeral-attachments"
	}
	where := "/" + dir + "/" + a.channel + "/" + a.id + "/" + url.PathEscape(a.name)
	now := s.clock.Now()
	until := strconv.FormatInt(now.Add(linkLife).Unix(), 16)
	return fmt.Sprintf("%s%s?ex=%s&is=%x&hm=%s", s.service.URL(), where, until, now.Unix(), s.seal(a.id, until))
}

// seal signs an attachment URL.
func (s *Server) seal(id, until string) string {
	sum := sha256.Sum256([]byte(string(s.private) + id + until))
	return hex.EncodeToString(sum[:])
}

// serveFile serves the content of a file for a URL that has not expired.
func (s *Server) serveFile(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	q := r.URL.Query()
	until, err := strconv.ParseInt(q.Get("ex"), 16, 64)
	s.mu.Lock()
	var found *attachment
	if len(parts) == 4 {
		found = s.attachments()[parts[2]]
	}
	now := s.clock.Now()
	s.mu.Unlock()
	if found == nil || err != nil || now.Unix() > until || q.Get("hm") != s.seal(found.id, q.Get("ex")) {
		http.Error(w, "This content is no longer available.", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", found.kind())
	_, _ = w.Write(found.content) // The caller may have disconnected. File content is immutable.
}

// attachments returns all files by id.
func (s *Server) attachments() map[string]*attachment {
	out := map[string]*attachment{}
	for _, conv := range s.channels {
		for _, m := range conv.messages {
			for _, a := range m.attachments {
				out[a.id] = a
			}
		}
	}
	for _, a := range s.handed {
		out[a.id] = a
	}
	return out
}

// Files lists the files on messages, oldest first.
func (s *Server) Files() []chatsim.File {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []chatsim.File
	for _, conv := range s.sortedChannels() {
		for _, m := range conv.messages {
			for _, a := range m.attachments {
				out = append(out, chatsim.File{
					ID: a.id, Name: a.name, Title: a.title, Alt: a.description, Channel: conv.ID, Message: m.id, Content: slices.Clone(a.content),
				})
			}
		}
	}
	sort.Slice(out, func(i, j int) bool { return older(out[i].ID, out[j].ID) })
	return out
}

// kind returns the file's media type, derived from its name.
func (a *attachment) kind() string {
	switch ext := strings.ToLower(path.Ext(a.name)); ext {
	case ".png", ".gif", ".webp":
		return "image/" + ext[1:]
	case ".jpg", ".jpeg":
		return "image/jpeg"
	case ".pdf":
		return "application/pdf"
	case ".json":
		return "application/json"
	default:
		if slices.Contains(a.content, 0) {
			return "application/octet-stream"
		}
		return "text/plain; charset=utf-8"
	}
}

// seeFile describes a file as displayed.
func seeFile(name string, size int) string {
	return fmt.Sprintf("📎 %s (%d bytes)", name, size)
}

// seeFiles lists the files below a message; those of a V2 message are displayed by its
// components.
func seeFiles(m *message) []string {
	var lines []string
	for _, a := range m.attachments {
		if m.flags&flagV2 == 0 {
			lines = append(lines, seeFile(a.name, len(a.content)))
		}
	}
	return lines
}

// seeMedia describes an image as displayed.
func seeMedia(o object) string {
	if words := text(o, "description"); words != "" {
		return "🖼 " + words
	}
	return "🖼 " + strings.TrimPrefix(text(child(o, "media"), "url"), "attachment://")
}

// known returns the files of a message for a Snapshot.
func known(m *message) []Attachment {
	out := []Attachment{}
	for _, a := range m.attachments {
		out = append(out, Attachment{ID: a.id, Name: a.name, Alt: a.description, Kind: a.kind(), Size: len(a.content), Below: m.flags&flagV2 == 0})
	}
	return out
}

// placed returns the files of a new or edited message.
func (what *content) placed(m *message) []*attachment {
	for _, a := range what.attachments {
		a.channel = m.channel
	}
	return what.attachments
}

// cloned returns a deep copy of components.
func cloned(components []object) []object { return objects(double.Clone(components)) }
