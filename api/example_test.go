package api_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/api"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/memory"
)

// A Go program serves the HTTP API of its own bridge, and an agent asks over it. Serve it with [api.NewServer],
// which supports parked calls.
func ExampleNew() {
	chat := bridgetest.NewScript("slack", render.Limits{}) // A real program uses a slack.Connector or discord.Connector.
	b, err := bridge.New(memory.New(), []platform.Platform{chat}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- b.Run(ctx) }()
	defer func() { cancel(); <-ended }()
	gate, err := access.New(b, &access.Options{Agents: []access.Agent{{Name: "deploy-bot", Token: "secret"}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	handler, err := api.New(gate, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	server := httptest.NewUnstartedServer(nil)
	server.Config = api.NewServer(handler, nil)
	server.Start()
	defer server.Close()

	agent, err := client.New(server.URL, &client.Options{Token: "secret"})
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := agent.Submit(ctx, ask.Request{
		To:        []ask.Place{{Platform: "slack", Channel: "C0000001"}},
		Questions: []ask.Question{ask.YesNo("Deploy?")},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.State, r.Agent, r.Questions[0].Text)
	// Output: open deploy-bot Deploy?
}
