package ask

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// MaxShown is the longest text shown in full on a card, in characters. It leaves room in
	// the message for the questions; Discord allows 4,000 characters in all
	// (https://docs.discord.com/developers/components/reference).
	MaxShown = 2500
	// previewLength is the number of characters shown of a longer text.
	previewLength = 1000
)

// Enclose returns the part of a text that the card shows: the whole text, or the beginning of
// one longer than [MaxShown]. The full version of a truncated text becomes a file of the
// request under the given name, made unique if necessary, and the card states how much is
// shown. No other code decides what moves from a card into a file.
func (r *Request) Enclose(name, text string) string {
	shown, unshown := preview(text)
	if unshown > 0 {
		r.Files = append(slices.Clip(r.Files), File{Name: r.unused(name), Text: text, Unshown: unshown})
	}
	return shown
}

// EncloseContext applies Enclose to the context.
func (r *Request) EncloseContext() { r.Context = r.Enclose("context.txt", r.Context) }

// EncloseContext returns the part of the revision's context that the card shows, and the file
// with the full text, or nil if the card shows it all. If the request cannot have files the
// full text is shown. The file name contains number, the number of the revision.
func (v Revision) EncloseContext(number int) (string, *File) {
	shown, unshown := preview(*v.Context)
	if unshown == 0 || !v.Files {
		return *v.Context, nil
	}
	return shown, &File{Name: fmt.Sprintf("context-%d.txt", number+1), Text: *v.Context, Unshown: unshown}
}

// OfContext reports whether the file holds a context that the card shows only in part.
func (a Attachment) OfContext() bool { return a.Unshown > 0 && strings.HasPrefix(a.Name, "context") }

// preview truncates a long text for the card, at the end of a line if one ends late enough.
// unshown is the number of characters cut off.
func preview(text string) (shown string, unshown int) {
	length := utf8.RuneCountInString(text)
	if length <= MaxShown {
		return text, 0
	}
	n := 0
	for at := range text {
		if n == previewLength {
			text = text[:at]
			break
		}
		n++
	}
	if end := strings.LastIndexByte(text, '\n'); end >= len(text)/2 {
		text = text[:end+1]
	}
	return text + "…", length - utf8.RuneCountInString(text)
}

// unused returns a file name that the request does not use yet.
func (r *Request) unused(name string) string {
	ending := path.Ext(name)
	free := name
	for n := 2; slices.ContainsFunc(r.Files, func(f File) bool { return f.Name == free }); n++ {
		free = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, ending), n, ending)
	}
	return free
}
