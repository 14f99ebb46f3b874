package slack

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/platform"
)

// Everything the connector calls is called here with the listed scopes alone.
func TestListedScopesSuffice(t *testing.T) {
	t.Parallel()
	var names []string
	for _, s := range Scopes() {
		names = append(names, s.Name)
	}
	inBothModes(t, writeForm, func(t *testing.T, w *fixture) {
		w.sim.Grant(canaryBot, names...)
		w.sim.Grant(canaryApp, AppScope)
		for _, to := range []ask.Place{inChannel, {Platform: Name, User: idDana}} {
			ref := w.post(to, one())
			w.must(w.c.Update(t.Context(), ref, w.card(answered(one()))))
			w.must(w.c.Reply(t.Context(), inChannel, ref, w.card(answered(one()))))
			up := platform.Upload{Request: rid, Code: "k7qd", Text: "k7qd " + ask.File{Name: "a", Text: "a"}.Attachment().SHA256, Files: []ask.File{{Name: "a", Text: "a"}}}
			w.must(w.c.Attach(t.Context(), to, ref, up))
			if stands, err := w.c.Attached(t.Context(), to, ref, up); err != nil || !stands {
				t.Errorf("the file below the card in %v is not found: %v", to, err)
			}
			refs, err := w.c.Find(t.Context(), to, rid, time.Time{})
			w.must(err)
			if len(refs) == 0 {
				t.Errorf("no card was found in %v", to)
			}
		}
		w.post(inChannel, one())
		w.press(idDana, "Other…")
		w.belongs(dana, releasers)
		w.must(w.c.Check(t.Context()))
		var calls []slacksim.Call
		for _, call := range w.sim.Calls() {
			if call.Error != "" {
				calls = append(calls, call)
			}
		}
		if len(calls) > 0 || len(w.sim.Calls("users.info", listed, "views.open")) < 3 {
			t.Errorf("refused: %+v", calls)
		}
	})
}

// The default manifest lets people answer in channels and direct messages.
func TestDefaultScopesSuffice(t *testing.T) {
	t.Parallel()
	var names []string
	for _, f := range Features() {
		if f.Switch == "" {
			names = append(names, f.Scopes...)
		}
	}
	inBothModes(t, writeForm, func(t *testing.T, w *fixture) {
		w.sim.Grant(canaryBot, names...)
		w.sim.Grant(canaryApp, AppScope)
		for _, to := range []ask.Place{inChannel, {Platform: Name, User: idDana}} {
			ref := w.post(to, one())
			w.must(w.c.Update(t.Context(), ref, w.card(answered(one()))))
			_, err := w.c.Remind(t.Context(), to, ref, w.card(one()), 1)
			w.must(err)
		}
		w.post(inChannel, one())
		w.press(idDana, "Other…")
		w.must(w.c.Check(t.Context()))
		for _, call := range w.sim.Calls() {
			if call.Error != "" {
				t.Errorf("refused: %+v", call)
			}
		}
	})
}

func TestEachScopeBelongsToFeature(t *testing.T) {
	t.Parallel()
	var featured []string
	for _, f := range Features() {
		featured = append(featured, f.Scopes...)
	}
	all := slices.Concat(Scopes(), SetupScopes())
	for _, s := range all {
		if !slices.Contains(featured, s.Name) {
			t.Errorf("no feature has %s", s.Name)
		}
	}
	for _, name := range featured {
		if !slices.ContainsFunc(all, func(s Scope) bool { return s.Name == name }) {
			t.Errorf("%s is not explained", name)
		}
	}
}

func TestMissingScopesAreLogged(t *testing.T) {
	t.Parallel()
	for granted, want := range map[string]string{
		"chat:write, im:write,users:read,channels:read,groups:read,files:write": "user groups (usergroups:read); typed answers (app_mentions:read, channels:history",
		"im:write": "slack app cannot post cards",
	} {
		synctest.Test(t, func(t *testing.T) {
			c, log := offline(t, replying(200, whoami, "X-OAuth-Scopes", granted))
			if err := c.Check(t.Context()); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(log.String(), want) {
				t.Errorf("%s: the log lacks %q:\n%s", granted, want, log)
			}
			logged := log.String()
			if err := c.Check(t.Context()); err != nil || log.String() != logged {
				t.Errorf("logged again: %v\n%s", err, log)
			}
		})
	}
}

// Without one of them something fails: none is asked for in vain.
func TestEachListedScopeIsUsed(t *testing.T) {
	t.Parallel()
	for _, without := range Scopes() {
		t.Run(without.Name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newFixture(t, ModeHTTP, &slacksim.Options{Commands: []string{Command}, Channels: []slacksim.Channel{
					{ID: "C0000001", Name: "deploys"},
					{ID: "C0000003", Name: "board", Private: true},
					{ID: "C0000004", Name: "mpdm-dana--sam-1", Private: true, Together: true},
				}})
				w.listen()
				var rest []string
				for _, s := range Scopes() {
					if s != without {
						rest = append(rest, s.Name)
					}
				}
				w.sim.Subscribe(slacksim.EventAppMention)
				w.must(w.sim.EventsTo(t.Context(), w.sim.RequestURL()))
				w.sim.Grant(canaryBot, rest...)
				_, err := w.sim.Seat(idDana).Say("C0000001", "", "<@"+w.c.only.self.home().botUser+"> hello")
				w.must(err)
				for _, to := range []ask.Place{inChannel, {Platform: Name, Channel: "C0000003"}, {Platform: Name, Channel: "C0000004"}, {Platform: Name, User: idDana}} {
					ref, _ := w.c.Post(t.Context(), to, w.card(one()))
					_ = w.c.Attach(t.Context(), to, ref, platform.Upload{Files: []ask.File{{Name: "a", Text: "a"}}})
					_, _ = w.c.Find(t.Context(), to, rid, time.Time{})
				}
				if err := w.sim.Seat(idDana).Command(t.Context(), "C0000001", Command, ""); err != nil {
					return
				}
				_, _ = w.c.GroupsOf(t.Context(), dana, []string{releasers})
				synctest.Wait()
				for _, call := range w.sim.Calls() {
					if call.Error == "missing_scope" {
						return
					}
				}
				heard := func(e chatsim.Event) bool { return e.Where == slacksim.EventAppMention }
				if !slices.ContainsFunc(w.sim.Timeline().Events(chatsim.Acknowledged), heard) {
					return
				}
				t.Errorf("nothing needs %s (%s)", without.Name, without.For)
			})
		})
	}
}
