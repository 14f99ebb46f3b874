package app_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/app"
	"github.com/askbridge/askbridge/internal/app/config"
)

// bearing adds a token to every request.
type bearing struct {
	token string
	base  http.RoundTripper
}

func (b bearing) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if b.token != "" {
		r.Header.Set("Authorization", "Bearer "+b.token)
	}
	return b.base.RoundTrip(r)
}

func (w *fixture) mcp(ctx context.Context, token, query string) (*mcp.ClientSession, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	return client.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint: w.address + app.MCP + query, HTTPClient: &http.Client{Transport: bearing{token, w.http.Transport}}, DisableStandaloneSSE: true,
	}, nil)
}

const mcpQuestion = "Which database?"

func arguments() map[string]any {
	return map[string]any{
		"questions": []any{map[string]any{"question": mcpQuestion, "options": []any{
			map[string]any{"label": "Postgres"}, map[string]any{"label": "SQLite"},
		}}},
	}
}

func textOf(r *mcp.CallToolResult) string {
	var b strings.Builder
	for _, c := range r.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			b.WriteString(text.Text)
		}
	}
	return b.String()
}

// byDefault sets the default route.
func byDefault(c *config.Config, place ask.Place) {
	c.Routes = map[string]config.Route{"usual": {To: []config.Target{{Platform: place.Platform, Channel: place.Channel}}}}
	c.DefaultRoute = "usual"
}

func TestMCPClientGetsAnswer(t *testing.T) {
	t.Parallel()
	w := start(t, "http", func(c *config.Config) { byDefault(c, slackPlace) })
	session, err := w.mcp(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	pressed := make(chan error, 1)
	go func() {
		seat := w.slack.Seat(dana)
		pressed <- errors.Join(seat.AwaitText(t.Context(), mcpQuestion), seat.Press(t.Context(), "SQLite"))
	}()
	got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "ask_user", Arguments: arguments()})
	if err != nil || got.IsError || !strings.Contains(textOf(got), "Which database?\nSQLite") {
		t.Fatalf("tool result %+v, %v", got, err)
	}
	if err := <-pressed; err != nil {
		t.Error(err)
	}
}

func TestMCPClientPermissions(t *testing.T) {
	t.Parallel()
	const token = "0123456789012345678901"
	w := start(t, "http", func(c *config.Config) {
		c.Agents = []config.Agent{{Name: "bot", Token: config.NewSecret(token), Targets: []string{"slack:C0000002"}, ModelMaySet: []string{"to"}}}
	})
	if session, err := w.mcp(t.Context(), "wrong", ""); err == nil {
		_ = session.Close()
		t.Error("a wrong token was accepted")
	}
	session, err := w.mcp(t.Context(), token, "")
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	args := arguments()
	args["to"] = []any{map[string]any{"platform": "slack", "channel": "C0000001"}}
	got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "ask_user", Arguments: args})
	if err != nil || !got.IsError || !strings.Contains(textOf(got), "not one of this token's places") {
		t.Errorf("tool result %q, %v", textOf(got), err)
	}
}

// Gemini CLI got no tools over HTTP, because an address with the tool name parameter was refused.
func TestMCPToolNameParameter(t *testing.T) {
	t.Parallel()
	w := start(t, "http", func(c *config.Config) { byDefault(c, slackPlace) })
	session, err := w.mcp(t.Context(), "", "?tool_name=ask_person&responders=slack:"+dana)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	list, err := session.ListTools(t.Context(), nil)
	if err != nil || !slices.ContainsFunc(list.Tools, func(tool *mcp.Tool) bool { return tool.Name == "ask_person" }) {
		t.Errorf("the tools are %+v, %v", list, err)
	}
	if session, err := w.mcp(t.Context(), "", "?toolname=ask_person"); err == nil || !strings.Contains(err.Error(), "Unprocessable Entity") {
		t.Errorf("a mistyped parameter: %v, %v", session, err)
	}
}
