package respond

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/internal/deliver"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/internal/words"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

// languageOf returns the person's language, or else the request's.
func languageOf(i platform.Interaction, r *record.Record) string {
	return cmp.Or(words.Known(i.Language), r.Language)
}

// wordsFor returns the texts for a person who acted on a request, which may be unknown.
func wordsFor(language string, i platform.Interaction, r *record.Record) *words.Words {
	return words.In(cmp.Or(languageOf(i, r), language))
}

// note returns a private note in the language of the words.
func note(w *words.Words, text string) platform.Note {
	return platform.Note{Text: text, Language: w.Language}
}

// verdictWords returns the text for verdicts without parameters.
func verdictWords(w *words.Words, v record.Verdict) string {
	switch v {
	case record.Elsewhere:
		return w.Note.Elsewhere
	case record.Hasty:
		return w.Note.Hasty
	case record.Final:
		return w.Note.Final
	case record.Unvoted:
		return w.Note.Unvoted
	case record.Undone:
		return w.Note.Undone
	case record.Unheld:
		return w.Note.Unheld
	case record.Theirs:
		return w.Note.Theirs
	case record.Overtaken:
		return w.Note.Overtaken
	case record.Outdated:
		return w.Note.Outdated
	case record.AskedAgent:
		return w.Note.AskedAgent
	case record.Unshown:
		return w.Note.Unshown
	case record.Enough:
		return w.Note.Enough
	}
	return w.Note.NoControl
}

// notPassedWords returns why a request could not be passed on.
func notPassedWords(w *words.Words, why record.WhyNot) string {
	switch why {
	case record.ToNobody:
		return w.Note.ToNobody
	case record.ToThemselves:
		return w.Note.ToThemselves
	case record.ToBarred:
		return w.Note.ToBarred
	case record.ToUnknown:
		return w.Note.ToUnknown
	case record.ToPasser:
		return w.Note.ToPasser
	case record.ToVoter:
		return w.Note.ToVoter
	case record.ToApart:
		return w.Note.ToApart
	case record.HasVoted:
		return w.Note.HasVoted
	case record.TooOften:
		return w.Note.TooOften
	}
	return w.Note.NoControl
}

// sayDecision describes a decision to the person who acted.
func sayDecision(cs *deliver.Cards, w *words.Words, r *record.Record, a record.Act, result record.Decision) platform.Note {
	switch result.Verdict {
	case record.Incomplete:
		return sayMissing(w, r, result.Missing)
	case record.Forbidden:
		return sayForbidden(cs, w, r, a)
	case record.Decided:
		what := w.Note.PleaseWait
		if result.Gone {
			what = w.Heard.VoteGone
		}
		return note(w, w.Note.Decided+" "+what)
	case record.Undone:
		if result.Over {
			return note(w, w.Note.UndoneOver)
		}
	case record.NotPassed:
		why := notPassedWords(w, result.Why)
		return platform.Note{Text: why + " " + w.Note.Unchanged, Language: w.Language, Fields: map[int]string{-1: why}}
	case record.Late:
		return note(w, w.Closed.Late(ago(w, r)))
	case record.Closed:
		if a.Action.Kind == ask.Undo {
			return note(w, w.Closed.TooLateToUndo+" "+sayClosed(w, r))
		}
		return note(w, sayClosed(w, r))
	}
	return note(w, verdictWords(w, result.Verdict))
}

func sayForbidden(cs *deliver.Cards, w *words.Words, r *record.Record, a record.Act) platform.Note {
	if next := record.Successor(r, a.By); next.ID != "" {
		who := ask.Eligible{Elsewhere: []ask.Elsewhere{{Platform: next.Platform, People: []ask.Person{next}}}}
		return platform.Note{Text: w.Note.PassedOn, Language: w.Language, Who: who}
	}
	c := r.Copies.At(a.Message)
	c.Target.Platform = a.By.Platform
	who := cs.Eligible(r, c)
	switch {
	case r.Responder(a.By).Requester && r.Policy.Has(ask.NotRequester):
		return note(w, w.Note.YourOwn)
	case who.Anyone:
		return note(w, w.Note.Workspace)
	}
	notYours := note(w, w.Note.NotYours)
	notYours.Who = who
	return notYours
}

func sayMissing(w *words.Words, r *record.Record, missing []int) platform.Note {
	toForm := func(text string, fields map[int]string) platform.Note {
		return platform.Note{Text: text, Language: w.Language, Fields: fields}
	}
	if len(missing) == 0 {
		return toForm(w.Note.Empty, map[int]string{-1: w.Note.WriteSomething})
	}
	if !slices.ContainsFunc(missing, func(q int) bool { return !r.Questions[q].Optional }) {
		return toForm(w.Note.NothingChosen, map[int]string{missing[0]: w.Note.AnswerOrSkip})
	}
	fields := map[int]string{}
	for _, q := range missing {
		fields[q] = w.Note.ChooseOrWrite
	}
	return toForm(w.Note.Missing(titles(w, r, missing)), fields)
}

// sayLeftOut names the questions that a form left unanswered; its other answers count.
func sayLeftOut(w *words.Words, r *record.Record, missing []int) platform.Note {
	return note(w, w.Note.LeftOut(titles(w, r, missing)))
}

// titles names questions in a note.
func titles(w *words.Words, r *record.Record, questions []int) string {
	var names []string
	for _, q := range questions {
		names = append(names, title(w, r.Questions[q]))
	}
	return strings.Join(names, ", ")
}

// sayNoted confirms a typed text that is not submitted yet.
func sayNoted(w *words.Words, r *record.Record, a ask.Action) platform.Note {
	q := r.Questions[a.Question]
	text := w.Note.Noted(title(w, q), w.Note.Quote(cut(strings.TrimSpace(a.Text()), 200)))
	if !q.MultiSelect && len(q.Options) > 0 {
		text += " " + w.Note.Replaces
	}
	return note(w, text)
}

// sayAnnotated confirms a note that is not submitted yet.
func sayAnnotated(w *words.Words, r *record.Record, a ask.Action) platform.Note {
	q := r.Questions[a.Question]
	text := strings.TrimSpace(a.Notes[a.Question])
	if text == "" {
		return note(w, w.Note.Unannotated(title(w, q)))
	}
	return note(w, w.Note.Annotated(title(w, q), w.Note.Quote(cut(text, 200))))
}

func sayClosed(w *words.Words, r *record.Record) string {
	o := r.Outcome
	switch o.End() {
	case ask.EndAnswered:
		var parts []string
		for _, a := range o.Answers {
			chosen := optionsIn(r.Questions[a.Index], a.Selected)
			if a.Other != "" {
				chosen = append(chosen, a.Other)
			}
			parts = append(parts, strings.Join(chosen, ", "))
		}
		if len(parts) == 0 {
			return w.Closed.Skipped(name(o.By))
		}
		if r.Voting != nil {
			return w.Closed.Decided(cut(strings.Join(parts, "; "), 300))
		}
		return w.Closed.Answered(name(o.By), cut(strings.Join(parts, "; "), 300))
	case ask.EndReplied:
		return w.Closed.Replied(name(o.By), cut(o.Reply(), 300))
	case ask.EndDismissed:
		return w.Closed.Dismissed(name(o.By))
	case ask.EndWithdrawn:
		return w.Closed.Withdrawn
	case ask.EndExpired:
		return w.Closed.Expired(ago(w, r))
	case ask.EndSuperseded:
		return w.Closed.Replaced
	}
	return w.Closed.Otherwise
}

// ago returns how long ago the request ended or expired.
func ago(w *words.Words, r *record.Record) string {
	since := r.Deadline
	if since.IsZero() {
		since = r.EndedAt
	}
	return w.Closed.Ago(time.Since(since))
}

// title names a question in a note.
func title(w *words.Words, q ask.Question) string {
	if strings.TrimSpace(q.Header) != "" {
		return cut(q.Header, 40)
	}
	return w.Note.Quote(cut(q.Text, 60))
}

// optionShown is the length of a label in a note.
const optionShown = 100

// optionsIn names options in a note, with their number if the label is truncated, since
// long labels may start alike.
func optionsIn(q ask.Question, selected []string) []string {
	var names []string
	for _, label := range selected {
		short := cut(ask.Line(label), optionShown)
		if n := slices.IndexFunc(q.Options, func(o ask.Option) bool { return o.Label == label }); n >= 0 && short != ask.Line(label) {
			short = fmt.Sprintf("%d. %s", n+1, short)
		}
		names = append(names, short)
	}
	return names
}

func name(p ask.Person) string {
	if p.Name != "" {
		return p.Name
	}
	return p.ID
}

func cut(s string, most int) string { return render.Cut(s, most, utf8.RuneCountInString) }
