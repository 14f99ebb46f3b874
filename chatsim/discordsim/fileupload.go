package discordsim

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/chatsim"
)

// fileType matches a file type filter of an upload field.
// https://docs.discord.com/developers/reference#file-type-filtering
var fileType = regexp.MustCompile(`^(?i:image|video|audio|\.[a-z0-9]+)$`)

// fileUpload checks a file upload field of a form.
// https://docs.discord.com/developers/components/reference#file-upload
func (c *check) fileUpload(at string, o object, fields fieldsCheck) {
	fields([]string{"custom_id"}, shape{
		"custom_id": c.customID, "required": c.boolean, "min_values": c.between(0, maxUploads), "max_values": c.between(1, maxUploads),
		"file_types": func(at string, v any) {
			list, isList := v.([]any)
			if !isList {
				c.fail(ruleKind, at, "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
			}
			if len(list) > maxFileTypes.max {
				c.fail(maxFileTypes, at, "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", maxFileTypes.max)
			}
			for i, item := range list {
				if name, _ := item.(string); !fileType.MatchString(name) {
					c.fail(ruleFileType, join(at, i), "BASE_TYPE_CHOICES", "%q is no type of files", name)
				}
			}
		},
	})
	c.picking(at, o, maxUploads)
}

// Attach adds a file to a field of the open form, named by its label or custom_id. The client
// checks only the file name. https://docs.discord.com/developers/reference#file-type-filtering
func (t *Seat) Attach(_ context.Context, field, name string, content []byte) error {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	defer t.s.changed.Notify()
	if err := t.s.actor(t.person); err != nil {
		return err
	}
	p, err := t.s.seek(t, fmt.Sprintf("attach to %q", field), nonEmpty(field), func(p spot) bool {
		return kindOf(p.control) == kindFileUpload && p.form != nil
	})
	if err != nil {
		return err
	}
	held, _ := p.picks(t.person).value(p.control).([]string)
	_, most := valueRange(p.control)
	a := &attachment{id: t.s.newID(), channel: p.conv.ID, name: name, content: slices.Clone(content), ephemeral: true}
	switch {
	case len(held) >= most:
		return fmt.Errorf("discordsim: %s: attach %s: no more than %d files can be chosen", t.person, name, most)
	case !a.fits(p.control):
		return fmt.Errorf("discordsim: %s: attach %s: the form takes only %v", t.person, name, p.control["file_types"])
	case len(content) > maxFileBytes.max:
		return fmt.Errorf("discordsim: %s: attach %s: the file is too powerful, %d bytes are allowed", t.person, name, maxFileBytes.max)
	}
	t.s.handed = append(t.s.handed, a)
	id := text(p.control, "custom_id")
	p.form.picks[id] = append(slices.Clone(held), a.id)
	delete(p.form.errors, id)
	t.s.record(chatsim.Event{Kind: chatsim.Attached, Person: t.person, Form: text(p.form.def, "custom_id"), Where: id, Text: name, Under: p.over})
	return nil
}

// fits reports whether a field accepts a file of this name.
func (a *attachment) fits(field object) bool {
	types, _ := field["file_types"].([]any)
	if len(types) == 0 {
		return true
	}
	group, _, _ := strings.Cut(a.kind(), "/")
	return slices.ContainsFunc(types, func(v any) bool {
		name, _ := v.(string)
		return strings.EqualFold(name, group) || strings.EqualFold(name, path.Ext(a.name))
	})
}

// handedIn returns the files in a submitted form, by id.
func (s *Server) handedIn(f *form) object {
	out := object{}
	for _, e := range fieldsOf(objects(f.def["components"])) {
		held, _ := f.picks.value(e).([]string)
		for _, a := range s.handed {
			if kindOf(e) == kindFileUpload && slices.Contains(held, a.id) {
				out[a.id] = s.attachmentJSON(a)
			}
		}
	}
	return out
}
