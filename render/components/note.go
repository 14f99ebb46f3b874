package components

import (
	"strings"

	"github.com/rivo/uniseg"

	"github.com/askbridge/askbridge/render"
)

// Note returns a private word to one person as the contents of one or more
// messages, each at most [MaxContent] long, with nothing live in them but who:
// people and groups shown behind the text, as in responders of a request.
func Note(text string, who []string) []string {
	chunks := parted(render.Clean(text))
	for i, c := range chunks {
		chunks[i] = literal(c)
	}
	tail := markdown(render.Who(who, Limits()))
	last := len(chunks) - 1
	switch {
	case tail == "":
	case last < 0 || render.Units(chunks[last])+1+render.Units(tail) > MaxContent:
		chunks = append(chunks, tail)
	default:
		chunks[last] += " " + tail
	}
	return chunks
}

// parted cuts cleaned text into stretches of at most MaxContent as sent: at a
// line's end if there is one near, else at a word's, and never inside what a
// reader sees as one character unless that is longer than a message.
func parted(text string) []string {
	var out []string
	for text != "" {
		n := stretch(text)
		out = append(out, strings.TrimSpace(text[:n]))
		text = strings.TrimSpace(text[n:])
	}
	return out
}

// stretch is how many bytes of text fit one message.
func stretch(text string) int {
	used, fit, word, line := 0, 0, 0, 0
	for rest, state := text, -1; rest != ""; {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if used += width(cluster); used > MaxContent {
			break
		}
		fit += len(cluster)
		switch {
		case cluster == "\n":
			line, word = fit, fit
		case strings.TrimSpace(cluster) == "":
			word = fit
		}
	}
	switch {
	case fit == len(text):
		return fit
	case line > fit/2:
		return line
	case word > fit/2:
		return word
	case fit > 0:
		return fit
	}
	for i, r := range text {
		if used = fit + width(string(r)); used > MaxContent {
			return i
		}
		fit = used
	}
	return len(text)
}
