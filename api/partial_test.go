package api

import (
	"net/http"
	"strings"
	"testing"
)

// threeQuestions has two optional questions and one with a note.
const threeQuestions = `{"to":[{"platform":"slack","channel":"C0000001"}],"questions":[` +
	`{"question":"Which database?","options":["Postgres","SQLite"],"notes":true},` +
	`{"question":"Which checks?","options":["Unit","Lint"],"multiSelect":true,"optional":true},` +
	`{"question":"Which ticket?","optional":true}]}`

func TestSkippedAndNotedAnswersAreReturned(t *testing.T) {
	bubble(t, shellAndBot(), func(t *testing.T, w *fixture) {
		id := w.call("token-bot", "POST", "/v1/requests", threeQuestions).want(t, http.StatusCreated).request(t).ID
		given := `{"answers":[{"index":0,"selected":["SQLite"],"notes":"for now"},{"index":1,"skip":true}]}`
		reply := w.call("token-dana", "POST", "/v1/requests/"+id+"/answer", given).want(t, http.StatusOK)
		r := reply.request(t)
		if len(r.Answers) != 1 || r.Answers[0].Notes != "for now" || r.Answers[0].NotesBy.ID != "" {
			t.Errorf("answers %+v", r.Answers)
		}
		if len(r.Skipped) != 1 || r.Skipped[0].Index != 1 || r.Skipped[0].By.ID != "dana-shell" || len(r.Left) != 1 || r.Left[0].Question != "Which ticket?" || r.Left[0].By.ID != "" {
			t.Errorf("skipped %+v, left %+v", r.Skipped, r.Left)
		}
		if want := "Which database?\nSQLite\nNote: for now\n\nWhich checks?\n(skipped)\n\nWhich ticket?\n(not answered)"; r.Text != want {
			t.Errorf("the text is %q, want %q", r.Text, want)
		}
	})
}

func TestSkippedRequestHasEmptyAnswers(t *testing.T) {
	bubble(t, shellAndBot(), func(t *testing.T, w *fixture) {
		body := `{"to":[{"platform":"slack","channel":"C0000001"}],"questions":[{"question":"Go?","options":["Yes","No"],"optional":true}]}`
		id := w.call("token-bot", "POST", "/v1/requests", body).want(t, http.StatusCreated).request(t).ID
		reply := w.call("token-dana", "POST", "/v1/requests/"+id+"/answer", `{"answers":[{"index":0,"skip":true}]}`).want(t, http.StatusOK)
		if !strings.Contains(reply.body, `"answers":[]`) || !strings.Contains(reply.body, `"state":"answered"`) {
			t.Errorf("response: %s", reply.body)
		}
	})
}

func TestInvalidSkipOrNoteIsRejected(t *testing.T) {
	bubble(t, shellAndBot(), func(t *testing.T, w *fixture) {
		id := w.call("token-bot", "POST", "/v1/requests", threeQuestions).want(t, http.StatusCreated).request(t).ID
		for body, want := range map[string]string{
			`{"answers":[{"index":0,"skip":true}]}`:                                                             "this question is not optional",
			`{"answers":[{"index":0,"selected":["SQLite"]},{"index":1,"selected":["Unit"],"skip":true}]}`:       "skipped and answered at once",
			`{"answers":[{"index":0,"selected":["SQLite"]},{"index":1,"selected":["Unit"],"notes":"careful"}]}`: "takes no note",
			`{"answers":[{"index":0,"notes":"for now"}]}`:                                                       "neither a label nor own words",
			`{"answers":[{"index":1,"skip":true}]}`:                                                             "Which database?",
		} {
			if r := w.call("token-dana", "POST", "/v1/requests/"+id+"/answer", body).want(t, http.StatusUnprocessableEntity); !strings.Contains(r.body, want) {
				t.Errorf("%s: %s, want %q", body, r.body, want)
			}
		}
	})
}
