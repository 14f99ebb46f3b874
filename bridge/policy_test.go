package bridge_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/memory"
)

// club is a platform with one group, slack-group:S1, whose members it looks up.
type club struct {
	*bridgetest.Script

	members []string
	broken  error
	lookups int
}

func (c *club) Prefixes() []string { return []string{"slack-group"} }

func (c *club) GroupsOf(_ context.Context, p ask.Person, among []string) ([]string, error) {
	c.lookups++
	if c.broken != nil {
		return nil, c.broken
	}
	if slices.Contains(c.members, p.ID) && slices.Contains(among, "slack-group:S1") {
		return []string{"slack-group:S1"}, nil
	}
	return nil, nil
}

// named returns the people in the first private note.
func named(reply *bridgetest.Reply) (all []string) {
	for _, n := range reply.EphemeralReplies() {
		for _, a := range n.Who.Who {
			all = append(all, a.Key())
		}
		for _, there := range n.Who.Elsewhere {
			for _, p := range there.People {
				all = append(all, "elsewhere "+p.Key())
			}
		}
	}
	return all
}

func TestGroupMemberMayAnswer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name       string
		person     string
		broken     error
		state      ask.State
		ephemerals string
	}{
		{"a member answers", "U1", nil, ask.Answered, ""},
		{"another person gets the responders", "U2", nil, ask.Open, "not yours to answer"},
		{"no answer while membership is unknown", "U1", errors.New("the platform is slow"), ask.Open, "Could not check"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				chat := &club{Script: bridgetest.NewScript("slack", render.Limits{}), members: []string{"U1"}, broken: tt.broken}
				w := &fixture{t: t, store: memory.New(), chat: chat.Script}
				defer w.begin(nil, chat)()
				r := w.submit(database(func(r *ask.Request) { r.Responders = []string{"slack-group:S1"} }))
				reply := w.act(choose(r, tt.person, 0))
				w.wantNote(reply, tt.ephemerals)
				if got := w.load(r.ID); got.Outcome.State != tt.state {
					t.Errorf("the request is %s, want %s", got.Outcome.State, tt.state)
				}
				if tt.person == "U2" && !slices.Equal(named(reply), []string{"slack-group:S1"}) {
					t.Errorf("the refusal names %v", named(reply))
				}
			})
		})
	}
}

func TestFormOpensBeforeMembershipLookup(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		chat := &club{Script: bridgetest.NewScript("slack", render.Limits{})}
		w := &fixture{t: t, store: memory.New(), chat: chat.Script}
		defer w.begin(nil, chat)()
		r := w.submit(database(func(r *ask.Request) { r.Responders = []string{"slack-group:S1"} }))
		click := choose(r, "U2", -1)
		click.Token.Verb = render.OpenText
		if reply := w.act(click); len(reply.Forms()) != 1 || chat.lookups != 0 {
			t.Errorf("%d forms opened after %d look-ups, want one before any", len(reply.Forms()), chat.lookups)
		}
		click.Token.Verb, click.Texts = render.SubmitText, map[int]string{0: "MySQL"}
		w.wantNote(w.act(click), "not yours to answer")
	})
}

func TestRequesterMayNotDecide(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		rule := func(r *ask.Request) {
			r.Responders, r.Requesters = []string{ask.Anyone, ask.NotRequester}, []string{"slack:U1", "discord:7"}
		}
		r := w.submit(database(rule))
		w.wantNote(w.act(choose(r, "U1", 0)), "You asked for this.")
		w.act(choose(r, "U2", 1))
		if by := w.load(r.ID).Outcome.By.ID; by != "U2" {
			t.Errorf("decided by %q, want U2", by)
		}
		_, err := w.Submit(t.Context(), database(rule, func(r *ask.Request) { r.ToolCallID, r.Requesters = "t2", nil }))
		if !errors.Is(err, ask.ErrResponders) || !strings.Contains(err.Error(), "who asks") {
			t.Errorf("without a requester Submit = %v", err)
		}
		_, err = w.Submit(t.Context(), database(rule, func(r *ask.Request) { r.ToolCallID, r.Responders = "t3", []string{ask.NotRequester} }))
		if !errors.Is(err, ask.ErrResponders) {
			t.Errorf("without responders Submit = %v", err)
		}
	})
}

func TestReadyNamesUnreadyParts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		chat := deaf{bridgetest.NewScript("slack", render.Limits{})}
		w := &fixture{t: t, store: memory.New(), chat: chat.Script}
		defer w.begin(nil, chat)()
		err := w.Ready(t.Context())
		part, ok := errors.AsType[*bridge.PartError](err)
		if !ok || part.Part != "slack" || !strings.Contains(err.Error(), "no link") {
			t.Errorf("Ready = %v", err)
		}
	})
}

// deaf is a platform that receives nothing.
type deaf struct{ *bridgetest.Script }

func (deaf) Ready() error { return errors.New("no link") }

// registry is a platform that looks up a person's membership.
type registry struct {
	*bridgetest.Script

	people  map[string]ask.Membership
	lookups int
}

func (r *registry) MembershipOf(_ context.Context, i platform.Interaction) (ask.Membership, error) {
	r.lookups++
	if m, ok := r.people[i.Person.ID]; ok {
		return m, nil
	}
	return ask.Unknown, errors.New("the platform is slow")
}

func TestGuestMayNotAnswerAnyone(t *testing.T) {
	t.Parallel()
	people := map[string]ask.Membership{"U-member": ask.Member, "U-guest": ask.Guest, "U-outsider": ask.Outsider}
	for _, tt := range []struct {
		name       string
		person     string
		came       ask.Membership // with the press
		responders []string
		state      ask.State
		ephemerals string
		lookups    int
	}{
		{"a member answers", "U-member", ask.Member, nil, ask.Answered, "", 0},
		{"an insider who is a member answers", "U-member", ask.Insider, nil, ask.Answered, "", 1},
		{"an insider who is a guest does not", "U-guest", ask.Insider, nil, ask.Open, "Only people in this workspace", 1},
		{"a guest does not", "U-guest", ask.Guest, nil, ask.Open, "Only people in this workspace", 0},
		{"an outsider does not", "U-outsider", ask.Outsider, nil, ask.Open, "Only people in this workspace", 0},
		{"unknown person", "U-else", ask.Unknown, nil, ask.Open, "Could not check", 1},
		{"a guest who is named answers", "U-guest", ask.Guest, []string{"slack:U-guest"}, ask.Answered, "", 0},
		{"an insider who is named answers without a look-up", "U-guest", ask.Insider, []string{"slack:U-guest"}, ask.Answered, "", 0},
		{"unknown person, named", "U-else", ask.Unknown, []string{"slack:U-else"}, ask.Open, "Could not check", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				chat := &registry{Script: bridgetest.NewScript("slack", render.Limits{}), people: people}
				chat.Unidentified = true
				w := &fixture{t: t, store: memory.New(), chat: chat.Script}
				defer w.begin(nil, chat)()
				r := w.submit(database(func(r *ask.Request) { r.Responders = tt.responders }))
				press := choose(r, tt.person, 0)
				press.Membership = tt.came
				w.wantNote(w.act(press), tt.ephemerals)
				if got := w.load(r.ID); got.Outcome.State != tt.state || chat.lookups != tt.lookups {
					t.Errorf("the request is %s after %d look-ups, want %s after %d", got.Outcome.State, chat.lookups, tt.state, tt.lookups)
				}
			})
		})
	}
}

// detour is a platform that posts direct messages to a channel, as Discord does for a person who accepts none.
type detour struct{ *bridgetest.Script }

func (d detour) Post(ctx context.Context, to ask.Place, c render.Card) (platform.MessageRef, error) {
	return d.Script.Post(ctx, ask.Place{Platform: to.Platform, Channel: "C9"}, c)
}

func TestBystanderMayNotAnswerDirectQuestion(t *testing.T) {
	t.Parallel()
	for name, responders := range map[string][]string{
		"anyone": nil, "a bystander who may answer elsewhere": {"slack:U-dana", "slack:U-sam"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				chat := detour{bridgetest.NewScript("slack", render.Limits{})}
				w := &fixture{t: t, store: memory.New(), chat: chat.Script}
				defer w.begin(nil, chat)()
				r := w.submit(database(func(r *ask.Request) {
					r.To, r.Responders = []ask.Place{{Platform: "slack", User: "U-dana"}}, responders
				}))
				refused := w.act(choose(r, "U-sam", 0))
				w.wantNote(refused, "not yours to answer")
				if who := named(refused); !slices.Equal(who, []string{"slack:U-dana"}) {
					t.Errorf("the refusal names %s", who)
				}
				press := choose(r, "U-sam", -1)
				press.Token.Verb = render.OpenText
				w.wantNote(w.act(press), "not yours to answer")
				w.act(choose(r, "U-dana", 1))
				if by := w.load(r.ID).Outcome.By.ID; by != "U-dana" {
					t.Errorf("answered by %q", by)
				}
			})
		})
	}
}

// terms returns the last line of a card, which names the responders.
func terms(c render.Card) string {
	var text strings.Builder
	for _, sec := range c.Sections {
		if sec.ID != "terms" {
			continue
		}
		for _, s := range sec.Text {
			text.WriteString(s.Text + s.Person.ID)
		}
	}
	line, _, _ := strings.Cut(text.String(), " · ")
	return line
}

func TestDirectMessageCardShowsResponders(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		for n, tt := range []struct {
			responders []string
			requester  string
			here, dm   string
		}{
			{nil, "", "Anyone here can answer", "Only U-dana can answer here"},
			{[]string{"slack:U-dana", "slack:U-sam"}, "", "U-dana or U-sam can answer", "Only U-dana can answer here"},
			{[]string{"slack:U-sam"}, "", "Only U-sam can answer", "Only U-sam can answer"},
			{
				[]string{ask.Anyone, ask.NotRequester},
				"slack:U-dana",
				"Anyone here can answer, except the requester", "No one can answer here: the requester cannot decide",
			},
		} {
			r := w.submit(database(func(r *ask.Request) {
				r.To = append(r.To, ask.Place{Platform: "slack", User: "U-dana"})
				r.ToolCallID, r.Responders, r.Requesters = fmt.Sprint(n), tt.responders, []string{tt.requester}
			}))
			if here := terms(w.chat.Card(r.Copies[0].Ref)); here != tt.here {
				t.Errorf("channel card %q, want %q", here, tt.here)
			}
			if dm := terms(w.chat.Card(r.Copies[1].Ref)); dm != tt.dm {
				t.Errorf("direct message card %q, want %q", dm, tt.dm)
			}
		}
	})
}
