package bridge_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/memory"
)

// action is what a person or the agent does at one point of a story.
type action struct {
	Who    string // "agent" for the agent.
	What   render.Verb
	Option int
	Older  bool // On the card of the previous revision.
}

const (
	agent                = "agent"
	replies  render.Verb = "replies"
	revises  render.Verb = "revises"
	replaces render.Verb = "asks something else"
	cancels  render.Verb = "cancels"
)

// story is a request and what happens to it: an action every five minutes, each a minute after any step of its
// schedule.
type story struct {
	Request ask.Request
	Actions []action
}

const (
	beats = 8
	beat  = 5 * time.Minute
	leap  = 17 * time.Minute // How far clocks are set forward or back.
	lag   = time.Minute      // From a beat to an action, and from a lost action to its retry.
)

// drawStory draws a random story.
func drawStory(t *rapid.T) story {
	s := story{Request: database(func(r *ask.Request) {
		r.Responders = []string{"slack:U1", "slack:U2", "slack:U3"}
		r.ExpiresIn = beats*beat - lag
		// The longer hold includes the action at the next beat.
		r.Hold = rapid.SampledFrom([]time.Duration{0, 90 * time.Second, 7 * time.Minute}).Draw(t, "held")
		switch rapid.IntRange(0, 4).Draw(t, "mode") {
		case 0:
			r.Voting = quorum(2)
		case 1:
			r.Voting = ask.Voting{Mode: ask.Quorum, Need: 3, Needs: map[string]int{"SQLite": 1}}
		case 2:
			r.Voting = ask.Voting{Mode: ask.Poll}
		case 3:
			r.Voting = ask.Voting{Mode: ask.Quorum, Need: 2, Dismiss: 2}
		}
		after := time.Duration(0)
		for range rapid.IntRange(0, 3).Draw(t, "steps") {
			after += time.Duration(rapid.IntRange(1, 2).Draw(t, "beats")) * beat
			step := ask.Step{After: after, Do: ask.Remind}
			if rapid.Bool().Draw(t, "adds") && r.Voting.Mode != ask.Poll {
				step.Do, step.Responders = ask.Add, []string{rapid.SampledFrom([]string{"slack:U4", "oncall:payments"}).Draw(t, "added")}
			}
			r.Schedule.Steps = append(r.Schedule.Steps, step)
		}
		if len(r.Schedule.Steps) > 0 && rapid.Bool().Draw(t, "claims") {
			r.Schedule.ClaimFor = 12 * time.Minute // It expires between two beats, when no one retries.
		}
		r.Schedule.PassOn = rapid.Bool().Draw(t, "passes")
		if rapid.Bool().Draw(t, "asks back") {
			r.AskBack = ask.AskBackStay
		}
	})}
	for range rapid.IntRange(1, 7).Draw(t, "actions") {
		s.Actions = append(s.Actions, action{
			Who: rapid.SampledFrom([]string{"U1", "U2", "U3", "U4", "U5"}).Draw(t, "who"),
			What: rapid.SampledFrom([]render.Verb{
				render.Choose, render.Choose, render.Choose, render.TakeBack, render.Dismissed, render.Undo, render.Claiming,
				render.SubmitPass, render.SubmitAsk,
			}).Draw(t, "what"),
			Option: rapid.IntRange(0, 1).Draw(t, "option"),
			Older:  rapid.IntRange(0, 3).Draw(t, "older") == 0,
		})
		if last := &s.Actions[len(s.Actions)-1]; rapid.IntRange(0, 5).Draw(t, "agent") == 0 {
			last.Who, last.What = agent, rapid.SampledFrom([]render.Verb{revises, replaces, replies, cancels}).Draw(t, "verb")
		}
	}
	return s
}

// handover is a rota with one handover, as seen by a replica whose clock is ahead.
type handover struct {
	names *strings.Replacer
	ahead *ahead
}

func (s handover) OnCall(at time.Time) ([]string, error) {
	if at.Add(s.ahead.by()).Minute() < 17 { // No step is that late.
		return s.Everybody()[:1], nil
	}
	return s.Everybody()[1:], nil
}

func (s handover) Everybody() []string {
	return []string{s.names.Replace("slack:U4"), s.names.Replace("slack:U5")}
}

// stage is where a story happens: replicas of one bridge, which can die, over one store and one channel.
type stage struct {
	t     *testing.T
	store bridge.Store
	room  *room
	names *strings.Replacer

	mu       sync.Mutex
	replicas []*replica
}

type replica struct {
	*bridge.Bridge

	seat  *seat
	ahead *ahead // How far its clock is ahead.
	stop  func()
}

// newStage starts one replica for each clock offset.
func newStage(t *testing.T, clocks []time.Duration, names ...string) *stage {
	t.Helper()
	s := &stage{t: t, room: newRoom(), names: strings.NewReplacer(names...), store: memory.New()}
	for _, ahead := range clocks {
		s.replicas = append(s.replicas, s.start(aheadBy(ahead)))
	}
	return s
}

func (s *stage) start(ahead *ahead) *replica {
	p := &process{}
	r := &replica{seat: newSeat(s.room, p), ahead: ahead}
	b, err := bridge.New(reached{apart{s.store, ahead}, p}, []platform.Platform{r.seat}, &bridge.Options{Audit: true, Rotas: map[string]bridge.Rota{"payments": handover{s.names, ahead}}})
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(s.t.Context())
	over := make(chan struct{})
	go func() {
		defer close(over)
		_ = b.Run(ctx) // A replica that dies may return an error.
	}()
	synctest.Wait()
	r.Bridge, r.stop = b, func() { cancel(); <-over }
	return r
}

func (s *stage) close() {
	for _, r := range s.replicas {
		r.stop()
	}
}

// pass lets time pass. Processes that die are replaced within half a minute.
func (s *stage) pass(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
		time.Sleep(min(time.Until(end), 29*time.Second))
		synctest.Wait()
		for n, r := range s.replicas {
			if r.seat.by.died() {
				s.restart(n)
			}
		}
	}
}

// restart replaces a process.
func (s *stage) restart(n int) {
	r := s.at(n)
	r.stop()
	next := s.start(r.ahead)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replicas[n%len(s.replicas)] = next
}

// at returns a replica, counting modulo.
func (s *stage) at(n int) *replica {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.replicas[n%len(s.replicas)]
}

// strike makes a replica fail soon, or restarts it at once.
func (s *stage) strike(b blow) {
	switch b.Fate {
	case restarted:
		s.restart(b.Replica)
		return
	case forward:
		s.at(b.Replica).ahead.jump(leap)
		return
	case backward:
		s.at(b.Replica).ahead.jump(-leap)
		return
	}
	s.at(b.Replica).seat.by.meets(b.Fate, b.After)
}

// ending is everything that must not depend on the replicas, their failures, or the number of deliveries.
type ending struct {
	Outcome, Received string
	Policy            string
	Revised, Steps    int
	Claimed           string
	Asked             []string
	Cards             int
	Shows             ask.State
	Waiting           int // Reminders with the note that the agent is waiting.
	Rung, Own         []string
	Trail             []string
}

// play runs a story and returns its ending.
func (s *stage) play(story story, blows []blow) ending {
	name := s.names.Replace
	req := story.Request
	req.Responders = strings.Fields(name(strings.Join(req.Responders, " ")))
	req.Schedule.Steps = slices.Clone(req.Schedule.Steps)
	for n, step := range req.Schedule.Steps {
		if step.Do == ask.Add {
			req.Schedule.Steps[n].Responders = strings.Fields(name(strings.Join(step.Responders, " ")))
		}
	}
	began, revised := time.Now(), 0
	var id string
	agentTries := func(b blow, what string, f func(r *replica) error) {
		s.strike(b)
		for try := 0; ; try++ {
			err := f(s.at(b.Replica + try))
			if err == nil {
				return
			}
			if try == 9 {
				s.t.Fatalf("the agent could not say %q: %v", what, err)
			}
			s.pass(5 * time.Second)
		}
	}
	agentTries(blows[len(blows)-1], "asks", func(r *replica) error {
		sub, err := r.Submit(s.t.Context(), req)
		id = sub.Record.ID
		return err
	})
	outcome := make(chan ask.Outcome, 1)
	waiting, leave := context.WithCancel(s.t.Context())
	defer leave()
	go s.wait(waiting, id, outcome)
	for n := range len(blows) / 2 {
		next := began.Add(time.Duration(n+1) * beat)
		s.pass(time.Until(next.Add(-time.Second)))
		s.strike(blows[2*n])
		s.pass(time.Until(next.Add(lag)))
		if n >= len(story.Actions) {
			continue
		}
		switch d := story.Actions[n]; d.What {
		case revises, replaces:
			of, questions := revised, slices.Clone(req.Questions)
			context := fmt.Sprint("revised ", n)
			v := ask.Revision{Of: &of, Context: &context}
			if d.What == replaces {
				questions[0].Text = fmt.Sprint("Which database, then? ", n)
				v.Questions = questions
			}
			agentTries(blows[2*n+1], "revises", func(r *replica) error {
				got, err := r.Talk().Revise(s.t.Context(), id, v, ask.Voting{})
				revised = got.Revised
				return err
			})
		case replies:
			agentTries(blows[2*n+1], "replies", func(r *replica) error {
				_, err := r.Talk().Reply(s.t.Context(), id, 1, fmt.Sprint("because ", n))
				if errors.Is(err, record.ErrNotAsked) || errors.Is(err, record.ErrReplied) {
					return nil
				}
				return err
			})
		case cancels:
			agentTries(blows[2*n+1], "cancels", func(r *replica) error {
				_, err := r.Cancel(s.t.Context(), id, "enough")
				return err
			})
		default:
			s.act(id, n, revised, d, blows[2*n+1])
		}
	}
	s.pass(time.Until(began.Add((beats + 2) * beat)))
	r, err := s.store.Load(s.t.Context(), id)
	if err != nil {
		s.t.Fatal(err)
	}
	return s.end(&r, outcome)
}

// act has a person do something, again if the first try failed, and twice if the platform delivers it twice.
func (s *stage) act(id string, n, revised int, d action, b blow) {
	ref, _, _, _, _ := s.room.look()
	i := platform.Interaction{
		ID: fmt.Sprint("act-", n), Order: int64(n + 1), Person: ask.Person{ID: s.names.Replace(d.Who), Name: d.Who}, Message: ref,
		Token: render.Token{Request: id, Verb: d.What, Revised: revised, Question: -1, Option: -1},
	}
	switch d.What {
	case render.Choose:
		i.Token.Question, i.Token.Option = 0, d.Option
	case render.SubmitPass:
		to := []string{"U4", "U5"}[d.Option]
		i.Chosen = &ask.Responder{Person: ask.Person{Platform: "slack", ID: s.names.Replace(to), Name: to}, Membership: ask.Member}
	case render.SubmitAsk:
		i.Texts = map[int]string{-1: "Why?"}
	}
	if d.Older && revised > 0 {
		i.Token.Revised--
	}
	s.strike(b)
	deliver := func(to int) {
		r := s.at(to)
		ctx, cancel := context.WithTimeout(s.t.Context(), 3*time.Second)
		defer cancel()
		_ = r.seat.Act(ctx, i) // The person sees the result and tries again.
	}
	if b.Twice {
		go deliver(b.Replica + 1)
	}
	deliver(b.Replica)
	s.pass(lag)
	deliver(b.Replica + 1)
	s.pass(lag / 6)
	deliver(b.Replica)
}

// wait is the agent: it waits at one replica until that stops, then at another one.
func (s *stage) wait(ctx context.Context, id string, outcome chan<- ask.Outcome) {
	for n := 0; ctx.Err() == nil; n++ {
		r, err := s.at(n).Wait(ctx, id)
		if err == nil {
			outcome <- r.Outcome
			return
		}
		select {
		case <-time.After(31 * time.Second):
		case <-ctx.Done():
		}
	}
}

func (s *stage) end(r *bridge.Record, outcome <-chan ask.Outcome) ending {
	_, card, cards, rung, own := s.room.look()
	e := ending{
		Outcome: timeless(r.Outcome), Policy: r.Policy.String(), Revised: r.Revised, Cards: cards, Shows: card.State, Rung: rung, Own: own,
	}
	select {
	case o := <-outcome:
		e.Received = timeless(o)
	default:
		e.Received = "nothing"
	}
	e.Waiting = s.room.waiting()
	for _, a := range r.AskedBack {
		e.Asked = append(e.Asked, fmt.Sprint(a.By.ID, " ", a.Text, " ", a.Reply))
	}
	if r.Schedule != nil {
		e.Steps = r.Schedule.Done
		if r.Schedule.Claim != nil {
			e.Claimed = r.Schedule.Claim.By.Key()
		}
	}
	for _, event := range r.Trail.Events {
		if event.Kind != record.EventKind("refused") { // One for each delivery.
			e.Trail = append(e.Trail, fmt.Sprint(event.Kind, " ", event.By.ID))
		}
	}
	return e
}

// moment is a JSON timestamp.
var moment = regexp.MustCompile(`"\d{4}-\d\d-\d\dT[^"]+"`)

// timeless returns an outcome without its times.
func timeless(o ask.Outcome) string {
	data, _ := json.Marshal(o) // Cannot fail.
	return moment.ReplaceAllString(string(data), `"then"`)
}

// renamed returns the ending with the names of the story.
func (e ending) renamed(names ...string) ending {
	data, _ := json.Marshal(e)
	var other ending
	_ = json.Unmarshal([]byte(strings.NewReplacer(names...).Replace(string(data))), &other)
	slices.Sort(other.Rung)
	return other
}

// blow is the failure of a replica at a beat or action, and whether the action is delivered twice.
type blow struct {
	Replica int
	Fate    fate
	After   int
	Twice   bool
}

// TestRandomCrashesKeepInvariants runs a story of people and an agent on one bridge without failures, and again on
// several replicas that die, restart, are cut off and lose replies. There, everything is delivered up to four times,
// each clock is up to ten minutes wrong and is set forward or back, and people have other names. The decision, its
// author, the notifications, the cards and the audit trail must be the same.
func TestRandomCrashesKeepInvariants(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s := drawStory(rt)
		replicas := rapid.IntRange(1, 3).Draw(rt, "replicas")
		var clocks []time.Duration
		for range replicas {
			clocks = append(clocks, time.Duration(rapid.IntRange(-600, 600).Draw(rt, "seconds ahead"))*time.Second)
		}
		blows := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) blow {
			return blow{
				Replica: rapid.IntRange(0, replicas-1).Draw(t, "replica"),
				Fate:    rapid.SampledFrom([]fate{spared, dies, done, unsure, cut, restarted, forward, backward}).Draw(t, "fate"),
				After:   rapid.IntRange(0, 4).Draw(t, "after"),
				Twice:   rapid.Bool().Draw(t, "twice"),
			}
		}), 2*beats, 2*beats).Draw(rt, "blows")
		var want, got ending
		synctest.Test(t, func(t *testing.T) {
			calm := newStage(t, []time.Duration{0})
			defer calm.close()
			want = calm.play(s, make([]blow, len(blows)))
			if want.Waiting > 0 {
				t.Errorf("reminders that say that the agent is waiting after the end: %d", want.Waiting)
			}
		})
		synctest.Test(t, func(t *testing.T) {
			stormy := newStage(t, clocks, "U1", "W1", "U2", "W2", "U3", "W3", "U4", "W4", "U5", "W5")
			defer stormy.close()
			got = stormy.play(s, blows).renamed("W1", "U1", "W2", "U2", "W3", "U3", "W4", "U4", "W5", "U5")
		})
		if diff := cmp.Diff(want, got); diff != "" {
			rt.Fatalf("it ends otherwise: %s", diff)
		}
	})
}
