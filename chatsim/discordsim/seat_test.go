package discordsim_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
)

// recorder collects what reaches the app, which answers everything with type 6.
type recorder struct {
	mu  sync.Mutex
	all []obj
}

func listenTo(t *testing.T, sim *discordsim.Server) *recorder {
	t.Helper()
	h := &recorder{}
	deliver(t, sim, func(i obj) any {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.all = append(h.all, i)
		return obj{"type": 6}
	})
	return h
}

// data lists the used controls with their values.
func (h *recorder) data() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := []string{}
	for _, i := range h.all {
		line, _ := i["data"].(obj)["custom_id"].(string)
		values, _ := i["data"].(obj)["values"].(list)
		for _, v := range values {
			line += " " + v.(string)
		}
		out = append(out, line)
	}
	return out
}

func TestSameLabelUnderTwoQuestions(t *testing.T) {
	t.Parallel()
	sim := discordsim.Start(t, nil)
	got := listenTo(t, sim)
	put(t, sim, once(message(box(
		words("# Deploy"),
		words("**1.** Which database?"), row(button("db-yes", "Yes"), button("db-no", "No")),
		words("**2.** Which database version?"), row(button("v-yes", "Yes"), with(button("v-no", "No"), "disabled", true)),
	)), 1))
	seat, ctx := sim.Seat(dana), t.Context()
	if err := seat.Press(ctx, "Yes"); !errors.Is(err, chatsim.ErrAmbiguous) {
		t.Errorf("pressing one of two ended with %v", err)
	}
	if err := seat.Press(ctx, "Maybe"); !errors.Is(err, chatsim.ErrNotThere) || !strings.Contains(err.Error(), "db-yes") {
		t.Errorf("pressing nothing ended with %v", err)
	}
	if err := seat.Press(ctx, "No", "2."); !errors.Is(err, chatsim.ErrNotThere) {
		t.Errorf("pressing what is disabled ended with %v", err)
	}
	for _, act := range []error{seat.Press(ctx, "Yes", "version"), seat.Press(ctx, "Yes", "1."), seat.Press(ctx, "db-no"), seat.Press(ctx, "No")} {
		if act != nil {
			t.Error(act)
		}
	}
	if diff := cmp.Diff([]string{"v-yes", "db-yes", "db-no", "db-no"}, got.data()); diff != "" {
		t.Errorf("the app received (-want +got)\n%s", diff)
	}
	want := "askbridge\nDeploy\n1. Which database?\n[Yes] [No]\n2. Which database version?\n[Yes] (No)"
	if sees := seat.Sees(); sees != want {
		t.Errorf("Dana sees\n%s\nwant\n%s", sees, want)
	}
}

func TestNewestMessageWins(t *testing.T) {
	t.Parallel()
	sim := discordsim.Start(t, nil)
	got := listenTo(t, sim)
	first := put(t, sim, once(question("first", "Yes"), 1))
	put(t, sim, once(question("second", "Yes"), 2))
	ask(t, sim, "POST", "/channels/"+general+"/messages", once(question("third", "Yes"), 3))
	seat, ctx := sim.Seat(dana), t.Context()
	for _, err := range []error{seat.Press(ctx, "Yes"), seat.In(deploys).Press(ctx, "Yes"), seat.On(first).Press(ctx, "Yes")} {
		if err != nil {
			t.Error(err)
		}
	}
	if diff := cmp.Diff([]string{"third", "second", "first"}, got.data()); diff != "" {
		t.Errorf("the app received (-want +got)\n%s", diff)
	}
}

func TestSelectValues(t *testing.T) {
	t.Parallel()
	sim := discordsim.Start(t, nil)
	got := listenTo(t, sim)
	put(t, sim, once(message(
		words("Where?"), row(choice("where", "EU", "US")),
		words("What?"), row(with(choice("what", "Logs", "Metrics", "Traces"), "min_values", 0, "max_values", 2)),
	), 1))
	seat, ctx := sim.Seat(dana), t.Context()
	for _, err := range []error{
		seat.Pick(ctx, "Where?", "EU"),
		seat.Pick(ctx, "Where?", "EU"), // Nothing is sent.
		seat.Pick(ctx, "Where?", "US"),
		seat.Pick(ctx, "What?", "Metrics"),
		seat.Pick(ctx, "", "Logs"),
		seat.Pick(ctx, "What?", "Metrics"),
		seat.PickAll(ctx, "What?", "Traces", "Metrics"),
		seat.PickAll(ctx, "what"),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	want := []string{"where EU", "where US", "what Metrics", "what Logs Metrics", "what Logs", "what Metrics Traces", "what"}
	if diff := cmp.Diff(want, got.data()); diff != "" {
		t.Errorf("the app received (-want +got)\n%s", diff)
	}
	if err := seat.PickAll(ctx, "What?", "Logs", "Metrics", "Traces"); err == nil {
		t.Error("three of at most two could be picked")
	}
	if err := seat.PickAll(ctx, "What?", "Nothing"); !errors.Is(err, chatsim.ErrNotThere) {
		t.Errorf("picking what is not there ended with %v", err)
	}
	if sees, want := seat.Sees(), "▾ Choose\n○ EU\n● US\nWhat?\n▾ Choose\n☐ Logs"; !strings.Contains(sees, want) {
		t.Errorf("Dana sees\n%s\nwant in it\n%s", sees, want)
	}
	if sees := sim.Seat(sam).Sees(); strings.Contains(sees, "●") {
		t.Errorf("Sam sees what Dana chose\n%s", sees)
	}
}

func TestUpdateResetsSelects(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		answer obj
		sees   string
	}{
		"update": {obj{"type": 7, "data": message(row(with(choice("where"), "options", list{
			obj{"label": "EU", "value": "EU", "default": true}, obj{"label": "US", "value": "US"},
		})))}, "● EU\n○ US"},
		"ephemeral": {obj{"type": 4, "data": with(message(words("Noted")), "flags", v2|64)}, "○ EU\n● US"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := discordsim.Start(t, nil)
			deliver(t, sim, func(obj) any { return tc.answer })
			put(t, sim, once(message(row(choice("where", "EU", "US"))), 1))
			if err := sim.Seat(dana).Pick(t.Context(), "", "US"); err != nil {
				t.Fatal(err)
			}
			if sees := sim.Seat(dana).Sees(); !strings.Contains(sees, tc.sees) {
				t.Errorf("Dana sees\n%s", sees)
			}
		})
	}
}

func TestInvalidActors(t *testing.T) {
	t.Parallel()
	sim := discordsim.Start(t, &discordsim.Options{People: []discordsim.Person{{ID: dana}, {ID: sam, Bot: true}}})
	put(t, sim, once(question("a1", "Yes"), 1))
	ctx := t.Context()
	for _, who := range []string{sam, "1"} {
		seat := sim.Seat(who)
		_, sent := seat.Say(deploys, "x")
		for _, err := range []error{seat.Press(ctx, "Yes"), seat.Pick(ctx, "", "Yes"), seat.PickAll(ctx, "", "Yes"), seat.Fill(ctx, "", "x"), sent} {
			if err == nil {
				t.Errorf("%s could act", who)
			}
		}
	}
	if _, err := sim.Seat(dana).Say("1", "x"); !errors.Is(err, chatsim.ErrNotThere) {
		t.Errorf("writing nowhere ended with %v", err)
	}
}

func TestPressWithoutApp(t *testing.T) {
	t.Parallel()
	sim := discordsim.Start(t, nil)
	put(t, sim, once(question("a1", "Yes"), 1))
	if err := sim.Seat(dana).Press(t.Context(), "Yes"); !errors.Is(err, chatsim.ErrUnacknowledged) {
		t.Errorf("the press ended with %v", err)
	}
}

func TestPrivateChannelVisibility(t *testing.T) {
	t.Parallel()
	sim := discordsim.Start(t, &discordsim.Options{Channels: []discordsim.Channel{{ID: deploys, Name: "deploys", Members: []string{dana}}}})
	put(t, sim, once(question("a1", "Yes"), 1))
	if sees := sim.Seat(sam).Sees(); sees != "" {
		t.Errorf("Sam sees\n%s", sees)
	}
	if sees := sim.Seat(dana).Sees(); sees == "" {
		t.Error("Dana sees nothing")
	}
}

func TestAwaitErrorShowsScreen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := discordsim.Start(t, nil)
		put(t, sim, once(question("a1", "Yes"), 1))
		err := sim.Person(dana).Await(t.Context(), func(sees string) bool { return strings.Contains(sees, "No") })
		if err == nil || !strings.Contains(err.Error(), "[Yes]") {
			t.Errorf("the wait ended with %v", err)
		}
	})
}

func TestReadText(t *testing.T) {
	t.Parallel()
	for markup, want := range map[string]string{
		"**bold** *it* _it_ __under__ ~~gone~~ ||secret||": "bold it it under gone secret",
		"***both*** and **_nested_**":                      "both and nested",
		`\*not\* \_it\_ \<@1> \# \\`:                       `*not* _it_ <@1> # \`,
		"2 * 3 * 4":                                        "2 * 3 * 4",
		"snake_case":                                       "snake_case",
		"# Head":                                           "Head",
		"### Head":                                         "Head",
		"#hash":                                            "#hash",
		"-# small":                                         "small",
		"> quote":                                          "quote",
		"- one\n  * two":                                   "• one\n• two",
		"`code *x*` after":                                 "code *x* after",
		"``a`b``":                                          "a`b",
		"```\nx := *p\n``` after":                          "\nx := *p\n after",
		"`open":                                            "`open",
		"<@" + dana + "> <@!" + sam + ">":                  "@Dana @Sam",
		"<@&400000000000000001> <#" + deploys + ">": "@deployers #deploys",
		"<@1> <@&1> <#1>":                     "@unknown-user @unknown-role #unknown",
		"<t:0:R>":                             "1970-01-01 00:00",
		"<:wave:123> </ask:1>":                ":wave: /ask",
		"[docs](https://example.org) [no](x)": "docs [no](x)",
		"<https://example.org>":               "https://example.org",
		"a < b":                               "a < b",
		"müde 日本 😀":                           "müde 日本 😀",
	} {
		sim := discordsim.Start(t, &discordsim.Options{Unlimited: true})
		put(t, sim, once(message(words(markup)), 1))
		if got := strings.TrimPrefix(sim.Seat(dana).Sees(), "askbridge\n"); got != want {
			t.Errorf("%q reads %q, want %q", markup, got, want)
		}
	}
}

func TestLabelledLinkIsWarned(t *testing.T) {
	t.Parallel()
	sim := discordsim.Start(t, nil)
	put(t, sim, once(message(words("[bank](https://example.org)")), 1))
	if got := sim.Timeline().Events(chatsim.Warned); len(got) != 1 || !strings.HasPrefix(got[0].Text, "note.link") {
		t.Errorf("timeline: %v", got)
	}
}

func TestSectionButtonLabel(t *testing.T) {
	t.Parallel()
	sim := discordsim.Start(t, nil)
	got := listenTo(t, sim)
	section := func(id, s string) obj {
		return obj{"type": 9, "components": list{words(s)}, "accessory": with(button(id, "Other…"), "emoji", obj{"name": "✏️"})}
	}
	picture := obj{"type": 11, "media": obj{"url": "https://example.org/x.png"}, "description": "A chart"}
	put(t, sim, once(message(
		section("o1", "Which database?"), section("o2", "Which region?"), obj{"type": 14, "divider": false}, obj{"type": 14},
		obj{"type": 9, "components": list{words("Load")}, "accessory": picture},
		row(obj{"type": 2, "style": 5, "label": "Docs", "url": "https://example.org"}, with(button("off", "Old"), "disabled", true)),
		row(with(choice("menu", "EU"), "disabled", true)),
	), 1))
	if err := sim.Seat(dana).Press(t.Context(), "Other…", "region"); err != nil {
		t.Fatal(err)
	}
	if err := sim.Seat(dana).Press(t.Context(), "Docs"); !errors.Is(err, chatsim.ErrNotThere) {
		t.Errorf("pressing a link, which sends no payload: %v", err)
	}
	if diff := cmp.Diff([]string{"o2"}, got.data()); diff != "" {
		t.Errorf("the app received (-want +got)\n%s", diff)
	}
	want := "askbridge\nWhich database?\n[✏️ Other…]\nWhich region?\n[✏️ Other…]\n────\nLoad\nA chart\n[Docs] (Old)\n▿ Choose\n○ EU"
	if sees := sim.Seat(dana).Sees(); sees != want {
		t.Errorf("Dana sees\n%s\nwant\n%s", sees, want)
	}
}

func TestInteractionContainsRoles(t *testing.T) {
	t.Parallel()
	sim := discordsim.Start(t, nil)
	got := listenTo(t, sim)
	put(t, sim, once(question("a1", "Yes"), 1))
	for _, roles := range [][]string{{"400000000000000001"}, {}} {
		sim.SetRoles(sam, roles...)
		if err := sim.Seat(sam).Press(t.Context(), "Yes"); err != nil {
			t.Fatal(err)
		}
		sent := got.all[len(got.all)-1]["member"].(obj)["roles"].(list)
		if len(sent) != len(roles) {
			t.Errorf("the roles are %v, want %v", sent, roles)
		}
	}
}
