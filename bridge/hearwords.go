package bridge

import (
	"fmt"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/typed"
)

const (
	sayUnbound  = "There is no open question here that you could answer with a message. Nothing was recorded."
	sayWithheld = "This bot cannot read a reply that does not mention it. Nothing was recorded: please reply with the mention (@) switched on, or use the card."
)

// sayTaken tells everybody what a message was taken for.
func sayTaken(r *Record, by ask.Person, reading typed.Reading) string {
	var parts []string
	for q, question := range r.Questions {
		var chosen []string
		for _, o := range reading.Picks[q] {
			if o == question.Skip() {
				chosen = append(chosen, "skipped")
				continue
			}
			chosen = append(chosen, "“"+cut(ask.Line(question.Options[o].Label), 100)+"”")
		}
		if own := reading.Texts[q]; own != "" {
			chosen = append(chosen, "“"+cut(ask.Line(own), 100)+"”")
		}
		part := strings.Join(chosen, ", ")
		if len(r.Questions) > 1 {
			part = fmt.Sprintf("%d. %s", q+1, part)
		}
		parts = append(parts, part)
	}
	what := "answer"
	if r.Voting != nil {
		what = "vote"
	}
	return fmt.Sprintf("Taken as the %s of %s: %s.", what, cut(ask.Line(name(by)), 60), cut(strings.Join(parts, "; "), 600))
}

// saySeveral asks which of several requests is meant.
func saySeveral(all []bound) Note {
	var parts []string
	for _, b := range all {
		parts = append(parts, fmt.Sprintf("“%s: …” for %s", b.r.Code(), title(b.r.Questions[0])))
	}
	return Note{Text: cut("Several questions are open here, so nothing was recorded. Begin with the code of the one you mean: "+strings.Join(parts, ", ")+".", 1500)}
}

// sayDoubt says why a text did not count, and what would. Gone tells that the text said
// something before which is taken back.
func sayDoubt(r *Record, doubt typed.Doubt, gone bool) Note {
	what := "Nothing was recorded."
	if gone {
		what = "Your vote is taken back, since the message does not say it any more."
	}
	first := "That was not taken as an answer. "
	switch {
	case r.Strict():
		return Note{Text: first + what + fmt.Sprintf(" Here only a whole label behind the code counts, such as “%s: %s”.", r.Code(), example(r))}
	case doubt == typed.Several:
		return Note{Text: "That can be read in more than one way. " + what + " Please use the card."}
	case doubt == typed.Uncoded:
		return Note{Text: first + what + fmt.Sprintf(" To answer in words of your own reply to the card itself, or begin with “%s: ”.", r.Code())}
	case len(r.Questions) > 1:
		return Note{Text: first + what + fmt.Sprintf(" It takes an answer to each of the %d questions: one line for each, in their order.", len(r.Questions))}
	case len(r.Questions[0].Options) == 0:
		return Note{Text: first + what + " Please use the card."}
	}
	var options []string
	for n, o := range r.Questions[0].Options {
		options = append(options, fmt.Sprintf("%d %s", n+1, cut(ask.Line(o.Label), 80)))
	}
	how := " Reply with one of these, and nothing else: "
	if r.Questions[0].MultiSelect {
		how = " Reply with some of these, with commas between, and nothing else: "
	}
	return Note{Text: cut(first+what+how+strings.Join(options, ", ")+".", 1500)}
}

// example is a label that somebody could type.
func example(r *Record) string {
	for _, q := range r.Questions {
		if len(q.Options) > 0 {
			return cut(ask.Line(q.Options[0].Label), 80)
		}
	}
	return "…"
}
