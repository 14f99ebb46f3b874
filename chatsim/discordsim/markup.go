package discordsim

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// reading is a parsed text in Discord's markup.
type reading struct {
	plain string
	links int // links whose label does not name the host
}

// Marks at the start of a line.
// https://support.discord.com/hc/en-us/articles/210298617
var lineMark = regexp.MustCompile(`^(#{1,3} |-# |>>> |> )`)

// Sequences in angle brackets. https://docs.discord.com/developers/reference#message-formatting
var angleForm = regexp.MustCompile(`^<(?:(@!?|@&|#)(\d+)|t:(-?\d+)(?::[a-zA-Z])?|a?(:\w+:)\d+|(/[^:>]+):\d+|(id:\w+)|(https?://[^ >]+))>`)

// fenceLanguage matches the language tag after an opening code fence, which is not displayed.
var fenceLanguage = regexp.MustCompile(`^[\w+-]+$`)

var linkForm = regexp.MustCompile(`^\[([^\]\n]+)\]\(<?(https?://[^\s)>]+)>?(?: "[^"]*")?\)`)

// ReadText returns the displayed text of Discord markup, with times in UTC.
func (s *Server) ReadText(markup string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.read(markup).plain
}

// read parses a text in Discord's markup.
func (s *Server) read(markup string) reading {
	r := &reader{s: s}
	for i, line := range strings.Split(markup, "\n") {
		if i > 0 {
			r.out.WriteByte('\n')
		}
		if r.fence {
			r.code(line)
			continue
		}
		if mark := lineMark.FindString(line); mark != "" {
			line = line[len(mark):]
		} else if bullet, isList := cutBullet(line); isList {
			r.out.WriteString("• ")
			line = bullet
		}
		r.inline(line)
	}
	return reading{r.out.String(), r.links}
}

func cutBullet(line string) (string, bool) {
	trimmed := strings.TrimLeft(line, " ")
	if strings.HasPrefix(trimmed, "- ") || strings.HasPrefix(trimmed, "* ") {
		return trimmed[2:], true
	}
	return line, false
}

type reader struct {
	s     *Server
	out   strings.Builder
	fence bool // inside a block of code
	links int
}

// code copies a line of a code block, up to the closing fence.
func (r *reader) code(line string) {
	inside, after, ends := strings.Cut(line, "```")
	r.out.WriteString(inside)
	if ends {
		r.fence = false
		r.inline(after)
	}
}

// pairs are the inline formatting marks, longest first.
var pairs = []string{"***", "**", "__", "~~", "||", "*", "_"}

func (r *reader) inline(line string) {
	for line != "" {
		switch c := line[0]; {
		case c == '\\' && escapes(line[1:]):
			_, size := utf8.DecodeRuneInString(line[1:])
			r.out.WriteString(line[1 : 1+size])
			line = line[1+size:]
		case strings.HasPrefix(line, "```"):
			r.fence = true
			if language := line[3:]; !fenceLanguage.MatchString(language) {
				r.code(language)
			}
			return
		case c == '`':
			line = r.codeSpan(line)
		case c == '<':
			line = r.angle(line)
		case c == '[':
			line = r.link(line)
		default:
			line = r.plainOrPair(line)
		}
	}
}

// escapes reports whether a backslash before this text escapes its first character. It does not
// before letters, digits and white space.
func escapes(rest string) bool {
	c, size := utf8.DecodeRuneInString(rest)
	return size > 0 && !unicode.IsSpace(c) && (c > unicode.MaxASCII || !unicode.IsLetter(c) && !unicode.IsDigit(c))
}

func (r *reader) codeSpan(line string) string {
	ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
	inside, after, ends := strings.Cut(line[len(ticks):], ticks)
	if !ends {
		r.out.WriteString(ticks)
		return line[len(ticks):]
	}
	r.out.WriteString(strings.TrimSpace(inside))
	return after
}

func (r *reader) angle(line string) string {
	found := angleForm.FindStringSubmatch(line)
	if found == nil {
		r.out.WriteByte('<')
		return line[1:]
	}
	kind, id := found[1], found[2]
	switch {
	case kind == "@" || kind == "@!":
		r.out.WriteString("@" + r.s.nameOf(id))
	case kind == "@&":
		r.out.WriteString("@" + r.s.roleName(id))
	case kind == "#":
		r.out.WriteString("#" + r.s.channelName(id))
	case found[3] != "":
		seconds, _ := strconv.ParseInt(found[3], 10, 64) // Only digits; a number out of range shows the year 1970.
		r.out.WriteString(time.Unix(seconds, 0).UTC().Format("2006-01-02 15:04"))
	default:
		r.out.WriteString(strings.Join(found[4:], ""))
	}
	return line[len(found[0]):]
}

func (s *Server) roleName(id string) string {
	i := slices.IndexFunc(s.roles, func(r Role) bool { return r.ID == id })
	if i < 0 {
		return "unknown-role"
	}
	return s.roles[i].Name
}

func (s *Server) channelName(id string) string {
	if c := s.channels[id]; c != nil && c.Name != "" {
		return c.Name
	}
	return "unknown"
}

func (r *reader) link(line string) string {
	found := linkForm.FindStringSubmatch(line)
	if found == nil {
		r.out.WriteByte('[')
		return line[1:]
	}
	if u, err := url.Parse(strings.Trim(found[2], "<>")); err != nil || !strings.Contains(found[1], u.Host) {
		r.links++
	}
	r.inline(found[1])
	return line[len(found[0]):]
}

// plainOrPair copies one character, or the text between a pair of marks.
func (r *reader) plainOrPair(line string) string {
	for _, mark := range pairs {
		if !strings.HasPrefix(line, mark) {
			continue
		}
		if end := closing(line[len(mark):], mark); end > 0 {
			r.inline(line[len(mark) : len(mark)+end])
			return line[len(mark)+end+len(mark):]
		}
		r.out.WriteString(mark)
		return line[len(mark):]
	}
	_, size := utf8.DecodeRuneInString(line)
	r.out.WriteString(line[:size])
	return line[size:]
}

// closing returns the position of the closing mark, or -1. The text in between must not be
// empty or end in a space. A mark after a backslash does not count.
func closing(rest, mark string) int {
	if rest == "" || (len(mark) == 1 && rest[0] == ' ') {
		return -1
	}
	for i := 0; i < len(rest); i++ {
		switch {
		case rest[i] == '\\':
			i++
		case strings.HasPrefix(rest[i:], mark):
			return i
		}
	}
	return -1
}
