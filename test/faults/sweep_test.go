//go:build faults

package faults

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/test/redistest"
)

// killer kills a replica at its nth message, before it passes. Zero kills none.
type killer struct {
	at     int
	victim func() *Replica

	mu     sync.Mutex
	armed  bool
	labels []string
}

func (k *killer) hook(m Message) Fate {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.armed {
		return Pass
	}
	k.labels = append(k.labels, m.Label())
	if len(k.labels) == k.at {
		k.victim().Strike()
		return Cut
	}
	return Pass
}

// arm starts or stops counting.
func (k *killer) arm(on bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.armed = on
}

// counted lists the messages up to the last counted one.
func (k *killer) counted() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append([]string{}, k.labels...)
}

// life runs the whole life of a question, in which the replica is killed at its nth message to or from the agent, a
// platform or Redis, and then restarted. It returns the messages up to the kill.
func life(t *testing.T, redis *redistest.Server, platform string, at int) []string {
	t.Helper()
	s := onlyOn(platform, redis)
	s.Prefix = fmt.Sprintf("%s%d", platform, at)
	w := NewWorld(t, s)
	k := &killer{at: at}
	w.OnMessage = k.hook
	first := w.Start()
	k.victim = func() *Replica { return first }
	k.arm(true)
	a := w.Asks(Question(platform, "k"))
	dana := w.Dana(platform)
	var (
		again   *Replica
		pressed bool
		presses int
	)
	Await(w, "the end of the life", func() bool {
		if first.Gone() && again == nil {
			again = w.Start()
		}
		sees := dana.Sees()
		if strings.Contains(sees, "[SQLite]") && !pressed {
			presses++
			// An acknowledged click is not repeated.
			pressed = dana.Presses("SQLite") == nil
		}
		return !a.Waits() && Closed(sees)
	})
	k.arm(false)
	messages := k.counted()
	if at > 0 && at <= len(messages) && again == nil {
		first.Dies()
		w.Start()
	}
	r := a.Ends()
	answered(t, r, "SQLite")
	if r.By.Key() != dana.ID {
		t.Errorf("decided by %s", r.By.Key())
	}
	if n, most := w.posted(platform), map[string]int{Slack: 2, Discord: 1}[platform]; n > most {
		t.Errorf("%d cards were posted", n)
	}
	if seen := w.Gets(r.ID); seen.State != ask.Answered || seen.Text != r.Text {
		t.Errorf("the agent has %q, and it is kept as %s %q", r.Text, seen.State, seen.Text)
	}
	if at > 0 && at <= len(messages) {
		t.Logf("killed at message %d, %s; pressed %d times", at, messages[at-1], presses)
	}
	return messages
}

// steps are the moments of a life at which a kill must have been tried, each as part of the message that ends it.
var steps = map[string]map[string]string{
	"before the question is stored":                  {Slack: "call of redis: zadd", Discord: "call of redis: zadd"},
	"before the post":                                {Slack: "chat.postMessage", Discord: DiscordChannel + "/messages HTTP"},
	"after the post, before the reference is saved":  {Slack: "reply from slack", Discord: "reply from discord"},
	"before the click is recorded":                   {Slack: "call of redis: evalsha", Discord: "call of redis: evalsha"},
	"after the click is recorded, before the update": {Slack: "chat.update", Discord: "reply from replica"},
	"before the answer is delivered":                 {Slack: "reply from replica", Discord: "reply from replica"},
}

// TestStoreOutageDoesNotPostTwice takes the store down between a post and the write of its message ID.
func TestStoreOutageDoesNotPostTwice(t *testing.T) {
	t.Parallel()
	w := alone(t, Slack)
	r := w.Start()
	r.ToSlack.AtReply(posting[Slack], func() Fate {
		r.ToRedis.Down()
		return Pass
	})
	a := w.Asks(Question(Slack, "k"))
	dana := w.Dana(Slack)
	dana.Awaits("[SQLite]")
	Await(w, "the failed note", func() bool {
		return strings.Count(strings.Join(r.w.Lines("delivery result not stored"), ""), "msg") >= 3
	})
	r.ToRedis.Heal()
	dana.Insists("SQLite")
	answered(t, a.Ends(), "SQLite")
	dana.AwaitsClosed()
	if n := w.posted(Slack); n != 1 {
		t.Errorf("%d cards were posted", n)
	}
}

// TestKilledAtEveryMessage kills the replica at each message of a life in turn.
func TestKilledAtEveryMessage(t *testing.T) {
	t.Parallel()
	for _, platform := range []string{Slack, Discord} {
		t.Run(platform, func(t *testing.T) {
			t.Parallel()
			redis := redistest.Start(t)
			whole := life(t, redis, platform, 0)
			t.Logf("a life is %d messages: %q", len(whole), whole)
			for step, text := range steps {
				if !strings.Contains(strings.Join(whole, "\n"), text[platform]) {
					t.Errorf("no message of the life-cycle marks the moment %s", step)
				}
			}
			for n := range whole {
				t.Run(fmt.Sprintf("message %d", n+1), func(t *testing.T) {
					t.Parallel()
					life(t, redis, platform, n+1)
				})
			}
		})
	}
}
