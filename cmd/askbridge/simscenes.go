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
	{"deploy", "a single choice and a multiple choice, both with Other", "Choose on either platform, then press Submit. If you submit first, an error shows what is missing.", plainRequest, true, ""},
	{"tap", "one choice, answered with one tap", "One tap answers it, and the card on the other platform shows the answer.", plainRequest, true, ""},
	{"text", "a question with a text answer", "Press Answer… and write. Close the form before you submit and open it again.", plainRequest, true, ""},
	{"six", "six questions in a form", "Slack shows one form, Discord one form for each page of the card.", plainRequest, true, ""},
	{"ten", "ten questions, the maximum", "Compare how the cards on the two platforms fit them.", plainRequest, false, ""},
	{"long", "long texts, truncated on the card", "Press “Read in full” to see them.", plainRequest, false, ""},
	{"wrong", "only Sam may answer", "Press a button as Dana: a private message explains that you cannot answer. Then switch to Sam at the top.", plainRequest, false, ""},
	{"vote", "two people must agree, and one can stop it", "Vote as Dana on both platforms: that counts as one vote. Then switch to Sam at the top.", plainRequest, false, ""},
	{"notify", "Sam is notified, and anyone may answer", "The timeline shows who was notified. Answer it: the answer notifies no one.", plainRequest, false, ""},
	{"remind", "Sam gets a reminder after 20 seconds", "Wait for the message below the card. The timeline shows who was notified.", plainRequest, false, ""},
	{"context", "a context with URLs, code, a list and a link", "Select the code and copy it. Press the link: its URL is next to it.", plainRequest, false, ""},
	{"files", "a diff as a file below the card", "The controls appear after the files. Open one: its SHA-256 is on the card.", plainRequest, false, ""},
	{"edit", "a file edit by Claude Code", "The card shows it as a diff. The response is exactly what the hook prints.", "claude", false, ""},
	{"command", "a long command of Claude Code", "The card shows its beginning, and a file the whole command. Allow it after the upload.", "claude", false, ""},
	{"grant", "a call that people can allow for 8 hours", "Press Allow for 8 h, then Ask twice: no card appears. Revoke the grant here and press Ask again.", "claude", false, ""},
	{"optional", "optional questions and a note", "Skip one, leave one unanswered, and write a note on the last. The response shows the difference.", plainRequest, false, ""},
	{"typed", "a question answered by a typed reply", "Press the arrow in the corner of the card and write “maybe 2”: only you see the reply. Then write “2”.", plainRequest, false, ""},
	{"language", "a card in German for a reader of Spanish", "Press Andere Antwort… as Dana: the form is in English, like her client. Switch to Kim at the top: on Slack it is in Spanish from the second press on.", plainRequest, false, ""},
	{"claim", "a claim that postpones the reminder", "Press I'm on it as Dana. The reminder comes after a minute instead of 20 seconds.", plainRequest, false, ""},
	{"pass", "a request passed on to another person", "As Dana, press More… and Pass to… and choose Sam. Switch to Sam at the top, who now has a card.", plainRequest, false, ""},
	{"hold", "an answer that can be undone for 20 seconds", "Answer as Dana and press Undo. Switch to Sam, who cannot undo it. The agent gets the answer after 20 seconds.", plainRequest, false, ""},
	{"askback", "a question to the agent before the answer", "Press More… and Ask the agent…, and write a question. Reply with askbridge reply: both cards and their threads show the reply.", plainRequest, false, ""},
	{"expiry", "a question that expires after a minute", "Wait a minute, or press Skip 1 hour. Open a form first and submit it too late.", plainRequest, false, ""},
	{"direct", "a question in Dana's direct messages", "Switch to Sam: he does not see it.", plainRequest, false, ""},
	{"claude", "AskUserQuestion of Claude Code", "The response is exactly the tool's result.", "claude", false, ""},
	{"codex", "request_user_input of Codex", "The response is exactly the tool's result.", "codex", false, ""},
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
