package ask_test

import (
	"testing"

	"github.com/askbridge/askbridge/ask"
)

func TestOperationKeyCoversEveryField(t *testing.T) {
	t.Parallel()
	all := []ask.Operation{
		{},
		{Host: "a"},
		{Tool: "a"},
		{Folder: "a"},
		{Environment: "a"},
		{Input: "a"},
		{Host: "a", Tool: "b"},
		{Host: "ab"},
		{Tool: "a", Folder: "b"},
		{Folder: "b", Environment: "a"},
		{Folder: "a", Environment: "b"},
	}
	seen := map[string]ask.Operation{}
	for _, o := range all {
		if other, twice := seen[o.Key()]; twice || o.IsZero() != (o.Key() == "") {
			t.Errorf("%+v and %+v have the same key %q", o, other, o.Key())
		}
		seen[o.Key()] = o
	}
}

func TestOffersNeedTheDataOfTheirScope(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		folder, session string
		scope           ask.Same
		want            int
	}{
		"all is known":           {"/srv", "s1", ask.SameAgent, 2},
		"no folder":              {"", "s1", ask.SameAgent, 1},
		"no session":             {"/srv", "", ask.SameAgent, 1},
		"neither":                {"", "", ask.SameAgent, 0},
		"a session at most":      {"/srv", "s1", ask.SameSession, 1},
		"of a session, unknown":  {"/srv", "", ask.SameSession, 0},
		"no folder, one session": {"", "s1", ask.SameSession, 1},
	} {
		q := ask.Question{Options: []ask.Option{{Label: "Allow"}, {Label: "Deny"}}}
		var p ask.Permit
		p.Offer(&q, ask.Operation{Host: "claude", Folder: tt.folder}, ask.Grants{Scope: tt.scope, For: ask.MaxGrant}, tt.session, 1)
		if len(p.Offers) != tt.want || len(q.Options) != 2+tt.want {
			t.Errorf("%s: offered %+v", name, p.Offers)
		}
	}
}
