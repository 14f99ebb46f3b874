package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// sample is one request of the sample agent.
type sample struct {
	name, about string
	request     ask.Request
}

// samples are played in this order, round and round.
func samples() []sample {
	option := func(label, description string) ask.Option { return ask.Option{Label: label, Description: description} }
	database := []ask.Option{option("Postgres", "Managed, with nightly backups"), option("SQLite", "Embedded, one file")}
	return []sample{
		{"deploy", "a single choice and a multiple choice, both with Other", ask.Request{
			Agent:   "deploy-bot",
			Context: "Release 4.2 of billing is built and its tests are green. Two things before I roll it out.",
			Questions: []ask.Question{
				{Text: "Which database should the new ledger use?", Header: "Database", Options: database},
				{Text: "Which checks should run against staging first?", Header: "Checks", MultiSelect: true, Options: []ask.Option{
					option("Smoke tests", "Two minutes"), option("Load test", "Half an hour"), option("Restore drill", "From last night's backup"),
				}},
			},
		}},
		{"tap", "one choice, answered with one tap", ask.Request{
			Agent:   "preview-bot",
			Context: "Setting up the preview of pull request 214.",
			Questions: []ask.Question{
				{Text: "Which database should the preview start with?", Header: "Database", Options: database},
			},
		}},
		{"text", "a question that is answered in your own words", ask.Request{
			Agent:   "release-notes-bot",
			Context: "The notes for 4.2 are written but for one line.",
			Questions: []ask.Question{
				{Text: "What should customers know about the new invoice numbers?", Header: "Notes"},
			},
		}},
		{"six", "six questions, in a form on Slack and in menus on Discord", ask.Request{
			Agent:   "migration-bot",
			Context: "Planning the move of billing to the new cluster.",
			Questions: []ask.Question{
				{Text: "When should it happen?", Header: "When", Options: []ask.Option{
					option("Tonight", "22:00 to 23:00"), option("Saturday", "Least traffic"), option("Next week", ""),
				}},
				{Text: "Which regions move first?", Header: "Regions", MultiSelect: true, Options: []ask.Option{
					option("eu-west", ""), option("us-east", ""), option("ap-south", ""),
				}},
				{Text: "How fast should traffic move over?", Header: "Pace", Options: []ask.Option{
					option("All at once", ""), option("In four steps", "A quarter each, ten minutes apart"), option("Canary", "One percent for an hour, then the rest"),
				}},
				{Text: "May customers see a maintenance page?", Header: "Page", NoOther: true, Options: []ask.Option{option("Yes", ""), option("No", "")}},
				{Text: "Who should be told beforehand?", Header: "Tell", MultiSelect: true, Options: []ask.Option{
					option("Support", ""), option("Sales", ""), option("All customers", "By mail"),
				}},
				{Text: "What must not go wrong?", Header: "Watch"},
			},
		}},
	}
}

// chooseSample finds the set to begin with: the one named, else the first that the answers fit, else the first.
func chooseSample(name string, answers []scripted) (int, error) {
	all := samples()
	if name != "" {
		i := slices.IndexFunc(all, func(s sample) bool { return s.name == name })
		if i < 0 {
			return 0, fmt.Errorf("there is no set %q; there are: %s", name, strings.Join(sampleNames(), ", "))
		}
		_, err := matchAnswers(all[i].request.Questions, answers)
		return i, err
	}
	var first error
	for i, s := range all {
		_, err := matchAnswers(s.request.Questions, answers)
		if err == nil {
			return i, nil
		}
		if first == nil {
			first = err
		}
	}
	return 0, fmt.Errorf("%w, and no other set fits either", first)
}

func sampleNames() []string {
	var names []string
	for _, s := range samples() {
		names = append(names, s.name)
	}
	return names
}
