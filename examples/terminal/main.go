// Terminal runs the question tool of Go agent hosts in the terminal, without chat
// and without a model. Use it to see which input the tool rejects and what a model
// reads as the answer.
//
//	go run ./examples/terminal
//	go run ./examples/terminal '{"questions": […]}'
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/askbridge/askbridge/resolver"
)

// sample is an example of a model's tool input.
const sample = `{"questions": [
  {"question": "Which auth method?", "header": "Auth", "multiSelect": false, "options": [
    {"label": "OAuth (Recommended)", "description": "Browser flow"}, {"label": "API key", "description": "Static token"}]},
  {"question": "Which languages?", "header": "Languages", "multiSelect": true, "options": [
    {"label": "Go", "description": "The server"}, {"label": "Rust", "description": "The agent"}]}]}`

func main() {
	input := sample
	if len(os.Args) > 1 {
		input = os.Args[1]
	}
	if err := run(context.Background(), input, os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// run handles one tool call like a host. Replace the terminal with
// resolver.New(bridge, nil) to let people answer in chat.
func run(ctx context.Context, input string, in io.Reader, out io.Writer) error {
	tool := resolver.NewTool(resolver.Stdin{In: in, Out: out})
	result, err := tool.Run(ctx, "call_1", []byte(input))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "\nThe model reads (error: %t):\n%s\n", result.IsError, result.Text)
	return err
}
