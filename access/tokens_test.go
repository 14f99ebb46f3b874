package access

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/internal/tokentext"
	"github.com/askbridge/askbridge/store/keyvalue"
	"github.com/askbridge/askbridge/store/memory"
)

// inTime runs a test in fake time with a store for tokens.
func inTime(t *testing.T, f func(t *testing.T, kv keyvalue.Store)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := memory.New()
		defer s.Close()
		f(t, s.KeyValue())
	})
}

func gateOn(t *testing.T, kv keyvalue.Store, agents ...Agent) *Gate {
	t.Helper()
	g, err := New(nil, &Options{Agents: agents, Store: kv, Routes: []string{"deploys"}})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func create(t *testing.T, g *Gate, a Agent, o TokenOptions) (string, Token) {
	t.Helper()
	text, made, err := g.Tokens().Create(t.Context(), a, o)
	if err != nil {
		t.Fatal(err)
	}
	return text, made
}

// refusal returns the message that a caller with this token gets.
func refusal(t *testing.T, g *Gate, token string) string {
	t.Helper()
	who, err := g.Identify(t.Context(), token, "")
	if refused, ok := errors.AsType[*RefusedError](err); ok {
		return string(refused.Kind) + ": " + refused.Detail
	}
	if err != nil {
		t.Fatal(err)
	}
	return "let in as " + who.Name
}

func TestTokenLifecycleAcrossReplicas(t *testing.T) {
	inTime(t, func(t *testing.T, kv keyvalue.Store) {
		// Two replicas with one store.
		here, there := gateOn(t, kv), gateOn(t, kv)
		text, made := create(t, here, Agent{Name: "bot", Scopes: []Scope{Read}}, TokenOptions{By: "dana", ExpiresIn: 48 * time.Hour})
		is := func(when, token, want string) {
			t.Helper()
			for name, g := range map[string]*Gate{"here": here, "there": there} {
				if got := refusal(t, g, token); !strings.Contains(got, want) {
					t.Errorf("%s, %s: %q, want %q", when, name, got, want)
				}
			}
		}
		is("made", text, "let in as bot")
		who, err := there.Identify(t.Context(), text, "")
		if err != nil || who.Tenant != "bot" || who.May(Read) != nil || who.May(Ask) == nil {
			t.Errorf("%+v, %v", who, err)
		}

		time.Sleep(47 * time.Hour)
		next, second, err := there.Tokens().Rotate(t.Context(), "bot", TokenOptions{By: "eve", Grace: 30 * time.Minute})
		if err != nil || second.Replaces != made.ID.String() || second.Expires.Sub(second.Created) != 48*time.Hour {
			t.Fatalf("%+v, %v", second, err)
		}
		is("within the grace", text, "let in as bot")
		is("within the grace", next, "let in as bot")
		time.Sleep(30 * time.Minute)
		is("after the grace", text, "unknown: this token was replaced by a newer one on ")
		is("after the grace", next, "let in as bot")

		if ended, err := here.Tokens().Revoke(t.Context(), second.ID.String()); err != nil || len(ended) != 1 {
			t.Errorf("%+v, %v", ended, err)
		}
		is("revoked", next, "unknown: this token was revoked on ")
		if who.Still(t.Context()) == nil {
			t.Error("who has waited since is told something")
		}
		third, _ := create(t, there, Agent{Name: "bot"}, TokenOptions{ExpiresIn: time.Hour})
		is("a new one under the old name", third, "let in as bot")
		time.Sleep(time.Hour)
		is("expired", third, "unknown: this token expired on ")
		time.Sleep(keptEnded)
		is("long after", third, "unknown: this token is not known here")
	})
}

// A token that is not there in the store is refused, whatever this process remembers.
func TestTokensAreReadFromStore(t *testing.T) {
	inTime(t, func(t *testing.T, kv keyvalue.Store) {
		g := gateOn(t, kv)
		text, made := create(t, g, Agent{Name: "bot"}, TokenOptions{})
		if got := refusal(t, g, text); got != "let in as bot" {
			t.Fatal(got)
		}
		if err := kv.Delete(t.Context(), tokenKey(made.ID.String()), ""); err != nil {
			t.Fatal(err)
		}
		if got := refusal(t, g, text); !strings.Contains(got, "not known here") {
			t.Errorf("let in: %s", got)
		}
	})
}

func TestRefusalsNameRemedy(t *testing.T) {
	inTime(t, func(t *testing.T, kv keyvalue.Store) {
		g := gateOn(t, kv)
		text, _ := create(t, g, Agent{Name: "bot"}, TokenOptions{})
		listed := gateOn(t, kv, Agent{Name: "B0T", Token: "its own"})
		for _, test := range []struct {
			name, token string
			at          *Gate
			want        string
		}{
			{"cut off", text[:30], g, "unknown: " + tokentext.ErrDamaged.Error()},
			{"its prefix is in capitals", strings.ToUpper(text[:4]) + text[4:], g, "unknown: this token is not known here"},
			{"somebody else's", tokentext.New(), g, "ask the operator of this bridge for a new one"},
			{"no token of ours", "guess", g, "unknown: this token is not known here"},
			{"an agent of the configuration looks like it", text, listed, `forbidden: the configuration lists the agent "B0T"`},
			{"the store cannot be read", text, gateOn(t, broken{kv}), "unclear: the store cannot be read now to check this token; repeat the call"},
			{"no store", text, gateOn(t, nil, Agent{Name: "a", Token: "x"}), "unknown: this token is not known here"},
		} {
			if got := refusal(t, test.at, test.token); !strings.Contains(got, test.want) {
				t.Errorf("%s: %q, want %q", test.name, got, test.want)
			}
		}
	})
}

type broken struct{ keyvalue.Store }

func (broken) Get(context.Context, keyvalue.Key) (keyvalue.Entry, error) {
	return keyvalue.Entry{}, bridge.ErrUnavailable
}

// forgetful loses the second of two writes, as a crash or a network does.
type forgetful struct {
	keyvalue.Store
	left int
}

func (f *forgetful) Put(ctx context.Context, k keyvalue.Key, v []byte, o *keyvalue.PutOptions) (keyvalue.Entry, error) {
	if f.left--; f.left < 0 {
		return keyvalue.Entry{}, bridge.ErrUnavailable
	}
	return f.Store.Put(ctx, k, v, o)
}

func TestFailedRotationKeepsOldToken(t *testing.T) {
	inTime(t, func(t *testing.T, kv keyvalue.Store) {
		g := gateOn(t, kv)
		text, made := create(t, g, Agent{Name: "bot"}, TokenOptions{ExpiresIn: ask.Never})
		half := NewTokens(&forgetful{kv, 1}, nil, nil)
		if _, _, err := half.Rotate(t.Context(), "bot", TokenOptions{}); !errors.Is(err, bridge.ErrUnavailable) {
			t.Fatal(err)
		}
		all, err := g.Tokens().List(t.Context())
		if err != nil || len(all) != 1 || all[0].ID != made.ID || all[0].ReplacedBy != "" || refusal(t, g, text) != "let in as bot" {
			t.Errorf("%+v, %v", all, err)
		}
	})
}

func TestReplacedTokenKeepsExpiry(t *testing.T) {
	inTime(t, func(t *testing.T, kv keyvalue.Store) {
		g := gateOn(t, kv)
		text, _ := create(t, g, Agent{Name: "bot"}, TokenOptions{ExpiresIn: time.Hour})
		if _, _, err := g.Tokens().Rotate(t.Context(), "bot", TokenOptions{Grace: 2 * time.Hour}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if got := refusal(t, g, text); strings.HasPrefix(got, "let in") {
			t.Errorf("an hour after one was made for an hour, which was replaced: %s", got)
		}
	})
}

func TestWhatCannotBeReplaced(t *testing.T) {
	inTime(t, func(t *testing.T, kv keyvalue.Store) {
		tokens := gateOn(t, kv).Tokens()
		rotate := func(of string, grace time.Duration) error {
			_, _, err := tokens.Rotate(t.Context(), of, TokenOptions{Grace: grace})
			return err
		}
		if err := rotate("nobody", 0); !errors.Is(err, bridge.ErrNotFound) {
			t.Errorf("nobody's: %v", err)
		}
		_, made, err := tokens.Create(t.Context(), Agent{Name: "bot"}, TokenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := rotate("bot", MaxGrace+1); !errors.Is(err, ask.ErrInvalid) {
			t.Errorf("for ever: %v", err)
		}
		if err := rotate("bot", time.Hour); err != nil {
			t.Error(err)
		}
		if err := rotate(made.ID.String(), time.Hour); !errors.Is(err, ErrTokenEnded) || !strings.Contains(err.Error(), "has replaced it") {
			t.Errorf("twice: %v", err)
		}
		if _, err := tokens.Revoke(t.Context(), "bot"); err != nil {
			t.Error(err)
		}
		if err := rotate("bot", 0); !errors.Is(err, ErrTokenEnded) {
			t.Errorf("revoked: %v", err)
		}
	})
}

func TestStoreDoesNotContainTokens(t *testing.T) {
	inTime(t, func(t *testing.T, kv keyvalue.Store) {
		g := gateOn(t, kv)
		text, made := create(t, g, Agent{Name: "bot"}, TokenOptions{})
		refusal(t, g, text)
		everything, err := kv.List(t.Context(), keyvalue.Range{Limit: 100})
		if err != nil || len(everything) != 2 {
			t.Fatalf("%d values, %v", len(everything), err)
		}
		for _, e := range everything {
			whole := e.Key.String() + string(e.Value)
			for at := len(tokentext.Prefix); at+6 <= len(text); at++ {
				if strings.Contains(whole, text[at:at+6]) {
					t.Errorf("%s holds a part of the token", e.Key)
				}
			}
		}
		data, err := json.Marshal(made)
		if err != nil || strings.Contains(string(data), text) {
			t.Errorf("%s, %v", data, err)
		}
		if strings.Contains(refusal(t, g, text[:20]), text[4:20]) {
			t.Error("a refusal repeats the token")
		}
	})
}

func TestNoTwoTokensHaveNamesThatLookAlike(t *testing.T) {
	inTime(t, func(t *testing.T, kv keyvalue.Store) {
		g := gateOn(t, kv, Agent{Name: "deploy", Token: "x"})
		create(t, g, Agent{Name: "ops"}, TokenOptions{})
		for name, want := range map[string]string{
			"Deploy": `name: is the name of the agent "deploy" in the configuration`, "0ps": "name: is the name of the token ", "ops": "rotate that one",
			"": "name: is missing", "\u200b": "name: has no visible characters", tokentext.New(): "name: looks like a token",
		} {
			_, _, err := g.Tokens().Create(t.Context(), Agent{Name: name}, TokenOptions{})
			if !errors.Is(err, ask.ErrInvalid) || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v, want %q", name, err, want)
			}
		}
		var all sync.WaitGroup
		var mu sync.Mutex
		made := 0
		for range 20 {
			all.Go(func() {
				if _, _, err := g.Tokens().Create(t.Context(), Agent{Name: "race"}, TokenOptions{}); err == nil {
					mu.Lock()
					made++
					mu.Unlock()
				}
			})
		}
		all.Wait()
		list, err := g.Tokens().List(t.Context())
		if there := len(list) - 1; err != nil || made > 1 || there != made {
			t.Errorf("%d were made of one name, %d stand there, %v", made, there, err)
		}
	})
}

// together has both of two who list wait for the other before either goes on.
type together struct {
	keyvalue.Store
	all *sync.WaitGroup
}

func (s together) List(ctx context.Context, r keyvalue.Range) ([]keyvalue.Entry, error) {
	found, err := s.Store.List(ctx, r)
	if r.Kind == kindToken && len(found) == 0 {
		s.all.Done()
		s.all.Wait()
	}
	return found, err
}

func TestOfTwoWhoTakeANameAtOnceOneHasItAtMost(t *testing.T) {
	inTime(t, func(t *testing.T, kv keyvalue.Store) {
		var looked, done sync.WaitGroup
		looked.Add(2)
		for range 2 {
			done.Go(func() {
				_, _, _ = NewTokens(together{kv, &looked}, nil, nil).Create(t.Context(), Agent{Name: "bot"}, TokenOptions{})
			})
		}
		done.Wait()
		if all, err := NewTokens(kv, nil, nil).List(t.Context()); err != nil || len(all) > 1 {
			t.Errorf("%d of them have it, %v", len(all), err)
		}
	})
}

func TestEverythingWrongWithAToken(t *testing.T) {
	inTime(t, func(t *testing.T, kv keyvalue.Store) {
		_, _, err := gateOn(t, kv).Tokens().Create(t.Context(), Agent{
			Name: "bot", Scopes: []Scope{Ask, ManageTokens, "fly"}, Targets: []string{"nowhere"}, Routes: []string{"deploys", "gone"},
			Terms: ask.Terms{Responders: []string{"bob"}, Voting: ask.Voting{Mode: "dice"}}, Subagents: "maybe", Variants: []string{"odd"}, ModelMaySet: []string{"route", "policy"}, Rate: -1, MaxStreams: -2,
		}, TokenOptions{})
		invalid, ok := errors.AsType[*ask.InvalidError](err)
		if !ok {
			t.Fatal(err)
		}
		var paths []string
		for _, p := range invalid.Problems {
			paths = append(paths, p.Path)
		}
		want := []string{"policy.mode", "scopes[1]", "scopes[2]", "targets[0]", "subagents", "variants", "model_may_set[1]", "responders[0]", "rate_per_minute", "max_streams", "routes[1]"}
		if diff := cmp.Diff(want, paths); diff != "" {
			t.Errorf("wrong is\n%s", diff)
		}
		if all, err := kv.List(t.Context(), keyvalue.Range{Limit: 10}); len(all) != 0 || err != nil {
			t.Errorf("%d values are stored, %v", len(all), err)
		}
	})
}

func TestTokenDefaultLimits(t *testing.T) {
	inTime(t, func(t *testing.T, kv keyvalue.Store) {
		g := gateOn(t, kv)
		_, made := create(t, g, Agent{Name: "bot", MaxOpen: 7}, TokenOptions{})
		want := Agent{Name: "bot", Tenant: "bot", Rate: 60, MaxOpen: 7, Calls: 6000, MaxWaits: 1000, MaxStreams: 10}
		if diff := cmp.Diff(want, made.Agent); diff != "" {
			t.Error(diff)
		}
		if made.Expires.Sub(made.Created) != DefaultTokenTime {
			t.Errorf("it lasts until %v", made.Expires)
		}
	})
}

// Rotating or reloading a token must not reset its limits.
func TestRotatedTokenSharesLimits(t *testing.T) {
	inTime(t, func(t *testing.T, kv keyvalue.Store) {
		g := gateOn(t, kv)
		text, _ := create(t, g, Agent{Name: "bot", Rate: 2}, TokenOptions{})
		spend := func(g *Gate, token string) error {
			t.Helper()
			who, err := g.Identify(t.Context(), token, "")
			if err != nil {
				t.Fatal(err)
			}
			return who.Quota.spendRequest()
		}
		next, _, err := g.Tokens().Rotate(t.Context(), "bot", TokenOptions{Grace: time.Hour})
		if err != nil || spend(g, text) != nil || spend(g, next) != nil || spend(g, next) == nil || spend(g, text) == nil {
			t.Errorf("rotation gives a second helping, %v", err)
		}
		reloaded := gateOn(t, kv)
		reloaded.Inherit(g)
		if spend(reloaded, next) == nil {
			t.Error("a reload gives a second helping")
		}
	})
}

func TestLastUseIsStoredEveryFiveMinutes(t *testing.T) {
	inTime(t, func(t *testing.T, kv keyvalue.Store) {
		counted := &counting{Store: kv}
		g := gateOn(t, counted)
		text, _ := create(t, g, Agent{Name: "bot"}, TokenOptions{})
		used := func() time.Time {
			t.Helper()
			all, err := g.Tokens().List(t.Context())
			if err != nil || len(all) != 1 {
				t.Fatal(all, err)
			}
			return all[0].LastUsed
		}
		if !used().IsZero() {
			t.Error("used before anybody did")
		}
		time.Sleep(time.Hour)
		before := counted.puts
		for range 1000 {
			refusal(t, g, text)
		}
		if got := used(); !got.Equal(time.Now()) || counted.puts != before+1 {
			t.Errorf("used at %v after %d writes", got, counted.puts-before)
		}
		time.Sleep(useGrain)
		refusal(t, g, text)
		if !used().Equal(time.Now()) {
			t.Error("a later use is not known")
		}
	})
}

type counting struct {
	keyvalue.Store
	puts int
}

func (c *counting) Put(ctx context.Context, k keyvalue.Key, v []byte, o *keyvalue.PutOptions) (keyvalue.Entry, error) {
	c.puts++
	return c.Store.Put(ctx, k, v, o)
}

func TestWhatANewerBuildHasWrittenIsNotJudged(t *testing.T) {
	inTime(t, func(t *testing.T, kv keyvalue.Store) {
		g := gateOn(t, kv)
		text, made := create(t, g, Agent{Name: "bot"}, TokenOptions{})
		key := tokenKey(made.ID.String())
		e, err := kv.Get(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		for _, change := range [][2]string{{`"v":1`, `"v":2`}, {`"sha256":"`, `"sha256":"00`}, {`{`, `[`}} {
			value := strings.Replace(string(e.Value), change[0], change[1], 1)
			if _, err := kv.Put(t.Context(), key, []byte(value), nil); err != nil {
				t.Fatal(err)
			}
			if got := refusal(t, g, text); !strings.HasPrefix(got, "unclear: ") {
				t.Errorf("%s: %s", value, got)
			}
		}
	})
}

func TestStoredTokenTermsAreStable(t *testing.T) {
	t.Parallel()
	stored := `{"name":"bot","requester":["slack:U1"],"responders":["slack:U2"],"override_responders":true,"policy":{"mode":"quorum","need":2},"notify":[],` +
		`"replies":{"mode":"labels"},"hold":10000000000,"ask_back":"end","schedule":{"claim_for":3600000000000},"receipts":true}`
	var a Agent
	if err := json.Unmarshal([]byte(stored), &a); err != nil {
		t.Fatal(err)
	}
	want := Agent{Name: "bot", Requesters: []string{"slack:U1"}, Unbound: true, Terms: ask.Terms{
		Responders: []string{"slack:U2"}, Voting: ask.Voting{Mode: ask.Quorum, Need: 2}, Notify: []string{}, Replies: ask.Replies{Mode: ask.RepliesLabels},
		Hold: 10 * time.Second, AskBack: ask.AskBackEnd, Schedule: ask.Schedule{ClaimFor: time.Hour}, Receipts: true,
	}}
	if diff := cmp.Diff(want, a); diff != "" {
		t.Errorf("it is read as (-want +got):\n%s", diff)
	}
	var before, after map[string]any
	again, err := json.Marshal(want)
	if err = errors.Join(err, json.Unmarshal([]byte(stored), &before), json.Unmarshal(again, &after)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("it is stored as (-want +got):\n%s", diff)
	}
}
