package bridge_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/memory"
)

// inbox opens a person's inbox.
func (w *fixture) inbox(who string, from int) *bridgetest.Reply {
	return w.act(platform.Interaction{Person: ask.Person{ID: who, Name: who}, Token: render.InboxToken(from), Inbox: true})
}

// pressIn uses the first control in an inbox with a label.
func (w *fixture) pressIn(c render.Card, who, label string) *bridgetest.Reply {
	w.t.Helper()
	for _, sec := range c.Sections {
		for _, b := range sec.Buttons {
			if b.Label == label {
				return w.act(platform.Interaction{Person: ask.Person{ID: who, Name: who}, Token: b.Token, Inbox: true})
			}
		}
	}
	w.t.Fatalf("no button %q in %s", label, textOf(c))
	return nil
}

// newest is the last inbox that an interaction was answered with, later changes included.
func newest(r *bridgetest.Reply) render.Card {
	all := r.Inboxes()
	if len(all) == 0 {
		return render.Card{}
	}
	return all[len(all)-1]
}

// textOf returns the text of a card, one section per line, with its buttons in brackets.
func textOf(c render.Card) string {
	var lines []string
	for _, sec := range c.Sections {
		line := ""
		for _, span := range sec.Text {
			if span.Style == render.Mention {
				line += "@" + span.Person.ID
			}
			if span.Style != render.Moment {
				line += span.Text
			}
		}
		for _, b := range sec.Buttons {
			line += "[" + b.Label + "]"
		}
		if line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

func (w *fixture) wantInbox(c render.Card, want ...string) {
	w.t.Helper()
	text := textOf(c)
	for _, part := range want {
		if without, no := strings.CutPrefix(part, "not "); no == strings.Contains(text, without) {
			w.t.Errorf("inbox, want %q:\n%s", part, text)
		}
	}
}

func TestInboxAnswersLikeTheCard(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		r := w.submit(database(func(r *ask.Request) { r.Responders, r.Agent = []string{"slack:U1"}, "deploy-bot" }))
		mine, theirs := w.inbox("U1", 0), w.inbox("U2", 0)
		w.wantInbox(newest(mine), "Your inbox · 1 request waits for you", "deploy-bot asks", "Which database?", "[Postgres][SQLite][Other…]")
		w.wantInbox(newest(theirs), "nothing waits for you", "not Which database?")

		after := w.pressIn(newest(mine), "U1", "SQLite")
		w.wantInbox(newest(after), "nothing waits for you", "You decided", "SQLite · Which database?")
		if now := w.load(r.ID); now.Outcome.Answers[0].Selected[0] != "SQLite" || now.Outcome.By.ID != "U1" {
			t.Errorf("answered %q by %v", now.Text(), now.Outcome.By)
		}
		if card := w.chat.Card(r.Copies[0].Ref); card.State != ask.Answered {
			t.Errorf("the card is %s after an answer in the inbox", card.State)
		}
		again := w.pressIn(newest(mine), "U1", "Postgres")
		w.wantInbox(newest(again), "answered", "nothing waits for you")
	})
}

func TestOpenInboxFollowsChanges(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		mine := w.inbox("U1", 0)
		w.wantInbox(newest(mine), "nothing waits for you")
		r := w.submit(database(func(r *ask.Request) { r.Responders = []string{"slack:U1", "slack:U2"} }))
		time.Sleep(time.Second)
		w.wantInbox(newest(mine), "1 request waits for you")
		if err := w.act(choose(r, "U2", 0)).Err; err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		w.wantInbox(newest(mine), "nothing waits for you")
		shown := len(mine.Inboxes())
		for n := range 20 { // A burst is drawn once or twice.
			w.submit(database(func(r *ask.Request) { r.ToolCallID, r.Responders = fmt.Sprint("burst", n), []string{"slack:U1"} }))
		}
		time.Sleep(time.Second)
		w.wantInbox(newest(mine), "20 requests wait for you", "1–5 of 20", "[Next]")
		if drawn := len(mine.Inboxes()) - shown; drawn > 3 {
			t.Errorf("20 changes at once were drawn %d times", drawn)
		}
		time.Sleep(2 * time.Hour) // Nobody uses the inbox any more.
		shown = len(mine.Inboxes())
		w.submit(database(func(r *ask.Request) { r.ToolCallID, r.Responders = "late", []string{"slack:U1"} }))
		time.Sleep(time.Second)
		if len(mine.Inboxes()) != shown {
			t.Error("an inbox was drawn after its life")
		}
	})
}

func TestInboxFollowsOtherReplicas(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		notifications := make(chan string)
		w := &fixture{t: t, store: belated{memory.New(), notifications}, chat: bridgetest.NewScript("slack", render.Limits{})}
		defer w.begin(nil)()
		other, stop := w.replica()
		defer stop()
		mine := w.inbox("U1", 0)
		ask := func(call string) string {
			s, err := other.Submit(t.Context(), database(func(r *ask.Request) { r.ToolCallID, r.Responders = call, []string{"slack:U1"} }))
			if err != nil {
				t.Fatal(err)
			}
			return s.Record.ID
		}
		first := ask("first")
		notifications <- first
		time.Sleep(time.Second)
		w.wantInbox(newest(mine), "1 request waits for you")
		ask("second")
		if _, err := other.Cancel(t.Context(), first, ""); err != nil {
			t.Fatal(err)
		}
		ask("third")
		notifications <- "" // The notifications were lost.
		time.Sleep(time.Second)
		w.wantInbox(newest(mine), "2 requests wait for you")
	})
}

func TestInboxOmitsCardsOfOtherRooms(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		w.submit(database(func(r *ask.Request) { r.ToolCallID = "anyone" }))
		w.submit(database(func(r *ask.Request) {
			r.ToolCallID, r.To = "direct", []ask.Place{{Platform: "slack", User: "U2"}}
		}))
		w.wantInbox(newest(w.inbox("U1", 0)), "nothing waits for you")
		w.wantInbox(newest(w.inbox("U2", 0)), "1 request waits for you")
		other := w.act(platform.Interaction{
			Person: ask.Person{ID: "U2", Name: "U2"}, Token: render.InboxToken(0), Inbox: true,
			Message: platform.MessageRef{Platform: "slack", Installation: "T2"},
		})
		w.wantInbox(newest(other), "nothing waits for you")
	})
}

func TestActFromAnotherInstallationDoesNotCount(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		r := w.submit(database(func(r *ask.Request) { r.Responders = []string{"slack:U1"} }))
		i := choose(r, "U1", 0)
		i.Inbox, i.Message = true, platform.MessageRef{Platform: "slack", Installation: "T2"}
		w.wantInbox(newest(w.act(i)), "nothing waits for you")
		if now := w.load(r.ID); !now.Open() {
			t.Error("a press in the inbox of another installation counted")
		}
	})
}

func TestInboxAfterAPass(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		w.submit(database(func(r *ask.Request) { r.Responders, r.Schedule = []string{"slack:U1"}, ask.Schedule{PassOn: true} }))
		mine := newest(w.inbox("U1", 0))
		form := w.pressIn(mine, "U1", "Pass to…").Forms()
		if len(form) != 1 {
			t.Fatal("no form to pass the request on")
		}
		passed := w.act(platform.Interaction{
			Person: ask.Person{ID: "U1", Name: "U1"}, Token: form[0].Token, Inbox: true,
			Chosen: &ask.Responder{Person: ask.Person{Platform: "slack", ID: "U2", Name: "Kim"}, Membership: ask.Member},
		})
		w.wantInbox(newest(passed), "nothing waits for you", "You passed on", "Which database? · to @U2 · still open")
		synctest.Wait()
		w.wantInbox(newest(w.inbox("U2", 0)), "1 request waits for you")
	})
}

// The inbox of each person is what a plain evaluation of all records gives, after any changes.
func TestInboxMatchesAllRecords(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		steps := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) inboxStep {
			return inboxStep{
				do:      rapid.SampledFrom([]string{"ask", "ask", "ask", "vote", "answer", "dismiss", "pass", "wait", "revise", "cancel"}).Draw(rt, "do"),
				who:     rapid.SampledFrom(inboxPeople).Draw(rt, "who"),
				to:      rapid.SampledFrom(inboxPeople).Draw(rt, "to"),
				request: rapid.IntRange(0, 9).Draw(rt, "request"),
				shape:   rapid.IntRange(0, 5).Draw(rt, "shape"),
				option:  rapid.IntRange(0, 1).Draw(rt, "option"),
			}
		}), 1, 25).Draw(rt, "steps")
		var wrong string
		synctest.Test(t, func(t *testing.T) { wrong = playInbox(t, steps) })
		if wrong != "" {
			rt.Fatal(wrong)
		}
	})
}

var inboxPeople = []string{"U1", "U2", "U3"}

// inboxStep is one change in the model of the inbox.
type inboxStep struct {
	do, who, to            string
	request, shape, option int
}

// asked is a new request of one of several shapes.
func (s inboxStep) asked(n int) ask.Request {
	return database(func(r *ask.Request) {
		r.ToolCallID, r.Responders = fmt.Sprint("call", n), []string{"slack:" + s.who, "slack:" + s.to}
		switch s.shape {
		case 0:
			r.Responders = nil
		case 1:
			r.Responders, r.Voting = []string{"slack:U1", "slack:U2", "slack:U3"}, quorum(2)
		case 2:
			r.Responders, r.Schedule = []string{"slack:" + s.who}, ask.Schedule{PassOn: true}
		case 3:
			r.Responders, r.To = nil, []ask.Place{{Platform: "slack", User: s.who}}
		case 4:
			r.ExpiresIn = 10 * time.Minute
		case 5:
			r.Risk, r.ExpiresIn = ask.HighRisk, 3*time.Hour
		}
	})
}

// playInbox applies changes and returns how an inbox differs from all records.
func playInbox(t *testing.T, steps []inboxStep) string {
	t.Helper()
	w := &fixture{t: t, store: memory.New(), chat: bridgetest.NewScript("slack", render.Limits{})}
	stop := w.begin(nil)
	defer stop()
	var ids []string
	open := map[string]*bridgetest.Reply{}
	for _, who := range inboxPeople {
		open[who] = w.inbox(who, 0)
	}
	for _, s := range steps {
		if s.do == "ask" {
			ids = append(ids, w.submit(s.asked(len(ids))).ID)
			synctest.Wait()
			continue
		}
		if s.do == "wait" {
			time.Sleep(time.Duration(s.shape+1) * 5 * time.Minute)
			for _, who := range inboxPeople {
				open[who] = w.inbox(who, 0) // No inbox stays open for hours.
			}
		}
		if len(ids) > 0 {
			if r := s.apply(t.Context(), w, ids[s.request%len(ids)]); r != nil && len(r.Inboxes()) > 0 {
				open[s.who] = r // It replaced the inbox.
			}
		}
		time.Sleep(time.Second)
		for _, who := range inboxPeople {
			if diff := w.differs(t.Context(), who, newest(open[who])); diff != "" {
				return fmt.Sprintf("the open inbox of %s after %+v: %s", who, s, diff)
			}
		}
	}
	time.Sleep(time.Second)
	for _, who := range inboxPeople {
		if diff := w.differs(t.Context(), who, newest(w.inbox(who, 0))); diff != "" {
			return fmt.Sprintf("the inbox of %s, opened again: %s", who, diff)
		}
	}
	return ""
}

// apply makes a change, on the card or in the inbox, and returns the reply to an act.
func (s inboxStep) apply(ctx context.Context, w *fixture, id string) *bridgetest.Reply {
	r := w.load(id)
	i := choose(r, s.who, s.option)
	i.Token.Revised = r.Revised
	switch s.do {
	case "answer":
		i.Inbox, i.Message = true, platform.MessageRef{}
	case "dismiss":
		i.Token.Verb, i.Token.Question, i.Token.Option = render.Dismissed, -1, -1
	case "pass":
		i.Token.Verb, i.Token.Question, i.Token.Option = render.SubmitPass, -1, -1
		i.Chosen = &ask.Responder{Person: ask.Person{Platform: "slack", ID: s.to, Name: s.to}, Membership: ask.Member}
	case "revise":
		_, _ = w.Talk().Revise(ctx, id, ask.Revision{Context: new(fmt.Sprint("revision ", r.Revised))}, ask.Voting{})
		return nil
	case "cancel":
		_, _ = w.Cancel(ctx, id, "")
		return nil
	}
	if s.do == "answer" && r.Risk != "" {
		i.Token.Verb = render.Confirmed
	}
	reply := w.act(i)
	synctest.Wait()
	return reply
}

// differs compares an inbox with all records.
func (w *fixture) differs(ctx context.Context, who string, shown render.Card) string {
	person := ask.Responder{Person: ask.Person{Platform: "slack", ID: who, Name: who}, Membership: ask.Member}
	var waiting []bridge.Record
	for r, err := range w.All(ctx, bridge.Query{All: true}) {
		if err != nil {
			return err.Error()
		}
		if record.Waits(r, person, "") {
			waiting = append(waiting, *r)
		}
	}
	now := time.Now()
	slices.SortFunc(waiting, func(a, b bridge.Record) int { return cmp.Compare(rank(a, now), rank(b, now)) })
	ids := make([]string, len(waiting))
	for n, r := range waiting {
		ids[n] = r.ID
	}
	return differsFrom(ids, shown)
}

// differsFrom compares an inbox with the requests that wait, most urgent first.
func differsFrom(waiting []string, shown render.Card) string {
	title := "nothing waits"
	if n := len(waiting); n > 0 {
		title = fmt.Sprint(n, " request")
	}
	if text := textOf(shown); !strings.Contains(text, "· "+title) {
		return fmt.Sprintf("want %q in:\n%s", title, text)
	}
	var got []string
	for _, sec := range shown.Sections {
		if strings.HasSuffix(sec.ID, ".row") {
			got = append(got, sec.Buttons[0].Token.Request)
		}
	}
	return gocmp.Diff(waiting[:min(len(waiting), render.InboxPage)], got, cmpopts.EquateEmpty())
}

// rank orders requests by urgency: near deadlines, then risks, then deadlines, then age.
func rank(r bridge.Record, now time.Time) string {
	deadline := "9"
	if !r.Deadline.IsZero() {
		deadline = r.Deadline.UTC().Format(time.RFC3339Nano)
	}
	risk := 1
	if r.Risk != "" {
		risk = 0
	}
	age := r.Created.UTC().Format("2006-01-02T15:04:05.000000") + r.ID
	if !r.Deadline.IsZero() && r.Deadline.Sub(now) <= time.Hour {
		return fmt.Sprint("0 ", deadline, risk, age)
	}
	return fmt.Sprint("1 ", risk, deadline, age)
}
