package askbridgetest_test

import (
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
)

// Where any text is an answer, "skip" was taken as one although the hint offered it.
func TestTypedSkipOfFreeTextQuestion(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, c talk, at func(string) ask.Request) {
		request := at("")
		request.Replies.Mode = ask.RepliesText
		request.Questions = append(request.Questions, ask.Question{Text: "Which ticket?", Optional: true})
		r := c.Asks(request)
		c.Types("dana", "Postgres")
		ends(t, c, r)
		if sees := c.Sees("dana"); !strings.Contains(sees, "Write “-” to skip an optional question.") {
			t.Errorf("Dana sees\n%s", sees)
		}
		c.Types("dana", "Postgres\n-")
		got := ends(t, c, r)
		if got.State != ask.Answered || len(got.Answers) != 1 || len(got.Skipped) != 1 {
			t.Fatalf("it ends as %+v", got)
		}
	})
}
