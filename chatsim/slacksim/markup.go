package slacksim

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// markup is a parsed text in Slack's markup.
// https://docs.slack.dev/messaging/formatting-message-text
type markup struct {
	plain    string   // the text as displayed
	pings    []string // notified recipients: "@channel", a user id, a group id
	labelled []string // links whose label does not name the host
	linked   bool     // contains any link
}

var (
	control   = regexp.MustCompile(`<([^<>]+)>`)
	bareLink  = regexp.MustCompile(`https?://[^\s<>|]+`)
	bareName  = regexp.MustCompile(`(?:^|[^\w@])@([a-z][\w.-]*)`)
	emphasis  = regexp.MustCompile("(^|[\\s(\\[{\"'.,;:!?/-])([*_~])(\\S(?:[^\\n]*?\\S)?)([*_~])($|[\\s)\\]}\"'.,;:!?/-])")
	codeSpan  = regexp.MustCompile("(?s)```(.*?)```|`([^`\\n]+)`")
	dateToken = regexp.MustCompile(`\{[a-z_]+\}`)
	entities  = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")
)

// ReadText returns the displayed text of Slack markup, with times in UTC.
func (s *Server) ReadText(mrkdwn string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.readMarkup(mrkdwn, time.UTC).plain
}

// readMarkup parses mrkdwn text for a reader in a time zone.
func (s *Server) readMarkup(raw string, zone *time.Location) markup {
	var out markup
	out.linked = bareLink.MatchString(raw)
	var read strings.Builder
	last := 0
	for _, at := range codeSpan.FindAllStringSubmatchIndex(raw, -1) {
		read.WriteString(s.readProse(&out, raw[last:at[0]], zone))
		inside := raw[at[0]:at[1]]
		read.WriteString(s.readControls(&out, strings.Trim(inside, "`"), zone))
		last = at[1]
	}
	read.WriteString(s.readProse(&out, raw[last:], zone))
	out.plain = read.String()
	return out
}

// readProse parses text outside of code, where bold, italic and strikethrough apply.
func (s *Server) readProse(out *markup, raw string, zone *time.Location) string {
	for {
		next := emphasis.ReplaceAllStringFunc(raw, func(match string) string {
			part := emphasis.FindStringSubmatch(match)
			if part[2] != part[4] {
				return match
			}
			return part[1] + part[3] + part[5]
		})
		if next == raw {
			break
		}
		raw = next
	}
	return s.drawEmoji(s.readControls(out, readQuotes(raw), zone))
}

// readControls parses the sequences in angle brackets, which also work in code, and then the
// entities.
func (s *Server) readControls(out *markup, raw string, zone *time.Location) string {
	var read strings.Builder
	last := 0
	for _, at := range control.FindAllStringSubmatchIndex(raw, -1) {
		read.WriteString(entities.Replace(raw[last:at[0]]))
		read.WriteString(s.readControl(out, raw[at[2]:at[3]], zone))
		last = at[1]
	}
	read.WriteString(entities.Replace(raw[last:]))
	return read.String()
}

// readQuotes removes the quote markers.
func readQuotes(raw string) string {
	lines := strings.Split(raw, "\n")
	for i, line := range lines {
		if quoted, ok := strings.CutPrefix(strings.TrimLeft(line, " "), "&gt;"); ok {
			lines[i] = strings.TrimPrefix(quoted, " ")
		}
	}
	return strings.Join(lines, "\n")
}

func (s *Server) readControl(out *markup, inside string, zone *time.Location) string {
	target, label, labelled := strings.Cut(inside, "|")
	switch {
	case strings.HasPrefix(target, "@"):
		out.pings = append(out.pings, target[1:])
		if p := s.person(target[1:]); p != nil {
			return "@" + p.RealName
		}
		return target
	case strings.HasPrefix(target, "#"):
		if c := s.conversations[target[1:]]; c != nil {
			return "#" + c.Name
		}
		return target
	case strings.HasPrefix(target, "!subteam^"):
		id := strings.TrimPrefix(target, "!subteam^")
		out.pings = append(out.pings, id)
		if i := slices.IndexFunc(s.groups, func(g Group) bool { return g.ID == id }); i >= 0 {
			return "@" + s.groups[i].Handle
		}
		return "@" + id
	case strings.HasPrefix(target, "!date^"):
		return readDate(target, label, zone)
	case target == "!channel", target == "!here", target == "!everyone":
		out.pings = append(out.pings, "@"+target[1:])
		return "@" + target[1:]
	case strings.HasPrefix(target, "!"):
		return entities.Replace(label)
	case labelled:
		out.linked = true
		if !namesHost(entities.Replace(label), target) {
			out.labelled = append(out.labelled, inside)
		}
		return entities.Replace(label)
	default:
		out.linked = true
		return entities.Replace(target)
	}
}

// namesHost reports whether the label of a link contains the host of its URL.
func namesHost(label, target string) bool {
	u, err := url.Parse(entities.Replace(target))
	return err == nil && u.Host != "" && strings.Contains(label, u.Host)
}

// readDate renders <!date^unix^format^link|fallback> in the reader's time zone.
// https://docs.slack.dev/messaging/formatting-message-text#date-formatting
func readDate(target, fallback string, zone *time.Location) string {
	part := strings.SplitN(target, "^", 4)
	if len(part) < 3 {
		return fallback
	}
	unix, err := strconv.ParseInt(part[1], 10, 64)
	if err != nil {
		return fallback
	}
	at := time.Unix(unix, 0).In(zone)
	layouts := map[string]string{
		"{date_num}": "2006-01-02", "{date}": "January 2, 2006", "{date_short}": "Jan 2, 2006",
		"{date_long}": "Monday, January 2, 2006", "{date_pretty}": "January 2, 2006",
		"{date_short_pretty}": "Jan 2, 2006", "{date_long_pretty}": "Monday, January 2, 2006",
		"{time}": "3:04 PM", "{time_secs}": "3:04:05 PM",
	}
	unknown := false
	shown := dateToken.ReplaceAllStringFunc(part[2], func(token string) string {
		layout, ok := layouts[token]
		unknown = unknown || !ok
		return at.Format(layout)
	})
	if unknown {
		return fallback
	}
	return shown
}

// bareNames finds the names that link_names and parse=full turn into mentions.
func bareNames(raw string) []string {
	var out []string
	for _, match := range bareName.FindAllStringSubmatch(raw, -1) {
		out = append(out, "@"+match[1])
	}
	return out
}
