package slacksim

import (
	"maps"
	"regexp"
	"strings"
)

// emojiCode matches a name between colons, such as :tada: or :wave::skin-tone-3:.
var emojiCode = regexp.MustCompile(`:([a-z0-9_+'-]+):`)

// emojis are some of the standard emoji; Options.Emojis adds custom ones. An unknown name is
// plain text.
var emojis = map[string]string{
	"+1": "👍", "-1": "👎", "100": "💯", "bell": "🔔", "boom": "💥", "bug": "🐛", "bulb": "💡", "calendar": "📆", "eyes": "👀",
	"fire": "🔥", "gear": "⚙️", "heart": "❤️", "heavy_check_mark": "✔️", "hourglass": "⌛", "information_source": "ℹ️", "key": "🔑",
	"lock": "🔒", "mag": "🔍", "memo": "📝", "no_entry": "⛔", "ok": "🆗", "package": "📦", "point_right": "👉", "pray": "🙏",
	"question": "❓", "robot_face": "🤖", "rocket": "🚀", "rotating_light": "🚨", "ship": "🚢", "skull": "💀", "smile": "😄", "sos": "🆘",
	"sparkles": "✨", "star": "⭐", "tada": "🎉", "thumbsup": "👍", "thumbsdown": "👎", "warning": "⚠️", "wave": "👋",
	"white_check_mark": "✅", "wrench": "🔧", "x": "❌", "zap": "⚡",
}

// drawEmoji replaces emoji names with emoji, as Slack does in mrkdwn outside of code, and in
// plain_text unless its emoji is false.
// https://docs.slack.dev/reference/block-kit/composition-objects/text-object
func (s *Server) drawEmoji(words string) string {
	if !strings.Contains(words, ":") {
		return words
	}
	return emojiCode.ReplaceAllStringFunc(words, func(code string) string {
		if drawn := s.opts.Emojis[strings.Trim(code, ":")]; drawn != "" {
			return drawn
		}
		if drawn := emojis[strings.Trim(code, ":")]; drawn != "" {
			return drawn
		}
		return code
	})
}

// allEmojis returns the standard and the workspace's custom emoji, by name.
func (s *Server) allEmojis() map[string]string {
	all := maps.Clone(emojis)
	maps.Copy(all, s.opts.Emojis)
	return all
}
