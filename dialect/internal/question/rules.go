package question

import (
	"strings"
	"unicode/utf8"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect/internal/js"
	"github.com/askbridge/askbridge/dialect/internal/quote"
)

// MaxQuestions returns the limit of this call.
func (s *Set) MaxQuestions() int {
	most := s.Limits.MaxQuestions
	if s.Most > 0 {
		most = s.Most
	}
	if most <= 0 || most > ask.MaxQuestions {
		most = ask.MaxQuestions
	}
	return most
}

// CheckHeaders advises on headers longer than the host documents.
func (s *Set) CheckHeaders() {
	most := s.Limits.Header
	if most == 0 {
		most = ask.HeaderAdvice
	}
	for _, it := range s.Items {
		if n := utf8.RuneCountInString(it.Header.Text); n > most {
			s.Advise(s.Path(it, "header"), "has %d characters; more than %d may be cut for display", n, most)
		}
	}
}

// Unique rejects two questions with the same key, because their answers would overwrite each other.
func (s *Set) Unique(what string, key func(Item) js.Token) {
	first := map[string]int{}
	for i, it := range s.Items {
		k := key(it)
		if j, dup := first[k.Text]; dup {
			s.Reject(s.Path(it, what), ask.ErrDuplicateLabel, "is the same as in question %d (%q); this host files answers by it, so they must differ", j+1, quote.Brief(k.Text))
			continue
		}
		first[k.Text] = i
	}
}

// OptionIDs rejects options with a missing or duplicate ID, for hosts that name options by ID.
func (s *Set) OptionIDs(it Item) {
	seen := map[string]bool{}
	for j, o := range it.Options {
		switch {
		case o.Key.Text == "":
			s.Reject(s.Path(it, "options")+Index(j)+".id", ask.ErrSyntax, "is required, since answers name options by it")
		case seen[o.Key.Text]:
			s.Reject(s.Path(it, "options")+Index(j)+".id", ask.ErrDuplicateLabel, "%q is the id of another option too", quote.Brief(o.Key.Text))
		}
		seen[o.Key.Text] = true
	}
}

// CountQuestions checks the number of questions as most hosts do.
func (s *Set) CountQuestions() {
	if most := s.MaxQuestions(); s.Sent == 0 || s.Sent > most {
		s.Reject("questions", CountError(s.Sent), "has %d questions; give 1 to %d", s.Sent, most)
	}
}

// CountError returns the error for a number of questions outside the limits.
func CountError(sent int) error {
	if sent == 0 {
		return ask.ErrNoQuestions
	}
	return ask.ErrTooManyQuestions
}

// CountOptions checks the number of options as most hosts do.
func (s *Set) CountOptions(it Item, format string, args ...any) {
	l := s.Limits
	if n := len(it.Options); n != 0 && (n < l.MinOptions || l.MaxOptions > 0 && n > l.MaxOptions) || n == 0 && it.Sent > 0 {
		s.Tolerate(s.Path(it, "options"), ask.ErrOptionCount, format, args...)
	}
}

// YesNo gives a question the options Yes and No.
func (s *Set) YesNo(it *Item, q *ask.Question) {
	yes := ask.YesNo(q.Text)
	q.Options, q.NoOther, q.MultiSelect = yes.Options, true, false
	it.Options = nil
	for _, o := range yes.Options {
		it.Options = append(it.Options, Option{Label: js.Quote(o.Label), Key: js.Quote(strings.ToLower(o.Label))})
	}
}
