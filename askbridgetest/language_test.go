package askbridgetest_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/askbridgetest"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
)

// inGerman asks on a card in German.
func inGerman() ask.Request {
	question := ask.Question{Text: "Deploy 4.2?", Options: []ask.Option{{Label: "Deploy"}, {Label: "Wait"}}}
	return ask.Request{Language: "de", Questions: []ask.Question{question}}
}

// Everyone sees one card, while forms and private notes are in each reader's own language.
func TestCardAndNoteLanguages(t *testing.T) {
	t.Parallel()
	for _, platform := range []string{askbridgetest.Slack, askbridgetest.Discord} {
		t.Run(platform, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := askbridgetest.Start(t, &askbridgetest.Options{
					Platforms: []string{platform},
					Slack: &slacksim.Options{People: []slacksim.Person{
						{ID: "U0000001", Name: "dana", RealName: "Dana", Locale: "es-LA"},
						{ID: "U0000002", Name: "sam", RealName: "Sam", Locale: "ja-JP"},
					}},
					Discord: &discordsim.Options{Locale: "fr", People: []discordsim.Person{
						{ID: "300000000000000001", Name: "dana", RealName: "Dana", Locale: "es-419"},
						{ID: "300000000000000002", Name: "sam", RealName: "Sam", Locale: "ja"},
					}},
				})
				seat := func(who string) chatsim.Seat {
					if platform == askbridgetest.Slack {
						return w.Slack.Seat(ids[platform][who])
					}
					return w.Discord.Seat(ids[platform][who])
				}
				if _, err := w.Client.Submit(t.Context(), inGerman()); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				dana, sam := seat("dana"), seat("sam")
				for _, who := range []chatsim.Seat{dana, sam} {
					if !strings.Contains(who.Sees(), "Ein Agent fragt") {
						t.Errorf("the card is not in German:\n%s", who.Sees())
					}
					for range 2 { // The person is looked up after the first press.
						if err := who.Press(t.Context(), "Andere Antwort…"); err != nil {
							t.Fatal(err)
						}
						synctest.Wait()
						if err := who.Dismiss(t.Context()); err != nil {
							t.Fatal(err)
						}
					}
					if err := who.Press(t.Context(), "Andere Antwort…"); err != nil {
						t.Fatal(err)
					}
					synctest.Wait()
				}
				if sees := dana.Sees(); !strings.Contains(sees, "Un agente pregunta") {
					t.Errorf("Dana, who reads Spanish, sees:\n%s", sees)
				}
				if sees := sam.Sees(); !strings.Contains(sees, "Ein Agent fragt") {
					t.Errorf("Sam, who reads none of these languages, does not see the card's:\n%s", sees)
				}
			})
		})
	}
}

func TestTypedWordsInCardLanguage(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, c talk, at func(string) ask.Request) {
		r := at("")
		r.Language, r.Replies.Mode = "de", ask.RepliesText
		r.Questions[0].Optional = true
		asked := c.Asks(r)
		c.Types("dana", "vielleicht")
		if sees := c.Sees("dana"); !strings.Contains(sees, "überspringen") || !strings.Contains(sees, "andere: …") {
			t.Errorf("the German card does not show Dana what to type:\n%s", sees)
		}
		c.Types("dana", "andere: MySQL")
		if got := ends(t, c, asked); got.State != ask.Answered || got.Answers[0].Other != "MySQL" {
			t.Fatalf("it ends as %+v", got)
		}
	})
}

func TestUnknownLanguageErrorListsLanguages(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := askbridgetest.Start(t, &askbridgetest.Options{Platforms: []string{askbridgetest.Slack}})
		r := inGerman()
		r.Key, r.Language = "deploy", "tlh"
		if _, err := w.Client.Submit(t.Context(), r); err == nil || !strings.Contains(err.Error(), "no question was asked; language") || !strings.Contains(err.Error(), "de, en, es") {
			t.Errorf("%v, want a problem with the language, and those that there are", err)
		}
		r.Language = "es"
		if _, err := w.Client.Submit(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		r.Language = "de"
		if _, err := w.Client.Submit(t.Context(), r); err == nil || !strings.Contains(err.Error(), "same key, different request") {
			t.Errorf("the same key with another language: %v, want a conflict", err)
		}
	})
}
