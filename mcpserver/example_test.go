package mcpserver_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/mcpserver"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store"
)

// How do I offer the tools over HTTP beside other things of my own, to callers
// whom I know?
func ExampleServer_Handler() {
	chat := bridgetest.NewScript("slack", render.Limits{}) // Yours is a slack.Connector or discord.Connector.
	b, err := bridge.New(store.NewMemory(), []bridge.Platform{chat}, &bridge.Options{
		Routes:       map[string]bridge.Route{"deploys": {To: []ask.Place{{Platform: "slack", Channel: "C0000001"}}}},
		DefaultRoute: "deploys",
	})
	if err != nil {
		fmt.Println(err)
		return
	}

	type caller struct{}
	tools, err := mcpserver.New(b, &mcpserver.Options{
		Authenticated: true,
		Caller: func(ctx context.Context) mcpserver.Caller {
			name, _ := ctx.Value(caller{}).(string)
			return mcpserver.Caller{Tenant: name, Agent: name}
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	known := map[string]string{"Bearer secret": "deployer"}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, ok := known[r.Header.Get("Authorization")]
		if !ok {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		tools.Handler().ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), caller{}, name)))
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
