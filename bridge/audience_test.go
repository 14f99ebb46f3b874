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
	notified := func(who ...string) *record.Audience { return &record.Audience{Who: who} }
	for name, tt := range map[string]struct {
		change  func(*ask.Request)
		want    *record.Audience
		wantErr string
	}{
		"unset":             {func(r *ask.Request) { r.Route = "free" }, nil, ""},
		"by the request":    {func(r *ask.Request) { r.Route, r.Notify = "loud", []string{"slack:U2"} }, notified("slack:U2"), ""},
		"empty list":        {func(r *ask.Request) { r.Route, r.Notify = "loud", []string{} }, notified(), ""},
		"the word nobody":   {func(r *ask.Request) { r.Route, r.Notify = "loud", []string{"nobody"} }, notified(), ""},
		"by the route":      {func(r *ask.Request) { r.Route, r.Token.Notify = "loud", []string{"slack:U3"} }, notified("slack:U5"), ""},
		"by a quiet route":  {func(r *ask.Request) { r.Route, r.Token.Notify = "quiet", []string{"slack:U3"} }, notified(), ""},
		"by the token":      {func(r *ask.Request) { r.Route, r.Token.Notify = "free", []string{"slack:U3"} }, notified("slack:U3"), ""},
		"duplicate":         {func(r *ask.Request) { r.Route, r.Notify = "free", []string{"slack:U2", "slack:U2"} }, notified("slack:U2"), ""},
		"unknown requester": {func(r *ask.Request) { r.Route, r.Notify = "free", []string{"requester"} }, &record.Audience{Unknown: []string{"requester"}}, ""},
		"the requester, on all sides": {func(r *ask.Request) {
			r.Route, r.Notify, r.Requesters = "free", []string{"requester"}, []string{"slack:U1"}
		}, notified("slack:U1", "slack:U9"), ""},
		"a platform that there is not":  {func(r *ask.Request) { r.Route, r.Notify = "free", []string{"pager:1"} }, nil, `notify[0]: "pager:1": there is no platform`},
		"unknown word":                  {func(r *ask.Request) { r.Route, r.Notify = "free", []string{"anyone"} }, nil, `notify[0]: "anyone" cannot be notified`},
		"nobody and a person":           {func(r *ask.Request) { r.Route, r.Notify = "free", []string{"nobody", "slack:U1"} }, nil, `notify[0]: "nobody" must be the only entry`},
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
				if tt.wantErr != "" {
					if err == nil || !strings.Contains(err.Error(), tt.wantErr) {
						t.Errorf("%v, want %q", err, tt.wantErr)
					}
					return
				}
				if diff := cmp.Diff(tt.want, s.Record.Audience); err != nil || diff != "" {
					t.Errorf("%v, notified (-want +got):\n%s", err, diff)
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
