package mcpserver_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/mcpserver"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/memory"
)

// Offer the tools over HTTP next to other handlers, to authenticated callers.
func ExampleServer_HandlerFor() {
	chat := bridgetest.NewScript("slack", render.Limits{}) // A real program uses a slack.Connector or discord.Connector.
	b, err := bridge.New(memory.New(), []platform.Platform{chat}, &bridge.Options{
		Routes:       map[string]bridge.Route{"deploys": {To: []ask.Place{{Platform: "slack", Channel: "C0000001"}}}},
		DefaultRoute: "deploys",
	})
	if err != nil {
		fmt.Println(err)
		return
	}

	gate, err := access.New(b, &access.Options{DefaultRoute: "deploys", Agents: []access.Agent{
		{Name: "deployer", Token: "secret", Routes: []string{"deploys"}, Calls: 60},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	tools, err := mcpserver.New(nil) // The token sets the place.
	if err != nil {
		fmt.Println(err)
		return
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, err := gate.Identify(r.Context(), strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), r.RemoteAddr)
		if err == nil {
			err = who.Enter(access.Ask)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
		tools.HandlerFor(who).ServeHTTP(w, r)
	}))
	defer server.Close()

	client := mcp.NewClient(&mcp.Implementation{Name: "my-agent"}, nil)
	session, err := client.Connect(context.Background(), &mcp.StreamableClientTransport{
		Endpoint: server.URL, HTTPClient: &http.Client{Transport: bearer("secret")},
	}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer session.Close()
	for tool, err := range session.Tools(context.Background(), nil) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(tool.Name)
	}
	// Output:
	// ask_user
	// wait_for_answer
}

type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}
