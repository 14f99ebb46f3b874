package components

import (
	"strings"

	dgo "github.com/bwmarrin/discordgo"
	"github.com/rivo/uniseg"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/render"
)

// Note returns a note to one person as the components of one or more messages with [Flags]. Only who is
// mentioned: people and groups after the text, such as the responders of a request, in a language.
func Note(text string, who ask.Eligible, language string) [][]dgo.MessageComponent {
	chunks := parted(render.Clean(text))
	for i, c := range chunks {
		chunks[i] = literal(c, true)
	}
	tail := markdown(render.Who(who, Limits(), language))
	last := len(chunks) - 1
	switch {
	case tail == "":
	case last < 0 || !holds(chunks[last]+" "+tail):
		chunks = append(chunks, tail)
	default:
		chunks[last] += " " + tail
	}
	messages := make([][]dgo.MessageComponent, len(chunks))
	for i, c := range chunks {
		messages[i] = []dgo.MessageComponent{dgo.TextDisplay{Content: c}}
	}
	return messages
}

// holds reports whether a text fits into one message.
func holds(text string) bool {
	return render.Units(text) <= MaxText && len(text)+TextOverhead <= MaxBytes
}

// parted splits sanitized text into parts that fit into one message each: preferably at line ends, otherwise
// between words, and never inside a grapheme cluster unless that is longer than a message.
func parted(text string) []string {
	var out []string
	for text != "" {
		n := stretch(text)
		out = append(out, strings.TrimSpace(text[:n]))
		text = strings.TrimSpace(text[n:])
	}
	return out
}

// stretch returns how many bytes of the text fit into one message, as if every character that may need an
// escape did.
func stretch(text string) int {
	units, size := 0, TextOverhead
	over := func(part string) bool {
		units += width(part)
		size += len(part) + width(part) - render.Units(part)
		return units > MaxText || size > MaxBytes
	}
	fit, word, line := 0, 0, 0
	for rest, state := text, -1; rest != ""; {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if over(cluster) {
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
	units, size = 0, TextOverhead
	for i, r := range text {
		if over(string(r)) {
			return i
		}
	}
	return len(text)
}
