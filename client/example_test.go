package client_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
)

// Ask a question and wait for the answer, through restarts of the bridge.
func ExampleClient_Ask() {
	// A bridge whose people answer at once.
	bridge := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer my-token" {
			fmt.Fprint(w, `{"id":"p0a","state":"answered","text":"Deploy now?\nYes"}`)
		}
	}))
	defer bridge.Close()

	client, err := client.New(bridge.URL, &client.Options{Token: "my-token", HTTP: bridge.Client()})
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := client.Ask(context.Background(), ask.Request{
		Route:      "deploys",
		ToolCallID: "toolu_01", // The same ID never asks twice.
		Questions:  []ask.Question{ask.YesNo("Deploy now?")},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.State)
	fmt.Println(r.Text)
	// Output:
	// answered
	// Deploy now?
	// Yes
}
