package bridge_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/memory"
)

// crowd is who the requests of the model name; the first few have their inbox open.
const crowd, watching = 12, 3

// modelRequest is what the model knows of a request.
type modelRequest struct {
	like          ask.Request
	stored        bridge.Record
	who           []string // who may answer
	voted, passed []string
	over          bool
}

// inboxModel is a plain list of all requests.
type inboxModel struct {
	w    *fixture
	all  []*modelRequest
	open map[string]*bridgetest.Reply
}

// modelStep is one change: an ask of a shape, or something that happens to a request.
type modelStep struct {
	do              string
	who, to, shape  int
	request, minute int
}

var modelSteps = rapid.Custom(func(rt *rapid.T) modelStep {
	return modelStep{
		do:      rapid.SampledFrom([]string{"ask", "ask", "ask", "answer", "answer", "vote", "vote", "pass", "dismiss", "cancel", "wait"}).Draw(rt, "do"),
		who:     rapid.IntRange(0, crowd-1).Draw(rt, "who"),
		to:      rapid.IntRange(0, crowd-1).Draw(rt, "to"),
		shape:   rapid.IntRange(0, 4).Draw(rt, "shape"),
		request: rapid.IntRange(0, 1<<20).Draw(rt, "request"),
		minute:  rapid.IntRange(1, 40).Draw(rt, "minute"),
	}
})

// The inbox of each person with thousands of open requests is what a plain list of all requests gives, a second after
// every change.
func TestInboxMatchesModel(t *testing.T) {
	t.Parallel()
	check := func(t *testing.T, requests int, steps []modelStep) (wrong string) {
		synctest.Test(t, func(t *testing.T) { wrong = playModel(t, requests, steps) })
		return wrong
	}
	t.Run("10,000 requests", func(t *testing.T) {
		t.Parallel()
		if wrong := check(t, 10_000, rapid.SliceOfN(modelSteps, 50, 50).Example(1)); wrong != "" {
			t.Fatal(wrong)
		}
	})
	t.Run("any changes", func(t *testing.T) {
		t.Parallel()
		rapid.Check(t, func(rt *rapid.T) {
			if wrong := check(t, 60, rapid.SliceOfN(modelSteps, 1, 15).Draw(rt, "steps")); wrong != "" {
				rt.Fatal(wrong)
			}
		})
	})
}

// playModel makes changes while requests are open, and returns how an inbox differs from the model.
func playModel(t *testing.T, requests int, steps []modelStep) string {
	t.Helper()
	w := &fixture{t: t, store: memory.New(), chat: bridgetest.NewScript("slack", render.Limits{})}
	m := &inboxModel{w: w, open: map[string]*bridgetest.Reply{}}
	stop := w.begin(nil)
	defer stop()
	m.seed(requests)
	m.reopen()
	for n, s := range steps {
		m.play(s)
		time.Sleep(time.Second)
		m.expire()
		for who := range watching {
			if diff := m.differs(name(who), newest(m.open[name(who)])); diff != "" {
				return fmt.Sprintf("the open inbox of %s after step %d, %+v: %s", name(who), n, s, diff)
			}
		}
	}
	for who := range crowd {
		if diff := m.differs(name(who), newest(w.inbox(name(who), 0))); diff != "" {
			return fmt.Sprintf("the inbox of %s, opened last: %s", name(who), diff)
		}
	}
	return ""
}

func name(who int) string { return fmt.Sprint("U", who+1) }

// reopen opens the inboxes that are watched.
func (m *inboxModel) reopen() {
	for who := range watching {
		m.open[name(who)] = m.w.inbox(name(who), 0)
	}
}

// asked is a request of one of several shapes.
func (s modelStep) asked(n int) ask.Request {
	return database(func(r *ask.Request) {
		r.Session, r.ToolCallID, r.Responders = "", fmt.Sprint("call", n), []string{"slack:" + name(s.who), "slack:" + name(s.to)}
		switch s.shape {
		case 1:
			r.Voting = quorum(2)
			if s.who == s.to {
				r.Responders[1] = "slack:" + name((s.to+1)%crowd)
			}
		case 2:
			r.Responders, r.Schedule = r.Responders[:1], ask.Schedule{PassOn: true}
		case 3:
			r.ExpiresIn = time.Duration(s.minute) * 5 * time.Minute
		case 4:
			r.Risk = ask.HighRisk
		}
	})
}

// note adds a request to the model.
func (m *inboxModel) note(stored bridge.Record, like ask.Request) {
	known := &modelRequest{like: like, stored: stored}
	for _, who := range like.Responders {
		known.who = append(known.who, strings.TrimPrefix(who, "slack:"))
	}
	m.all = append(m.all, known)
}

// seed stores many requests: the first are asked, the others are copies of them.
func (m *inboxModel) seed(requests int) {
	asked := min(requests, 5*crowd)
	for n := range asked {
		s := modelStep{who: n % crowd, to: n / 5, shape: n % 5, minute: n}
		m.note(m.w.submit(s.asked(n)), s.asked(n))
	}
	synctest.Wait()
	for n := asked; n < requests; n++ {
		like := m.all[n%asked]
		if like.like.ExpiresIn > 0 {
			like = m.all[0] // Few requests expire.
		}
		r := m.w.load(like.stored.ID)
		r.ID = fmt.Sprintf("%s%05d", r.ID[:len(r.ID)-5], n)
		r, err := m.w.store.Create(m.w.t.Context(), r, func(*bridge.Record, time.Time) error { return nil })
		if err != nil {
			m.w.t.Fatal(err)
		}
		m.note(r, like.like)
	}
}

// play makes a change in the bridge and in the model.
func (m *inboxModel) play(s modelStep) {
	switch s.do {
	case "ask":
		m.note(m.w.submit(s.asked(len(m.all))), s.asked(len(m.all)))
		return
	case "wait":
		time.Sleep(time.Duration(s.minute) * time.Minute)
		m.reopen()
		return
	}
	r := m.all[s.request%len(m.all)]
	by, to := name(s.who), name(s.to)
	if s.minute%4 > 0 { // Mostly it is someone who may.
		by = r.who[s.who%len(r.who)]
	}
	i := choose(m.w.load(r.stored.ID), by, 0)
	i.Inbox = s.minute%2 == 0
	voting, may := !r.like.Voting.IsZero(), !r.over && slices.Contains(r.who, by)
	switch s.do {
	case "answer", "vote":
		if r.like.Risk != "" {
			i.Token.Verb = render.Confirmed
		}
		switch {
		case may && voting && !slices.Contains(r.voted, by):
			r.voted = append(r.voted, by)
			r.over = len(r.voted) == 2
		case may && !voting:
			r.over = true
		}
	case "pass":
		i.Token.Verb, i.Token.Question, i.Token.Option = render.SubmitPass, -1, -1
		i.Chosen = &ask.Responder{Person: ask.Person{Platform: "slack", ID: to, Name: to}, Membership: ask.Member}
		if may && r.like.Schedule.PassOn && by != to && !slices.Contains(r.passed, to) && len(r.passed) < ask.MaxPasses {
			r.who, r.passed = []string{to}, append(r.passed, by)
		}
	case "dismiss":
		i.Token.Verb, i.Token.Question, i.Token.Option = render.Dismissed, -1, -1
		if voting {
			return // The vote decides.
		}
		r.over = r.over || may
	case "cancel":
		_, _ = m.w.Cancel(m.w.t.Context(), r.stored.ID, "")
		r.over = true
		return
	}
	if reply := m.w.act(i); len(reply.Inboxes()) > 0 && m.open[by] != nil {
		m.open[by] = reply // It replaced the inbox.
	}
}

// expire ends what has expired in the model.
func (m *inboxModel) expire() {
	for _, r := range m.all {
		r.over = r.over || !r.stored.Deadline.IsZero() && !time.Now().Before(r.stored.Deadline)
	}
}

// differs compares the first page of an inbox with the model.
func (m *inboxModel) differs(who string, shown render.Card) string {
	type ranked struct{ rank, id string }
	var waiting []ranked
	now := time.Now()
	for _, r := range m.all {
		if !r.over && slices.Contains(r.who, who) && !slices.Contains(r.voted, who) {
			waiting = append(waiting, ranked{rank(r.stored, now), r.stored.ID})
		}
	}
	slices.SortFunc(waiting, func(a, b ranked) int { return strings.Compare(a.rank, b.rank) })
	ids := make([]string, len(waiting))
	for n, r := range waiting {
		ids[n] = r.id
	}
	return differsFrom(ids, shown)
}
