package main

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim/page"
	"github.com/askbridge/askbridge/dialect"
)

// The requests of the scenes, as an agent sends them.
//
//go:embed scenes/*.json
var sceneFiles embed.FS

// plainRequest is the form of what is posted to /v1/requests.
const plainRequest = "request"

// simScene is something to look at: a request, and what to do with its card.
type simScene struct {
	name, about, hint string
	// form is plainRequest, or the dialect of the tool input.
	form string
	// round is set where the sample agent asks it by itself, one after the other.
	round bool
	// text is the body, unless a file has it.
	text string
}

// sceneList are the scenes of one run.
type sceneList []simScene

var simScenes = sceneList{
	{"deploy", "a single choice and a multiple choice, both with Other", "Choose on either side, then Submit. Submit before you have chosen, and you see what is missing.", plainRequest, true, ""},
	{"tap", "one choice, answered with one tap", "One tap answers it, and the card on the other side shows it.", plainRequest, true, ""},
	{"text", "a question that is answered in your own words", "Press Answer… and write. Close the form half-way and open it again.", plainRequest, true, ""},
	{"six", "six questions, in a form on either side", "Slack asks all in one form, Discord in one for each page of the card.", plainRequest, true, ""},
	{"ten", "ten questions, the most there can be", "Compare how much of it fits on either side.", plainRequest, false, ""},
	{"long", "long texts, which are cut and can be read in full", "Press “Read in full”.", plainRequest, false, ""},
	{"wrong", "only Sam may answer", "Press a button as Dana: only you see that it is not yours. Then become Sam, at the top.", plainRequest, false, ""},
	{"vote", "two people must agree, and one can stop it", "Vote as Dana on both sides: that is one vote. Then become Sam, at the top.", plainRequest, false, ""},
	{"notify", "Sam is notified, and anyone may answer", "The timeline shows who was notified. Answer it: that notifies no one.", plainRequest, false, ""},
	{"remind", "Sam gets a reminder after 20 seconds", "Wait, and see the message below the card and who was notified.", plainRequest, false, ""},
	{"context", "a context with addresses, code and a list, and a link", "Select the code and copy it. Press the link: its address is next to it.", plainRequest, false, ""},
	{"files", "a change as a file below the card", "The controls appear after the files. Open one: its SHA-256 is on the card.", plainRequest, false, ""},
	{"edit", "a change of a file that Claude Code wants to make", "It is shown as a diff. The reply is what the hook prints, byte for byte.", "claude", false, ""},
	{"command", "a long command that Claude Code wants to run", "The card shows its beginning, and the file all of it. Allow it after the upload.", "claude", false, ""},
	{"grant", "a call that is not asked about again for 8 hours", "Press Allow for 8 h, and Ask again, twice: no card appears. Revoke it here, and Ask once more.", "claude", false, ""},
	{"optional", "questions that may be skipped, and a note", "Skip one, leave one, and write a note on the other. The reply shows which is which.", plainRequest, false, ""},
	{"typed", "a question that a message below the card answers", "Press the arrow at the corner of the card and write “2”. Write “maybe 2” first: only you see the reply.", plainRequest, false, ""},
	{"language", "a card in German, which Kim reads in Spanish", "Press Andere Antwort… as Dana: the form is in English, as her client is. Become Kim, at the top: on Slack from the second press on it is in Spanish.", plainRequest, false, ""},
	{"claim", "a person claims it, which postpones the reminder", "Press I'm on it as Dana. The reminder, due after 20 seconds, comes after a minute.", plainRequest, false, ""},
	{"pass", "a person passes it on to another person", "Press More… and Pass to… as Dana and choose Sam; become Sam, at the top, who has a card of it now.", plainRequest, false, ""},
	{"hold", "an answer that can be undone for 20 seconds", "Decide as Dana and press Undo; become Sam, who cannot. The agent gets it after 20 seconds.", plainRequest, false, ""},
	{"askback", "a question to the agent before the answer", "Press More… and Ask the agent…, and write. Reply with askbridge reply, and see the reply on both cards and below them.", plainRequest, false, ""},
	{"expiry", "a question that expires after a minute", "Wait a minute, or press Skip 1 hour. Open a form before that, and send it too late.", plainRequest, false, ""},
	{"direct", "a question in Dana's direct messages", "Become Sam: there is nothing to see.", plainRequest, false, ""},
	{"claude", "AskUserQuestion of Claude Code, as its host sends it", "The reply is the tool's result, byte for byte.", "claude", false, ""},
	{"codex", "request_user_input of Codex, as its host sends it", "The reply is the tool's result, byte for byte.", "codex", false, ""},
}

// body is the request as an agent sends it.
func (s simScene) body() string {
	if s.text != "" {
		return s.text
	}
	raw, err := sceneFiles.ReadFile(path.Join("scenes", s.name+".json"))
	if err != nil {
		panic(err) // A file of this program; a test reads them all.
	}
	return string(raw)
}

// request is the body as the sample agent sends it.
func (s simScene) request() (ask.Request, error) {
	if s.form != plainRequest {
		d, _ := dialect.Get(s.form)
		call, err := d.Decode([]byte(s.body()), nil)
		return call.Request, err
	}
	r, _, err := ask.DecodeRequest([]byte(s.body()))
	return r, err
}

func listScenes() string {
	var b strings.Builder
	for _, s := range simScenes {
		fmt.Fprintf(&b, "  %-8s %s\n", s.name, s.about)
	}
	return b.String()
}

// choose finds the scene to begin with: the one named, else the first that the answers fit, else the first.
func (all sceneList) choose(name string, answers []scripted) (int, error) {
	if name != "" {
		i := slices.IndexFunc(all, func(s simScene) bool { return s.name == name })
		if i < 0 {
			return 0, fmt.Errorf("there is no scene %q; there are: %s", name, strings.Join(all.names(), ", "))
		}
		return i, all[i].takes(answers)
	}
	var first error
	for i, s := range all {
		err := s.takes(answers)
		if err == nil {
			return i, nil
		}
		if first == nil {
			first = err
		}
	}
	return 0, fmt.Errorf("%w, and no other scene fits either", first)
}

// takes checks whether the answers fit the questions of a scene.
func (s simScene) takes(answers []scripted) error {
	r, err := s.request()
	if err == nil {
		_, err = matchAnswers(r.Questions, answers)
	}
	return err
}

func (all sceneList) names() []string {
	var names []string
	for _, s := range all {
		names = append(names, s.name)
	}
	return names
}

// after is the scene that the sample agent asks after another one.
func (all sceneList) after(i int) int {
	for {
		if i = (i + 1) % len(all); all[i].round {
			return i
		}
	}
}

// page are the scenes as the page offers them.
func (all sceneList) page() []page.Scene {
	var shown []page.Scene
	for _, s := range all {
		label := strings.ToUpper(s.name[:1]) + s.name[1:] + ": " + s.about
		shown = append(shown, page.Scene{Name: s.name, Label: label, Form: s.form, Body: s.body(), Hint: s.hint})
	}
	return shown
}

// pageForms are what the page can send: a request, or the tool input of an agent host.
func pageForms() []page.Form {
	all := []page.Form{{Name: plainRequest, Label: "A request", Path: "/v1/requests", Hint: "Posted to /v1/requests."}}
	for _, d := range dialect.All() {
		all = append(all, page.Form{
			Name: d.Name, Label: d.Host + " (" + d.Name + ")", Path: "/v1/ask/" + d.Name,
			Hint: "The input of " + d.Tool + ", posted to /v1/ask/" + d.Name + ".",
		})
	}
	return all
}
