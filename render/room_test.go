package render_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/blockkit"
	"github.com/askbridge/askbridge/render/components"
)

// crowded is a request whose card is as full as people, agent and time can make it, with so many
// characters in each text.
func crowded(platform string, characters int) render.Subject {
	text := strings.Repeat("Is it safe? ", characters/12+1)
	s := render.Subject{
		ID: "p01r3v7k2m9qxw", Agent: "bot", Eligible: anyone, Deadline: asked, AskBack: true, Claims: true, Revised: 2, RevisedAt: asked,
		Questions: []ask.Question{{Text: "Deploy 4.2 to production? " + text[:characters/2], Options: []ask.Option{{Label: "Deploy"}, {Label: "Wait"}}}},
	}
	for n := range ask.MaxLinks {
		s.Links = append(s.Links, ask.Link{Label: fmt.Sprint("Panel ", n+1), URL: "https://grafana.example.com/d/" + strings.Repeat("x", min(characters, 450))})
	}
	for n := range ask.MaxAskedBack {
		s.AskedBack = append(s.AskedBack, ask.AskedBack{By: ask.Person{Platform: platform, ID: "100000000000000001", Name: "Ana"}, Text: fmt.Sprint(n, text), Reply: text})
	}
	for range ask.MaxSteps {
		step := render.Step{Do: ask.Add, At: asked, Done: true}
		for range 6 {
			step.Added = append(step.Added, ask.Person{Platform: platform, ID: "100000000000000001"})
		}
		s.Steps = append(s.Steps, step)
	}
	return s
}

func TestFullCardDropsTalk(t *testing.T) {
	t.Parallel()
	for _, characters := range []int{60, 240, 2000} {
		for _, plain := range []bool{false, true} {
			s := crowded("discord", characters)
			s.Plain = plain
			shown, _ := judgeDiscord(t, drawDiscord(s), []string{"<@100000000000000001>"})
			if !strings.Contains(shown, "Deploy 4\\.2 to production?") && !strings.Contains(shown, "Deploy 4.2 to production?") {
				t.Errorf("%d characters, plain %v: the question is cut away:\n%s", characters, plain, shown)
			}
		}
	}
	s := crowded("discord", 240)
	shown, _ := judgeDiscord(t, drawDiscord(s), []string{"<@100000000000000001>"})
	for _, counted := range []string{"19 earlier questions", "and 7 more"} {
		if !strings.Contains(shown, counted) {
			t.Errorf("no word of what is left out, %q:\n%s", counted, shown)
		}
	}
}

func TestRepliesToEverybodyAtOnceFitOneMessage(t *testing.T) {
	t.Parallel()
	judgeDiscord(t, discordMessage{Components: components.Message(render.Replies(crowded("discord", 2000), components.Limits()))}, nil)
	var m slackMessage
	m.Blocks, m.Text = blockkit.Message(render.Replies(crowded("slack", 2000), blockkit.Limits()))
	judgeSlack(t, m, nil)
}

func TestCardWithPendingFilesFitsOneMessage(t *testing.T) {
	t.Parallel()
	for _, questions := range []int{1, ask.MaxQuestions} {
		s := crowded("discord", 240)
		s.Context, s.Filing = strings.Repeat("What happened before. ", 60), render.FilesDue
		s.Questions[0].Header = "Deployment of the shop"
		for range questions - 1 {
			s.Questions = append(s.Questions, s.Questions[0])
		}
		for n := range ask.MaxFiles {
			s.Files = append(s.Files, ask.Attachment{Name: fmt.Sprint("change-", n, "-of-the-service.diff"), Bytes: 12_000, SHA256: strings.Repeat("a", 64), Unshown: 9000})
		}
		for _, s.Plain = range []bool{false, true} {
			if shown, _ := judgeDiscord(t, drawDiscord(s), nil); strings.Count(shown, "Deploy 4") != questions {
				t.Errorf("not every question is there:\n%s", shown)
			}
		}
	}
}

// linked is a subject with as many and as long links as there may be, whose paths are made of a
// character, and a question with so many options.
func linked(character string, options int) render.Subject {
	s := render.Subject{ID: "p01r3v7k2m9qxw", Agent: "bot", Eligible: anyone, Deadline: asked, Questions: []ask.Question{{Text: "Which shard?"}}}
	for n := range options {
		o := ask.Option{Label: fmt.Sprintf("Shard %d in %s", n, strings.Repeat("the north ", 10)), Description: strings.Repeat("Busy. ", 20)}
		s.Questions[0].Options = append(s.Questions[0].Options, o)
	}
	for n := range ask.MaxLinks {
		address := fmt.Sprintf("https://logs-%d.example.com?signature=", n)
		s.Links = append(s.Links, ask.Link{Label: fmt.Sprint("Log ", n), URL: address + strings.Repeat(character, ask.MaxLinkURL-len(address))})
	}
	return s
}

func TestLongLinksFitOneMessage(t *testing.T) {
	t.Parallel()
	for _, character := range []string{"a", "_"} {
		for _, options := range []int{0, 4, 10, 25} {
			for _, plain := range []bool{false, true} {
				s := linked(character, options)
				s.Plain = plain
				m := drawDiscord(s)
				shown, read := judgeDiscord(t, m, nil)
				for _, link := range s.Links {
					host, _, _ := strings.Cut(strings.TrimPrefix(link.URL, "https://"), "?")
					if !strings.Contains(bare(shown), bare(host+"?")) {
						t.Errorf("%d options, plain %v: no word of %s:\n%s", options, plain, host, shown)
					}
					if !strings.Contains(bare(shown+read), bare(link.URL)) {
						t.Errorf("%d options, plain %v: nobody can read where %s leads", options, plain, link.Label)
					}
				}
				s.Filing = render.FilesDue
				judgeDiscord(t, drawDiscord(s), nil)
			}
		}
	}
}

func TestTruncatedAddressKeepsHost(t *testing.T) {
	t.Parallel()
	s := linked("a", 25)
	host := "good.example.com." + strings.Repeat("a.", 60) + "evil.example"
	s.Links[0].URL = "https://" + host + "/" + strings.Repeat("b", 300)
	if shown, _ := judgeDiscord(t, drawDiscord(s), nil); !strings.Contains(bare(shown), bare(host+"/…")) {
		t.Errorf("no whole host %s:\n%s", host, shown)
	}
}
