package chatsim_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/chatsim"
)

func TestParseSceneErrors(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"":                                                             "no steps: they follow",
		"-- steps --\n# nothing\n":                                     "no steps: they follow",
		"-- steps --\ndana sleeps\n":                                   `line 2: dana sleeps: dana can do one of these: closes the form, dismisses, fills, is never rung, is refused, is rung once, is rung twice, is told, no longer sees, picks, presses, replies, retracts, rewrites, runs, sees, submits`,
		"x\n\n-- steps --\nagent sees\n":                               "line 4: agent sees: agent can do one of these: asks, cancels, gets",
		"-- steps --\ndana sees Yes\n":                                 "line 2: dana sees Yes: unexpected Yes; texts are in double quotes",
		"-- steps --\ndana sees \"Yes\n":                               `line 2: dana sees "Yes: "Yes: these quotes do not end`,
		"-- steps --\ndana sees\n":                                     `line 2: dana sees: "sees" takes one to 9 texts`,
		"-- steps --\ndana presses \"A\" \"B\"\n":                      `"presses" takes one text`,
		"-- steps --\ndana submits \"A\"\n":                            `"submits" takes nothing more`,
		"-- steps --\ndana presses \"A\" under\n":                      "under needs a text",
		"-- steps --\ndana picks \"A\" under \"B\" \"C\"\n":            "under needs a text; for a button, one or more",
		"-- steps --\ndana sees \"A\" under \"B\"\n":                   "unexpected under",
		"-- steps --\nagent asks request.json\n":                       "line 2: there is no file request.json in the scene",
		"-- steps --\nagent gets \"A\" or b.txt\n":                     "line 2: there is no file b.txt in the scene",
		"-- steps --\nagent asks \"A\"\n":                              "unexpected A",
		"-- steps --\nagent cancels soon\n":                            "unexpected soon",
		"-- steps --\ntime flies\n":                                    "time passes like this: time passes 2h30m",
		"-- steps --\ntime passes -2h\n":                               "time passes like this",
		"-- steps --\n  dana submits\n":                                `an indented step must follow "at once"`,
		"-- steps --\nat once\n  dana submits\n":                       `line 2: "at once" needs at least two indented steps`,
		"-- steps --\nat once\n  dana sees \"A\"\n  dana submits\n":    "line 3: dana sees \"A\": only people's actions can happen at once",
		"-- steps --\ndana submits\n-- a --\nx\n-- a --\n":             "line 5: duplicate file a",
		"-- steps --\ndana submits\n-- steps --\ndana submits\n":       "line 3: duplicate file steps",
		"-- steps --\ndana sleeps\nsam sees\n-- a --\ndana dances\n--": "line 3: sam sees",
	} {
		_, err := chatsim.ParseScene("play.txtar", []byte(raw))
		if err == nil || !strings.HasPrefix(err.Error(), "chatsim: play.txtar: not a scene: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", raw, err, want)
		}
	}
}

func TestParseBundledScenes(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/scenes/*.txtar")
	if err != nil || len(files) < 12 {
		t.Fatalf("%d scenes, %v", len(files), err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, err := chatsim.ParseScene(filepath.Base(file), raw)
		if err != nil {
			t.Error(err)
			continue
		}
		if s.About == "" || s.Files["request.json"] == "" {
			t.Errorf("%s: texts %q, questions %q", s.Name, s.About, s.Files["request.json"])
		}
	}
}

// booth is a tiny chat: a message with buttons and a form with one field.
type booth struct {
	mu      sync.Mutex
	changed chatsim.Signal
	text    string
	buttons []string
	form    bool
	strict  bool // an empty form is refused
	words   string
	notes   map[string]string
	did     []string
	turns   int // pages before the last one
}

// visitor is one person at the booth.
type visitor struct {
	*booth
	name string
}

func (v visitor) Sees() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.form {
		return "form [Cancel]"
	}
	return fmt.Sprintf("%s %q %s turns %d", v.text, v.buttons, v.notes[v.name], v.turns)
}

// do makes a change if it is possible.
func (v visitor) do(what string, f func() error) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	err := f()
	if err == nil {
		v.did = append(v.did, v.name+" "+what)
		v.changed.Notify()
	}
	return err
}

func (v visitor) Press(_ context.Context, label string, under ...string) error {
	return v.do("pressed "+label+strings.Join(under, ""), func() error {
		switch {
		case label == "Next" && v.turns > 0:
			v.turns--
			return nil
		case v.form || v.turns > 0 || !slices.Contains(v.buttons, label):
			return chatsim.ErrNotThere
		case label == "Write":
			v.form = true
		case label == "Break":
			return errors.New("it broke")
		}
		return nil
	})
}

func (v visitor) Pick(_ context.Context, question, option string) error {
	return v.do("picked "+option+" for "+question, func() error {
		if option != "Red" || v.turns > 0 {
			return chatsim.ErrNotThere
		}
		return nil
	})
}

func (v visitor) Fill(_ context.Context, field, text string) error {
	return v.do("filled "+field, func() error {
		if !v.form {
			return chatsim.ErrNotThere
		}
		v.words = text
		return nil
	})
}

func (v visitor) Submit(context.Context) error {
	return v.do("submitted", func() error {
		switch {
		case !v.form:
			return chatsim.ErrNotThere
		case v.strict && v.words == "":
			return chatsim.ErrFormRejected
		}
		v.form, v.text = false, v.words
		return nil
	})
}

func (v visitor) Dismiss(context.Context) error {
	return v.do("dismissed", func() error {
		if !v.form {
			return chatsim.ErrNotThere
		}
		v.form = false
		return nil
	})
}

func (v visitor) Await(ctx context.Context, ok func(string) bool) error {
	return v.changed.Await(ctx, func() bool { return ok(v.Sees()) })
}

func (b *booth) Asks(_ context.Context, request, form string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text = strings.TrimSpace(request)
	if form != "" {
		b.text += " as " + form
	}
	b.changed.Notify()
	return nil
}

func (b *booth) Cancels(_ context.Context, reason string) error {
	return b.Asks(context.Background(), reason, "")
}

func (b *booth) Gets(context.Context) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text + "\n", nil
}

// playInBooth plays steps, with files a and b in the scene.
func playInBooth(t *testing.T, b *booth, steps string) error {
	t.Helper()
	raw := "-- steps --\n" + steps + "-- a --\nAlpha\n-- b --\nBeta\n"
	s, err := chatsim.ParseScene("play.txtar", []byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	people := map[string]chatsim.Seat{"dana": visitor{b, "dana"}, "sam": visitor{b, "sam"}}
	return s.Play(t.Context(), chatsim.Cast{Agent: b, Another: func() chatsim.Agent { return &booth{} }, People: people, Onward: []string{"Next"}})
}

func TestScenePlay(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		booth *booth
		steps string
		fails string   // the expected error, "" for none
		did   []string // what people did, in order
	}{
		"a question and its answer": {
			&booth{buttons: []string{"Yes"}}, "agent asks a\ndana sees \"Alpha\" \"Yes\"\ndana presses \"Yes\" under \"x\" \"y\"\nagent gets a\n",
			"",
			[]string{"dana pressed Yesxy"},
		},
		"an option is a button or an entry of a list": {
			&booth{buttons: []string{"Yes"}}, "dana picks \"Yes\"\ndana picks \"Red\" under \"q\"\n",
			"",
			[]string{"dana pressed Yes", "dana picked Red for q"},
		},
		"what is on another page is gone to": {
			&booth{turns: 2}, "dana picks \"Red\"\n", "", []string{"dana pressed Next", "dana pressed Next", "dana picked Red for "},
		},
		"a form is filled and sent": {
			&booth{buttons: []string{"Write"}}, "dana presses \"Write\"\ndana fills \"Gamma\" under \"f\"\ndana submits\nagent gets \"Gamma\"\n",
			"",
			[]string{"dana pressed Write", "dana filled f", "dana submitted"},
		},
		"a rejected form": {
			&booth{form: true, strict: true}, "dana is refused \"form\"\ndana fills \"Gamma\"\ndana submits\nagent gets \"Gamma\"\n",
			"",
			[]string{"dana filled ", "dana submitted"},
		},
		"a form is accepted that should not be": {&booth{form: true}, "dana is refused\n", "line 2: dana is refused: the form was accepted", []string{"dana submitted"}},
		"a host asks":                           {&booth{}, "agent asks a as claude\nagent gets \"Alpha as claude\"\n", "", nil},
		"two agents ask":                        {&booth{}, "agent asks a\nagent2 asks b\nagent2 gets \"Beta\"\nagent gets \"Alpha\"\n", "", nil},
		"without a form Submit is a button":     {&booth{buttons: []string{"Submit"}}, "dana submits\n", "", []string{"dana pressed Submit"}},
		"a form is closed":                      {&booth{form: true}, "dana closes the form\n", "", []string{"dana dismissed"}},
		"chance decides":                        {&booth{text: "Beta"}, "agent gets a or b or \"Gamma\"\n", "", nil},
		"it ends in another way":                {&booth{text: "Beta"}, "agent gets a\n", "line 2: agent gets a: it got:\nBeta", nil},
		"the agent withdraws":                   {&booth{}, "agent cancels \"Enough\"\ndana sees \"Enough\"\n", "", nil},
		"an ephemeral message":                  {&booth{notes: map[string]string{"dana": "psst"}}, "dana is told \"psst\"\n", "", nil},
		"a message that all can see":            {&booth{text: "psst"}, "dana is told \"psst\"\n", "line 2: dana is told \"psst\": sam sees it too", nil},
		"something never comes":                 {&booth{text: "Beta"}, "dana sees \"Alpha\"\n", "line 2: dana sees \"Alpha\": await: context deadline exceeded\ndana sees:\nBeta", nil},
		"no messages there":                     {&booth{}, "dana replies \"Yes\"\n", "line 2: dana replies \"Yes\": the seat cannot write messages", nil},
		"something never goes":                  {&booth{text: "Beta"}, "dana no longer sees \"Beta\"\n", "deadline exceeded", nil},
		"a button never comes":                  {&booth{}, "dana presses \"Yes\"\n", "line 2: dana presses \"Yes\": not there", nil},
		"it breaks":                             {&booth{buttons: []string{"Break"}}, "dana presses \"Break\"\n", "it broke", nil},
		"an unknown person":                     {&booth{}, "eve submits\n", "no person eve; there are: dana, sam", nil},
		"one of two finds nothing": {
			&booth{form: true}, "at once\n  dana closes the form\n  sam closes the form\n", "", []string{"one of two"},
		},
		"neither of two finds anything": {&booth{}, "at once\n  dana submits\n  sam picks \"No\"\n", "not there for any of them", nil},
		"one of two breaks":             {&booth{buttons: []string{"Break", "Yes"}}, "at once\n  dana presses \"Break\"\n  sam presses \"Yes\"\n", "it broke", []string{"sam pressed Yes"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := tt.booth
				err := playInBooth(t, b, tt.steps)
				if got := fmt.Sprint(err); (tt.fails == "") != (err == nil) || !strings.Contains(got, tt.fails) {
					t.Errorf("it ends with %v, want %q", err, tt.fails)
				}
				if slices.Equal(tt.did, []string{"one of two"}) {
					tt.did = b.did[:min(1, len(b.did))]
				}
				if !slices.Equal(b.did, tt.did) {
					t.Errorf("people did %q, want %q", b.did, tt.did)
				}
			})
		})
	}
}

func TestSceneTimePasses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		if err := playInBooth(t, &booth{}, "time passes 1h30m\n"); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took != 90*time.Minute {
			t.Errorf("%s passed", took)
		}
	})
}
