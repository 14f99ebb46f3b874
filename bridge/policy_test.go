package bridge_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store"
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

func TestAGroupMayAnswer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		person   string
		broken   error
		state    ask.State
		whispers string
	}{
		{"a member answers", "U1", nil, ask.Answered, ""},
		{"somebody else is told for whom it is", "U2", nil, ask.Open, "not yours to answer"},
		{"nobody answers while nobody can tell who belongs", "U1", errors.New("the platform is slow"), ask.Open, "Could not check"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				chat := &club{Script: bridgetest.NewScript("slack", render.Limits{}), members: []string{"U1"}, broken: tt.broken}
				w := &world{t: t, store: store.NewMemory(), chat: chat.Script}
				defer w.begin(nil, chat)()
				r := w.submit(database(func(r *ask.Request) { r.Responders = []string{"slack-group:S1"} }))
				reply := w.act(choose(r, tt.person, 0))
				w.says(reply, tt.whispers)
				if got := w.load(r.ID); got.Outcome.State != tt.state {
					t.Errorf("the request is %s, want %s", got.Outcome.State, tt.state)
				}
				if tt.person == "U2" && !slices.Equal(reply.Whispers()[0].Who, []string{"slack-group:S1"}) {
					t.Errorf("the refusal names %v", reply.Whispers()[0].Who)
				}
			})
		})
	}
}

func TestAFormOpensBeforeAnybodyLooksUpWhoBelongs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		chat := &club{Script: bridgetest.NewScript("slack", render.Limits{})}
		w := &world{t: t, store: store.NewMemory(), chat: chat.Script}
		defer w.begin(nil, chat)()
		r := w.submit(database(func(r *ask.Request) { r.Responders = []string{"slack-group:S1"} }))
		click := choose(r, "U2", -1)
		click.Token.Verb = render.Write
		if reply := w.act(click); len(reply.Forms()) != 1 || chat.lookups != 0 {
			t.Errorf("%d forms opened after %d look-ups, want one before any", len(reply.Forms()), chat.lookups)
		}
		click.Token.Verb, click.Texts = render.Wrote, map[int]string{0: "MySQL"}
		w.says(w.act(click), "not yours to answer")
	})
}

func TestWhoAskedDoesNotDecide(t *testing.T) {
	inWorld(t, nil, func(t *testing.T, w *world) {
		rule := func(r *ask.Request) {
			r.Responders, r.Requesters = []string{ask.Anyone, ask.NotRequester}, []string{"slack:U1", "discord:7"}
		}
		r := w.submit(database(rule))
		w.says(w.act(choose(r, "U1", 0)), "You asked for this yourself")
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
			t.Errorf("with nobody left Submit = %v", err)
		}
	})
}

func TestReadyNamesWhatIsNot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		chat := deaf{bridgetest.NewScript("slack", render.Limits{})}
		w := &world{t: t, store: store.NewMemory(), chat: chat.Script}
		defer w.begin(nil, chat)()
		err := w.Ready(t.Context())
		part, ok := errors.AsType[*bridge.PartError](err)
		if !ok || part.Part != "slack" || !strings.Contains(err.Error(), "no link") {
			t.Errorf("Ready = %v", err)
		}
	})
}

// deaf is a platform that hears nobody.
type deaf struct{ *bridgetest.Script }

func (deaf) Ready() error { return errors.New("no link") }
