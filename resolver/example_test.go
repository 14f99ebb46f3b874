package resolver_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/resolver"
)

var whichDatabase = []ask.Question{{Text: "Which database?", Header: "Database", Options: []ask.Option{{Label: "Postgres"}, {Label: "SQLite"}}}}

// A remote bridge is asked through its client. Here a function takes its place. An error means that there is no
// answer.
func ExampleNew() {
	asker := resolver.AskFunc(func(context.Context, ask.Request) (ask.Outcome, error) {
		return ask.Outcome{State: ask.Expired}, nil
	})
	_, err := resolver.New(asker, &ask.Request{Route: "deploys"}).Ask(context.Background(), resolver.Request{ToolCallID: "call_1", Questions: whichDatabase})
	fmt.Println(errors.Is(err, resolver.ErrExpired))
	fmt.Println(err)
	// Output:
	// true
	// resolver: no one answered in time; do not assume an answer
}

// The complete question tool for a host that has none: its definition for the model, and the execution of a call.
func ExampleTool_Run() {
	tool := resolver.NewTool(resolver.Static{Answers: []resolver.Answer{{Question: "Which database?", Selected: []string{"SQLite"}}}})
	result, err := tool.Run(context.Background(), "call_1", []byte(`{"questions":[{"question":"Which database?","header":"Database","multiSelect":false,
		"options":[{"label":"Postgres","description":"Managed"},{"label":"SQLite","description":"Embedded"}]}]}`))
	fmt.Println(tool.Name, result.IsError, err)
	fmt.Println(result.Text)
	// Output:
	// ask_user_question false <nil>
	// Which database?
	// SQLite
}

// A person at a terminal types the number of an option.
func ExampleStdin() {
	terminal := resolver.Stdin{In: strings.NewReader("2\n"), Out: os.Stdout}
	answers, err := terminal.Ask(context.Background(), resolver.Request{Questions: whichDatabase})
	fmt.Println(answers[0].Selected, err)
	// Output:
	// Which database?
	//   1  Postgres
	//   2  SQLite
	// a number, or other and your words> [SQLite] <nil>
}
