package api

import (
	"context"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/client"
)

// Show returns a record as the API shows it to its agent, without the addresses of its cards.
func Show(r bridge.Record) *client.Request { return requestOf(&r) }

// ShowOn is Show with the addresses of the cards, which a bridge knows.
func ShowOn(ctx context.Context, b *bridge.Bridge, r *bridge.Record) *client.Request {
	shown := requestOf(r)
	for n := range r.Copies {
		shown.Delivery[n].URL = bridge.Permalink(ctx, b, r.Copies[n].Target, r.Copies[n].Ref)
	}
	return shown
}

// show is ShowOn for the caller of an exchange.
func show(x *exchange, r *bridge.Record) *client.Request {
	return ShowOn(x.r.Context(), x.s.bridge, r)
}
