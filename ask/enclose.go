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
	length := utf8.RuneCountInString(text)
	if length <= MaxShown {
		return text
	}
	shown := beginning(text)
	r.Files = append(slices.Clip(r.Files), File{Name: r.unused(name), Text: text, Unshown: length - utf8.RuneCountInString(shown)})
	return shown + "…"
}

// beginning is how a long text begins, up to the end of a line if one ends late enough.
func beginning(text string) string {
	n := 0
	for at := range text {
		if n == begins {
			text = text[:at]
			break
		}
		n++
	}
	if end := strings.LastIndexByte(text, '\n'); end >= len(text)/2 {
		return text[:end+1]
	}
	return text
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
