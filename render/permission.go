package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// prompt is the subject of a permission prompt: everything that an approval covers.
//
//	claude-code wants to run a command     Frame
//	in ~/src/ledger                        where
//	npm test                               input, exactly
//	In the agent's words: "Run the tests"  words
//	[Allow] [Allow for 8 h] [Deny]         Row
//	“Allow for 8 h”: this exact call …     reach of the options
type prompt struct{ where, input, words string }

// promptOf takes the subject of a permission prompt out of the preview of its first option, so that it
// is not shown inside the option. It is nil for any other request.
func promptOf(s *Subject) *prompt {
	if !s.Permission || len(s.Questions) != 1 || len(s.Questions[0].Options) == 0 || s.Questions[0].Options[0].Preview == "" {
		return nil
	}
	q := &s.Questions[0]
	q.Options = slices.Clone(q.Options)
	p := &prompt{input: q.Options[0].Preview}
	q.Options[0].Preview = ""
	if s.Permit != nil {
		const gap = "\n\n"
		if rest, ok := strings.CutPrefix(p.input, s.Permit.Where+gap); ok && s.Permit.Where != "" {
			p.where, p.input = code(s.Permit.Where), rest
		}
		if rest, ok := strings.CutSuffix(p.input, gap+s.Permit.Words); ok && s.Permit.Words != "" {
			p.words, p.input = code(s.Permit.Words), rest
		}
	}
	p.input = code(p.input)
	return p
}

// whole is the subject as one text.
func (p *prompt) whole() string {
	return strings.Join(slices.DeleteFunc([]string{p.where, p.input, p.words}, func(part string) bool { return part == "" }), "\n\n")
}

// wants is the sentence about what the agent asks to do.
func (s Subject) wants(agent string) string {
	v := &s.voice.Permission
	if s.Permit == nil {
		return v.Asks(agent)
	}
	switch s.Permit.Wants {
	case ask.WantsRun:
		return v.Run(agent)
	case ask.WantsChange:
		return v.Change(agent)
	case ask.WantsPlan:
		return v.Plan(agent)
	case ask.WantsNoPlan:
		return v.NoPlan(agent)
	case ask.WantsType:
		return v.Type(agent)
	case ask.WantsReach:
		return v.Reach(agent)
	case ask.WantsRights:
		return v.Rights(agent)
	case ask.WantsTool:
		return v.Tool(agent, Cut(Line(s.Permit.Tool), agentShown, nil))
	}
	return v.Asks(agent)
}

// untold reports whether only the question names what the agent asks to do.
func (s Subject) untold() bool { return s.prompt == nil || s.Permit == nil || s.Permit.Wants == "" }

// about is the first question, or what the agent asks permission for.
func (s Subject) about() string {
	if s.untold() {
		return s.Questions[0].Text
	}
	return s.prompt.input
}

// promptSections are the subject above the choices. The folder is never cut.
func (s Subject) promptSections() []Section {
	var sections []Section
	if where := s.prompt.where; where != "" {
		folder, more, _ := strings.Cut(where, "\n")
		spans := []Span{{Text: folder}}
		if path, ok := strings.CutPrefix(folder, "In "); ok && !strings.Contains(path, "`") {
			spans = fill(Plain, s.voice.Permission.In(slot0), one(Span{Style: Mono, Text: path}))
		}
		if more != "" {
			spans = append(spans, Span{Text: "\n" + more})
		}
		sections = append(sections, Section{Kind: Body, ID: "where", Text: spans})
	}
	var text []Span
	if s.untold() {
		text = prose(s.Questions[0].Text)
	}
	if s.prompt.input != "" {
		text = append(text, Span{Style: Code, Text: s.prompt.input})
	}
	sections = append(sections, Section{Kind: Body, ID: "q0.text", Text: text})
	if s.prompt.words != "" {
		sections = append(sections, Section{Kind: Body, ID: "words", Text: []Span{{Text: s.prompt.words}}})
	}
	return sections
}

// denies reports whether option n of a permission prompt refuses the call.
func (s Subject) denies(n int) bool {
	return s.Permission && s.Permit != nil && slices.Contains(s.Permit.Deny, s.Questions[0].Options[n].Label)
}

// reach states, below the choices of a permission prompt, how far each option goes.
func (a *asking) reach() []Section {
	if a.prompt == nil {
		return nil
	}
	if text := a.offer.reach(); len(text) > 0 {
		return []Section{{Kind: Body, ID: reachID, Text: text}}
	}
	return nil
}

// reach is one line for each option that has a description, or whose control cannot show it in full.
func (o offer) reach() []Span {
	var spans []Span
	for n, option := range o.question.Options {
		if option.Description == "" && strings.Contains(o.label(n), option.Label) {
			continue
		}
		line := "“" + option.Label + "”"
		if o.numbered {
			line = fmt.Sprintf("%d. %s", n+1, option.Label)
		}
		if option.Description != "" {
			line += ": " + Line(option.Description)
		}
		if len(spans) > 0 {
			line = "\n" + line
		}
		spans = append(spans, Span{Text: line})
	}
	return spans
}
