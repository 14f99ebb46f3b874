package access

import (
	"errors"
	"testing"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/memory"
)

func TestStoreOutageIsNotNotFound(t *testing.T) {
	t.Parallel()
	store := bridgetest.NewFaulty(memory.New())
	defer store.Close()
	b, err := bridge.New(store, []platform.Platform{bridgetest.NewScript("slack", render.Limits{})}, nil)
	if err != nil {
		t.Fatal(err)
	}
	g, err := New(b, &Options{Agents: []Agent{{Name: "bot", Tenant: "ops", Token: "t1"}}})
	if err != nil {
		t.Fatal(err)
	}
	who, err := g.Identify(t.Context(), "t1", "")
	if err != nil {
		t.Fatal(err)
	}
	store.Away(true)
	if _, err := who.Load(t.Context(), "p1"); !errors.Is(err, bridge.ErrUnavailable) {
		t.Errorf("an agent whose question is open is told %v", err)
	}
}
