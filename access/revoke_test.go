package access

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/store/keyvalue"
)

// meanwhile is a store in which something happens once tokens were listed.
type meanwhile struct {
	keyvalue.Store

	happens func()
	err     error // of each later read
}

func (m *meanwhile) List(ctx context.Context, r keyvalue.Range) ([]keyvalue.Entry, error) {
	if m.err != nil {
		return nil, m.err
	}
	all, err := m.Store.List(ctx, r)
	if happens := m.happens; happens != nil && r.Kind == kindToken {
		m.happens = nil
		happens()
	}
	return all, err
}

// A name was reported as revoked while the token that had just replaced its only one was still valid.
func TestNoTokenOfARevokedNameHolds(t *testing.T) {
	inTime(t, func(t *testing.T, kv keyvalue.Store) {
		there := gateOn(t, kv)
		slow := &meanwhile{Store: kv}
		here := gateOn(t, slow)
		old, _ := create(t, here, Agent{Name: "bot"}, TokenOptions{ExpiresIn: time.Hour})
		other, _ := create(t, here, Agent{Name: "shell"}, TokenOptions{ExpiresIn: time.Hour})
		var next string
		slow.happens = func() {
			var err error
			if next, _, err = there.Tokens().Rotate(t.Context(), "bot", TokenOptions{Grace: time.Minute}); err != nil {
				t.Error(err)
			}
		}
		ended, err := here.Tokens().Revoke(t.Context(), "bot")
		if err != nil || len(ended) != 2 || ended[0].ReplacedBy != ended[1].ID.String() {
			t.Errorf("%+v, %v", ended, err)
		}
		for name, token := range map[string]string{"the old one": old, "the new one": next} {
			_, err := there.Identify(t.Context(), token, "")
			if refused, ok := errors.AsType[*RefusedError](err); !ok || refused.Kind != Unknown {
				t.Errorf("%s: %v", name, err)
			}
		}
		if got := refusal(t, there, other); got != "let in as shell" {
			t.Error(got)
		}
	})
}

// A revocation was neither reported nor logged if the store failed after it.
func TestRevocationIsReportedDespiteStoreFailure(t *testing.T) {
	inTime(t, func(t *testing.T, kv keyvalue.Store) {
		failing := &meanwhile{Store: kv}
		g := gateOn(t, failing)
		create(t, g, Agent{Name: "bot"}, TokenOptions{ExpiresIn: time.Hour})
		down := errors.New("store down")
		failing.happens = func() { failing.err = down }
		if ended, err := g.Tokens().Revoke(t.Context(), "bot"); !errors.Is(err, down) || len(ended) != 1 {
			t.Errorf("%+v, %v", ended, err)
		}
	})
}

// alone is a store that has lost its replicas.
type alone struct{ keyvalue.Store }

func (a alone) Put(ctx context.Context, k keyvalue.Key, value []byte, o *keyvalue.PutOptions) (keyvalue.Entry, error) {
	e, err := a.Store.Put(ctx, k, value, o)
	return e, errors.Join(err, bridge.ErrNotReplicated)
}

func TestUnreplicatedRevocationIsReported(t *testing.T) {
	inTime(t, func(t *testing.T, kv keyvalue.Store) {
		safe, g := gateOn(t, kv), gateOn(t, alone{kv})
		old, _ := create(t, safe, Agent{Name: "bot"}, TokenOptions{ExpiresIn: time.Hour})
		next, _, err := safe.Tokens().Rotate(t.Context(), "bot", TokenOptions{Grace: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		ended, err := g.Tokens().Revoke(t.Context(), "bot")
		if !errors.Is(err, bridge.ErrNotReplicated) || len(ended) != 2 {
			t.Fatalf("%+v, %v", ended, err)
		}
		for _, token := range []string{old, next} {
			_, err := safe.Identify(t.Context(), token, "")
			if refused, ok := errors.AsType[*RefusedError](err); !ok || refused.Kind != Unknown {
				t.Error(err)
			}
		}
		if again, err := safe.Tokens().Revoke(t.Context(), "bot"); err != nil || len(again) != 2 || again[0].Revoked != ended[0].Revoked {
			t.Errorf("repeated: %+v, %v", again, err)
		}
	})
}

// readOnly is a store that takes nothing.
type readOnly struct{ keyvalue.Store }

func (readOnly) Put(context.Context, keyvalue.Key, []byte, *keyvalue.PutOptions) (keyvalue.Entry, error) {
	return keyvalue.Entry{}, bridge.ErrUnavailable
}

// If the store forgot one token during a revocation, the result was "not found" although other tokens of the name
// were still valid.
func TestForgottenTokenDoesNotFailRevocation(t *testing.T) {
	inTime(t, func(t *testing.T, kv keyvalue.Store) {
		g := gateOn(t, kv)
		create(t, g, Agent{Name: "bot"}, TokenOptions{ExpiresIn: time.Hour})
		// revoke is what becomes of it where the token that was replaced last is forgotten meanwhile.
		revoke := func(kv keyvalue.Store) (next Token, ended []Token, err error) {
			_, next, err = g.Tokens().Rotate(t.Context(), "bot", TokenOptions{Grace: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			forgetful := gateOn(t, &meanwhile{Store: kv, happens: func() {
				if err := kv.Delete(t.Context(), tokenKey(next.Replaces), ""); err != nil {
					t.Error(err)
				}
			}})
			ended, err = forgetful.Tokens().Revoke(t.Context(), "bot")
			return next, ended, err
		}
		if _, ended, err := revoke(readOnly{kv}); !errors.Is(err, bridge.ErrUnavailable) || errors.Is(err, bridge.ErrNotFound) {
			t.Errorf("the other one holds: %+v, %v", ended, err)
		}
		if next, ended, err := revoke(kv); err != nil || len(ended) != 1 || ended[0].ID != next.ID {
			t.Errorf("the other one is revoked: %+v, %v", ended, err)
		}
	})
}
