// Httpclient asks over HTTP in two ways: in the bridge's own format, and by passing
// on the tool input of an agent host. ask.py and ask.ts show the second way with
// only the standard library of their language.
//
//	ASKBRIDGE_URL=http://127.0.0.1:8080 PLACE=slack:C0000001 go run ./examples/httpclient
package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	client, err := client.New(cmp.Or(os.Getenv("ASKBRIDGE_URL"), "http://127.0.0.1:8080"),
		&client.Options{Token: os.Getenv("ASKBRIDGE_TOKEN")})
	if err != nil {
		log.Fatal(err)
	}
	place, err := ask.ParsePlace(os.Getenv("PLACE"))
	if err != nil {
		log.Fatal(err)
	}
	if err := decide(ctx, client, place, os.Stdout); err != nil {
		log.Fatal(err)
	}
	if err := pass(ctx, client, place, []byte(toolInput), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// decide asks in the bridge's own format. The call survives restarts of the bridge.
func decide(ctx context.Context, c *client.Client, to ask.Place, out io.Writer) error {
	r, err := c.Ask(ctx, ask.Request{To: []ask.Place{to}, Questions: []ask.Question{ask.YesNo("Deploy 4.2 now?")}})
	if err != nil {
		return err
	}
	yes := r.State == ask.Answered && r.Answers[0].Selected[0] == "Yes"
	_, err = fmt.Fprintln(out, "deploy:", yes)
	return err
}

// toolInput is an example of what a model writes.
const toolInput = `{"questions":[{"question":"Which database?","header":"Database","options":[{"label":"Postgres","description":"Managed"},{"label":"SQLite","description":"Embedded"}]}]}`

// pass sends a tool input unchanged and prints the tool's result.
func pass(ctx context.Context, c *client.Client, to ask.Place, input []byte, out io.Writer) error {
	r, err := c.AskTool(ctx, client.ToolCall{Dialect: "spring-tool", Input: input, Request: ask.Request{To: []ask.Place{to}, ToolCallID: "call_1", Session: "run_1"}})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s\n", r.Body)
	return err
}
