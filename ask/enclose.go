package ask

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// MaxShown is the longest text that stands on a card whole, in characters: beside it a
	// message has room for what is asked about it, on Discord 4,000 characters in all
	// (https://docs.discord.com/developers/components/reference).
	MaxShown = 2500
	// begins is how much of a longer one does.
	begins = 1000
)

// Enclose returns what stands on the card of a text: all of it, or the beginning of one that
// is longer than [MaxShown]. The whole of that becomes a file of the request, under the name
// or one like it that no other file has, and the card says how much of it stands there alone.
// This is the one place that decides what goes below a card.
func (r *Request) Enclose(name, text string) string {
	shown, unshown := beginning(text)
	if unshown > 0 {
		r.Files = append(slices.Clip(r.Files), File{Name: r.unused(name), Text: text, Unshown: unshown})
	}
	return shown
}

// EncloseContext is Enclose for the context.
func (r *Request) EncloseContext() { r.Context = r.Enclose("context.txt", r.Context) }

// EncloseContext returns what stands on the card of the context that a revision brings, and
// the file that holds the whole of it, nil where the card does. Where no file is taken all of
// it stands there. Number is that of the revision, by which its file has a name of its own.
func (v Revision) EncloseContext(number int) (string, *File) {
	shown, unshown := beginning(*v.Context)
	if unshown == 0 || !v.Files {
		return *v.Context, nil
	}
	return shown, &File{Name: fmt.Sprintf("context-%d.txt", number+1), Text: *v.Context, Unshown: unshown}
}

// OfContext reports whether the file holds a context whose beginning stands on the card.
func (a Attachment) OfContext() bool { return a.Unshown > 0 && strings.HasPrefix(a.Name, "context") }

// beginning is what a card shows of a text: all of it, or how a longer one begins, up to the
// end of a line if one ends late enough. Unshown is how many characters are left.
func beginning(text string) (shown string, unshown int) {
	length := utf8.RuneCountInString(text)
	if length <= MaxShown {
		return text, 0
	}
	n := 0
	for at := range text {
		if n == begins {
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

// unused is a name that no file of the request has.
func (r *Request) unused(name string) string {
	ending := path.Ext(name)
	free := name
	for n := 2; slices.ContainsFunc(r.Files, func(f File) bool { return f.Name == free }); n++ {
		free = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, ending), n, ending)
	}
	return free
}
