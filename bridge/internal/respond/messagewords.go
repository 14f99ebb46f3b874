package respond

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/internal/typed"
	"github.com/askbridge/askbridge/internal/words"
	"github.com/askbridge/askbridge/platform"
)

// sayTaken announces how a message was understood.
func sayTaken(w *words.Words, r *record.Record, by ask.Person, reading typed.Reading) string {
	var parts []string
	for q, question := range r.Questions {
		var chosen []string
		for _, o := range reading.Picks[q] {
			if o == question.Skip() {
				chosen = append(chosen, w.Heard.Skipped)
				continue
			}
			chosen = append(chosen, w.Note.Quote(optionsIn(question, []string{question.Options[o].Label})[0]))
		}
		if own := reading.Texts[q]; own != "" {
			chosen = append(chosen, w.Note.Quote(cut(ask.Line(own), 100)))
		}
		part := strings.Join(chosen, ", ")
		if len(r.Questions) > 1 {
			part = fmt.Sprintf("%d. %s", q+1, part)
		}
		parts = append(parts, part)
	}
	taken := w.Heard.Answer
	if r.Voting != nil {
		taken = w.Heard.Vote
	}
	return taken(cut(ask.Line(name(by)), 60), cut(strings.Join(parts, "; "), 600))
}

// saySeveral asks which of several requests a message answers.
func saySeveral(w *words.Words, all []bound) platform.Note {
	var parts []string
	for _, b := range all {
		parts = append(parts, w.Heard.CodeFor(b.r.Code(), title(w, b.r.Questions[0])))
	}
	return note(w, cut(w.Heard.Several(strings.Join(parts, ", ")), 1500))
}

// sayDoubt explains why a text did not count and what would. gone means that an earlier
// answer of the message was retracted.
func sayDoubt(w *words.Words, r *record.Record, doubt typed.Doubt, gone bool) platform.Note {
	what := w.Heard.NothingRecorded
	if gone {
		what = wordsOfGone(w, r)
	}
	first := w.Heard.NotTaken + " " + what + " "
	switch {
	case r.Strict():
		return note(w, first+w.Heard.WholeLabel(r.Code(), example(r)))
	case doubt == typed.Several:
		return note(w, w.Heard.ManyWays+" "+what+" "+w.Heard.UseCard)
	case doubt == typed.Uncoded:
		return note(w, first+w.Heard.OwnWords(r.Code()))
	case len(r.Questions) > 1:
		return note(w, first+w.Heard.EachLine(len(r.Questions))+sayWords(w, r))
	case len(r.Questions[0].Options) == 0:
		return note(w, first+w.Heard.UseCard+sayWords(w, r))
	}
	var options []string
	for n, o := range r.Questions[0].Options {
		options = append(options, fmt.Sprintf("%d %s", n+1, cut(ask.Line(o.Label), 80)))
	}
	how := w.Heard.OneOf
	if r.Questions[0].MultiSelect {
		how = w.Heard.SomeOf
	}
	return note(w, cut(first+how(strings.Join(options, ", ")), 1500)+sayWords(w, r))
}

// wordsOfGone reports that the answer of a message was retracted.
func wordsOfGone(w *words.Words, r *record.Record) string {
	if r.Voting != nil {
		return w.Heard.VoteGone
	}
	return w.Heard.AnswerGone
}

// sayWords lists other texts that can be typed, in the language of the card.
func sayWords(w *words.Words, r *record.Record) (also string) {
	skip := ""
	for _, q := range r.Questions {
		switch {
		case q.Optional && q.TextOnly():
			skip = typed.SkipSign // A word may be an answer.
		case q.Optional:
			skip = cmp.Or(skip, typed.Skip(r.Language))
		}
	}
	if skip != "" {
		also += " " + w.Heard.SkipWith(skip)
	}
	own := func(q ask.Question) bool { return len(q.Options) > 0 && !q.NoOther }
	if r.Replies.Mode == ask.RepliesText && slices.ContainsFunc(r.Questions, own) {
		also += " " + w.Heard.OwnWith(typed.Other(r.Language))
	}
	return also
}

// example returns a label that can be typed.
func example(r *record.Record) string {
	for _, q := range r.Questions {
		if len(q.Options) > 0 {
			return cut(ask.Line(q.Options[0].Label), 80)
		}
	}
	return "…"
}
