package dialect_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect"
)

func speaking(t *testing.T, name string) dialect.Dialect {
	t.Helper()
	d, ok := dialect.Get(name)
	if !ok {
		t.Fatalf("no dialect %s", name)
	}
	return d
}

func TestClineTakesTwoToFiveOptions(t *testing.T) {
	t.Parallel()
	for options, want := range map[string]bool{
		`["a"]`: false, `["a","b"]`: true, `["a","b","c","d","e"]`: true, `["a","b","c","d","e","f"]`: false, `[]`: true,
	} {
		_, err := speaking(t, "cline").Decode([]byte(`{"question":"Which?","options":`+options+`}`), nil)
		if (err == nil) != want || err != nil && !errors.Is(err, ask.ErrOptionCount) {
			t.Errorf("%s: %v", options, err)
		}
	}
}

func TestA2ATaskInsideReply(t *testing.T) {
	t.Parallel()
	const task = `{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"m1","parts":[{"text":"Which region?"}]}}}`
	event := strings.Replace(task, `{"id":`, `{"kind":"status-update","taskId":`, 1)
	for _, input := range []string{task, `{"task":` + task + `}`, event} {
		call, err := speaking(t, "a2a").Decode([]byte(input), nil)
		if err != nil || len(call.Request.Questions) != 1 || call.Request.Questions[0].Text != "Which region?" || call.Request.Session != "c1" || call.Request.Context != "" {
			t.Errorf("%s: %+v, %v", input, call, err)
		}
		out := ask.Outcome{State: ask.Answered, By: dana, Answers: []ask.Answer{{Other: "eu"}}}
		if body := string(speaking(t, "a2a").Encode([]byte(input), out, nil).Body); !strings.Contains(body, `"taskId":"t1"`) {
			t.Errorf("%s: %s", input, body)
		}
	}
}

func TestGeminiDoublyEscapedLineBreaks(t *testing.T) {
	t.Parallel()
	input := []byte(`{"questions":[{"question":"A\\nB","header":"H","type":"choice","options":[{"label":"x\\ny","description":"d\\ne"},{"label":"z","description":"d"}]}]}`)
	call, err := speaking(t, "gemini").Decode(input, nil)
	if err != nil {
		t.Fatal(err)
	}
	q := call.Request.Questions[0]
	if q.Text != "A\nB" || q.Options[0].Label != "x\ny" || q.Options[0].Description != "d\ne" {
		t.Errorf("%+v", q)
	}
	out := ask.Outcome{State: ask.Answered, By: dana, Answers: []ask.Answer{{Selected: []string{"x\ny"}}}}
	if body := string(speaking(t, "gemini").Encode(input, out, nil).Body); body != `{"answers":{"0":"x\\ny"}}` {
		t.Errorf("result is %s", body)
	}
}

func TestGeminiEscapedCRLFIsOneLineBreak(t *testing.T) {
	t.Parallel()
	input := []byte(`{"questions":[{"question":"A\\r\\nB\nC","header":"H\\nI","type":"text"}]}`)
	call, err := speaking(t, "gemini").Decode(input, nil)
	if err != nil || call.Request.Questions[0].Text != "A\nB\nC" || call.Request.Questions[0].Header != "H\nI" {
		t.Errorf("%+v, %v", call.Request.Questions, err)
	}
}

func TestGeminiErrorNamesMissingProperty(t *testing.T) {
	t.Parallel()
	_, err := speaking(t, "gemini").Decode([]byte(`{}`), nil)
	if err == nil || err.Error() != "params must have required property 'questions'" {
		t.Errorf("error %v", err)
	}
}

func TestAgnoRefusesObjectInsteadOfList(t *testing.T) {
	t.Parallel()
	const alone = `{"question":"Q?","header":"H","multiSelect":false,"options":[{"label":"A","description":"a"},{"label":"B","description":"b"}]}`
	agno := func(list string) []byte {
		data, err := json.Marshal(map[string]string{"questions_json": list})
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	const refusal = "questions_json must be a JSON array of question objects"
	for list, opts := range map[string]*dialect.Options{
		`{"questions":[` + alone + `]}`: nil,
		`{}`:                            nil,
		`7`:                             nil,
		alone:                           {Strict: true},
	} {
		if _, err := speaking(t, "agno").Decode(agno(list), opts); err == nil || err.Error() != refusal {
			t.Errorf("%s: error %v", list, err)
		}
	}
	call, err := speaking(t, "agno").Decode(agno(alone), nil)
	if err != nil || len(call.Request.Questions) != 1 || len(call.Advice) != 1 {
		t.Errorf("a question alone: %+v, %v", call, err)
	}
}
