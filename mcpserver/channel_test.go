package mcpserver

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

const channelPrompt = `{"jsonrpc":"2.0","method":"notifications/claude/channel/permission_request","params":{"request_id":"abcde","tool_name":"Bash","description":"Run the tests","input_preview":"{\"command\":\"npm test\"}"}}` + "\n"

// channel is the client side of a server on standard input and output, line by line.
type channel struct {
	t    testing.TB
	w    *fixture
	side net.Conn
	read chan string
	over chan error
}

func (w *fixture) channel() *channel {
	w.t.Helper()
	here, there := net.Pipe()
	c := &channel{w.t, w, here, make(chan string, 16), make(chan error, 1)}
	ctx, end := context.WithCancel(context.Background())
	w.all.Go(func() { c.over <- w.server.Serve(ctx, w.bridge, there, there) })
	w.all.Go(func() {
		for lines := bufio.NewReader(here); ; {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			c.read <- line
		}
	})
	w.stopping = append(w.stopping, func() { here.Close(); end() })
	return c
}

func (c *channel) say(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.side, line); err != nil {
		c.t.Fatal(err)
	}
	synctest.Wait()
}

// next returns the next message to the client, or "" if there is none.
func (c *channel) next() string {
	synctest.Wait()
	select {
	case line := <-c.read:
		return line
	default:
		return ""
	}
}

// cards returns the open requests.
func (c *channel) cards() []bridge.Record {
	c.t.Helper()
	all, err := c.w.bridge.List(c.t.Context(), bridge.Query{All: true})
	if err != nil {
		c.t.Fatal(err)
	}
	return all
}

func (c *channel) press(r *bridge.Record, who string, verb render.Verb, option int) {
	c.w.slack.Act(c.t.Context(), platform.Interaction{
		Person: ask.Person{ID: who, Name: who}, Message: r.Copies[0].Ref,
		Token: render.Token{Request: r.ID, Verb: verb, Question: 0, Option: option},
	})
	synctest.Wait()
}

func relaying() *Options { return &Options{Session: "s1", Permitters: []string{"slack:U0000001"}} }

func TestChannelPermissionIsDecidedInChat(t *testing.T) {
	for option, behavior := range map[int]string{0: "allow", 1: "deny"} {
		t.Run(behavior, func(t *testing.T) {
			bubble(t, relaying(), func(t *testing.T, w *fixture) {
				c := w.channel()
				c.say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"claude-code","version":"2.1.240"}}}` + "\n")
				if got := c.next(); !strings.Contains(got, `"claude/channel":{}`) || !strings.Contains(got, `"claude/channel/permission":{}`) {
					t.Errorf("it can %s", got)
				}
				c.say(channelPrompt)
				cards := c.cards()
				if len(cards) != 1 {
					t.Fatalf("%d cards", len(cards))
				}
				r := cards[0]
				if q := r.Questions[0]; q.Text != "May the agent use Bash?" || q.Options[0].Preview != `{"command":"npm test"}` || !q.NoOther || r.Context != "Run the tests" {
					t.Errorf("asked: %+v", r.Questions)
				}
				c.press(&r, "U0000009", render.Choose, option)
				if got := c.next(); got != "" {
					t.Errorf("a stranger decides: %s", got)
				}
				c.press(&r, "U0000001", render.Choose, option)
				want := fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/claude/channel/permission","params":{"behavior":%q,"request_id":"abcde"}}`+"\n", behavior)
				if got := c.next(); got != want {
					t.Errorf("got %s", got)
				}
			})
		})
	}
}

func TestUnansweredChannelPromptSendsNoVerdict(t *testing.T) {
	bubble(t, relaying(), func(t *testing.T, w *fixture) {
		c := w.channel()
		c.say(channelPrompt)
		time.Sleep(channelTime + time.Minute)
		if got := c.next(); got != "" || len(c.cards()) > 0 {
			t.Errorf("got %s, %d cards", got, len(c.cards()))
		}
	})
}

func TestChannelCardEndsWithSession(t *testing.T) {
	bubble(t, relaying(), func(t *testing.T, w *fixture) {
		c := w.channel()
		c.say(channelPrompt)
		r := c.cards()[0]
		c.side.Close()
		if err := <-c.over; err != nil {
			t.Error(err)
		}
		last, err := w.bridge.Load(t.Context(), r.ID)
		if err != nil || last.Outcome.State != ask.Cancelled || last.Outcome.Reason != "the agent's session has ended" {
			t.Errorf("the card: %+v, %v", last.Outcome, err)
		}
	})
}

func TestWhatCannotBeShownWholeIsNotRelayed(t *testing.T) {
	bubble(t, relaying(), func(t *testing.T, w *fixture) {
		c := w.channel()
		for name, line := range map[string]string{
			"too long":     strings.Replace(channelPrompt, "npm test", strings.Repeat("x", maxPreview), 1),
			"far too long": strings.Replace(channelPrompt, "npm test", strings.Repeat("x", 200<<10), 1),
			"two tools":    strings.Replace(channelPrompt, `"tool_name":"Bash"`, `"tool_name":"Read","tool_name":"Bash"`, 1),
			"no id":        strings.Replace(channelPrompt, "abcde", "", 1),
		} {
			c.say(line)
			if n := len(c.cards()); n > 0 {
				t.Errorf("%s: %d cards", name, n)
			}
		}
	})
}

func TestWithoutPermittersThereIsNoChannel(t *testing.T) {
	bubble(t, &Options{}, func(t *testing.T, w *fixture) {
		c := w.channel()
		c.say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"claude-code","version":"2.1.240"}}}` + "\n")
		if got := c.next(); strings.Contains(got, "claude/channel") {
			t.Errorf("it can %s", got)
		}
		c.say(channelPrompt)
		if n := len(c.cards()); n > 0 {
			t.Errorf("%d cards", n)
		}
	})
}
