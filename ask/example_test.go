package ask_test

import (
	"fmt"

	"github.com/askbridge/askbridge/ask"
)

// Reading what a model sent, and telling it what to mend.
func ExampleDecodeQuestions() {
	questions, ignored, err := ask.DecodeQuestions([]byte(
		`[{"question":"Which database?","header":"Database","icon":"db","options":["Postgres","Postgres"]}]`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("ignored:", ignored)
	r := ask.Request{Questions: questions}
	fmt.Println(r.Validate(nil))
	// Output:
	// ignored: [questions[0].icon]
	// invalid request: questions[0].options[1].label: is the same as options[0].label ("Postgres"); labels must differ within a question
}

// Turning answers into the text of a tool result.
func ExampleFormat() {
	questions := []ask.Question{
		{Text: "Auth method?", Options: []ask.Option{{Label: "OAuth"}, {Label: "API key"}}},
		{Text: "Languages?", MultiSelect: true, Options: []ask.Option{{Label: "Go"}, {Label: "Rust"}}},
	}
	fmt.Println(ask.Format(questions, []ask.Answer{
		{Index: 0, Selected: []string{"OAuth"}},
		{Index: 1, Selected: []string{"Go", "Rust"}},
	}))
	// Output:
	// Auth method?
	// OAuth
	//
	// Languages?
	// - Go
	// - Rust
}
