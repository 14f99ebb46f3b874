package ask

import "time"

// The limits of a request. The counts follow the tools that agents are trained on; the lengths
// keep the whole set inside one Slack modal (250 kB, https://docs.slack.dev/surfaces/modals)
// even if every character must be escaped.
const (
	DefaultMaxQuestions = 4
	MaxQuestions        = 10
	DefaultMinOptions   = 2
	DefaultMaxOptions   = 4
	// MaxOptions is the most options any rules allow per question: the smallest menu limit of
	// all platforms. Discord allows 25
	// (https://docs.discord.com/developers/components/reference#string-select), Slack 100
	// (https://docs.slack.dev/reference/block-kit/block-elements/select-menu-element).
	MaxOptions = 25
	// HeaderAdvice is the length above which a header is truncated for display. A longer one is
	// accepted and reported by [Advise].
	HeaderAdvice = 12
	// MaxLabel is the maximum length of a label or header, in characters.
	MaxLabel = 1000
	// MaxText is the maximum length of all texts of a request together, in characters.
	MaxText = 30_000
	// MaxName is the maximum length of ids, names and routes, in bytes.
	MaxName = 256
	// MaxTargets is the maximum number of places per request.
	MaxTargets = 10
	// MaxExpiresIn is the longest deadline; use [Never] for none.
	MaxExpiresIn = 366 * 24 * time.Hour
)

// Rules are the caller's limits. The zero value means the defaults. Values above the package's
// maximum are capped.
type Rules struct {
	// MaxQuestions is between 1 and [MaxQuestions]; zero means [DefaultMaxQuestions].
	MaxQuestions int
	// MinOptions and MaxOptions limit the options of a question that has any, between 1 and
	// [MaxOptions]; zero means [DefaultMinOptions] and [DefaultMaxOptions].
	MinOptions, MaxOptions int
	// NoDeadline means that the host waits indefinitely: if neither the request nor its route
	// has a deadline, there is none.
	NoDeadline bool
}

func (r *Rules) maxQuestions() int {
	if r == nil || r.MaxQuestions <= 0 {
		return DefaultMaxQuestions
	}
	return min(r.MaxQuestions, MaxQuestions)
}

func (r *Rules) options() (least, most int) {
	least, most = DefaultMinOptions, DefaultMaxOptions
	if r != nil && r.MinOptions > 0 {
		least = r.MinOptions
	}
	if r != nil && r.MaxOptions > 0 {
		most = r.MaxOptions
	}
	most = min(most, MaxOptions)
	return min(least, most), most
}
