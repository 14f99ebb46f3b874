package access_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/memory"
)

// Who shows a token is an agent, and does with the bridge what the token allows.
func ExampleGate_Identify() {
	chat := bridgetest.NewScript("slack", render.Limits{}) // Yours is a slack.Connector or discord.Connector.
	b, err := bridge.New(memory.New(), []platform.Platform{chat}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	gate, err := access.New(b, &access.Options{Agents: []access.Agent{
		{Name: "deploy-bot", Token: "secret", Scopes: []access.Scope{access.Ask}, Targets: []string{"slack:C0000001"}},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	who, err := gate.Identify(ctx, "secret", "192.0.2.7")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(who.Name, who.Enter(access.Ask) == nil, who.Enter(access.Read) == nil)

	_, err = who.Submit(ctx, ask.Request{
		To:        []ask.Place{{Platform: "slack", Channel: "C0000002"}},
		Questions: []ask.Question{ask.YesNo("Deploy?")},
	})
	refused, ok := errors.AsType[*access.RefusedError](err)
	fmt.Println(ok && refused.Kind == access.Forbidden)

	_, err = gate.Identify(ctx, "guessed", "192.0.2.8")
	refused, ok = errors.AsType[*access.RefusedError](err)
	fmt.Println(ok && refused.Kind == access.Unknown)
	// Output:
	// deploy-bot true false
	// true
	// true
}
