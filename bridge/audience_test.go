package bridge_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/memory"
)

func TestNotifyListOfRequestThenRouteThenToken(t *testing.T) {
	t.Parallel()
	to := []ask.Place{{Platform: "slack", Channel: "C1"}}
	opts := bridge.Options{
		Routes: map[string]bridge.Route{"free": {To: to}, "loud": {To: to, Terms: ask.Terms{Notify: []string{"slack:U5"}}}, "quiet": {To: to, Terms: ask.Terms{Notify: []string{"nobody"}}}},
		People: map[string][]string{"dana": {"slack:U1", "slack:U9"}},
	}
	told := func(who ...string) *record.Audience { return &record.Audience{Who: who} }
	for name, tt := range map[string]struct {
		change func(*ask.Request)
		want   *record.Audience
		says   string
	}{
		"nobody says":              {func(r *ask.Request) { r.Route = "free" }, nil, ""},
		"the request says it":      {func(r *ask.Request) { r.Route, r.Notify = "loud", []string{"slack:U2"} }, told("slack:U2"), ""},
		"nobody is told":           {func(r *ask.Request) { r.Route, r.Notify = "loud", []string{} }, told(), ""},
		"nobody, in a word":        {func(r *ask.Request) { r.Route, r.Notify = "loud", []string{"nobody"} }, told(), ""},
		"the route does":           {func(r *ask.Request) { r.Route, r.Token.Notify = "loud", []string{"slack:U3"} }, told("slack:U5"), ""},
		"a route that wants quiet": {func(r *ask.Request) { r.Route, r.Token.Notify = "quiet", []string{"slack:U3"} }, told(), ""},
		"the token does":           {func(r *ask.Request) { r.Route, r.Token.Notify = "free", []string{"slack:U3"} }, told("slack:U3"), ""},
		"somebody twice":           {func(r *ask.Request) { r.Route, r.Notify = "free", []string{"slack:U2", "slack:U2"} }, told("slack:U2"), ""},
		"a requester nobody knows": {func(r *ask.Request) { r.Route, r.Notify = "free", []string{"requester"} }, &record.Audience{Unknown: []string{"requester"}}, ""},
		"the requester, on all sides": {func(r *ask.Request) {
			r.Route, r.Notify, r.Requesters = "free", []string{"requester"}, []string{"slack:U1"}
		}, told("slack:U1", "slack:U9"), ""},
		"a platform that there is not":  {func(r *ask.Request) { r.Route, r.Notify = "free", []string{"pager:1"} }, nil, `notify[0]: "pager:1": there is no platform`},
		"a word that names nobody":      {func(r *ask.Request) { r.Route, r.Notify = "free", []string{"anyone"} }, nil, `notify[0]: "anyone" cannot be notified`},
		"nobody beside somebody":        {func(r *ask.Request) { r.Route, r.Notify = "free", []string{"nobody", "slack:U1"} }, nil, `notify[0]: "nobody" must be the only entry`},
		"something that is no entry":    {func(r *ask.Request) { r.Route, r.Notify = "free", []string{"Dana"} }, nil, `notify[0]: "Dana" is neither`},
		"more than anybody should ring": {func(r *ask.Request) { r.Route, r.Notify = "free", make([]string, 21) }, nil, "notify: has 21 entries"},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := &fixture{t: t, store: memory.New(), chat: bridgetest.NewScript("slack", render.Limits{})}
				defer w.begin(&opts)()
				req := database()
				req.To = nil
				tt.change(&req)
				s, err := w.Submit(t.Context(), req)
				if tt.says != "" {
					if err == nil || !strings.Contains(err.Error(), tt.says) {
						t.Errorf("%v, want %q", err, tt.says)
					}
					return
				}
				if diff := cmp.Diff(tt.want, s.Record.Audience); err != nil || diff != "" {
					t.Errorf("%v, told are (-want +got):\n%s", err, diff)
				}
			})
		})
	}
}

func TestNotifyListIsPartOfFingerprint(t *testing.T) {
	inSharedWorld(t, func(t *testing.T, w *fixture) {
		marks := map[string]string{}
		for name, notify := range map[string][]string{"nothing": nil, "nobody": {}, "dana": {"slack:U1"}} {
			r := database()
			r.Notify, r.Key = notify, name
			marks[w.submit(r).Fingerprint] = name
		}
		if len(marks) != 3 {
			t.Errorf("the fingerprints are %q", marks)
		}
	})
}

func TestReceiptsArePartOfFingerprint(t *testing.T) {
	inSharedWorld(t, func(t *testing.T, w *fixture) {
		var marks []string
		for name, change := range map[string]func(*ask.Request){
			"the request": func(r *ask.Request) { r.Receipts = true }, "its token": func(r *ask.Request) { r.Token.Receipts = true },
		} {
			r := w.submit(database(func(r *ask.Request) { r.Key = name }, change))
			if marks = append(marks, r.Fingerprint); r.Receipt == nil {
				t.Errorf("%s wants receipts, and there are none", name)
			}
		}
		if plain := w.submit(database()).Fingerprint; marks[0] != marks[1] || marks[0] == plain {
			t.Errorf("the fingerprints are %q, and %q without receipts", marks, plain)
		}
	})
}
