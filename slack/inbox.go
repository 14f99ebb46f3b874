package slack

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/blockkit"
)

// Command is the app's slash command, and EventHome the event when a person opens its Home tab
// (https://docs.slack.dev/reference/events/app_home_opened).
const (
	Command   = "/askbridge"
	EventHome = "app_home_opened"
)

const (
	// homeTab is the type of the view on the Home tab, and its name in the event.
	homeTab = "home"
	// inboxMark is the value of the controls of an inbox in an ephemeral message.
	inboxMark = "inbox"
	// homeLife is how long a Home tab is kept up to date after the person opened or used it.
	homeLife = time.Hour
	// maxHomes is the maximum number of Home tabs whose last version is remembered.
	maxHomes = 2000
)

// tab is where a person sees their inbox: the app's Home tab, or an ephemeral message with a reply URL.
type tab struct {
	in     *workspace
	person string
	home   bool
	// url is a credential: never log it.
	url string
	// replaces means that the message of the URL is the inbox itself.
	replaces bool
}

// show shows the inbox.
func (t tab) show(ctx context.Context, card render.Card) error {
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), tellTime, errTellTime)
	defer cancel()
	blocks, text := blockkit.Message(t.in.directory.naming(ctx, card))
	if t.home {
		return t.in.publish(ctx, t.person, blocks)
	}
	carry(blocks, inboxMark)
	return t.in.api.replyTo(ctx, t.url, privateReply{Type: "ephemeral", Replace: t.replaces, Text: text, Blocks: blocks})
}

func (t tab) life() time.Duration {
	if t.home {
		return homeLife
	}
	return 0 // A reply URL works five times.
}

// homes remembers the version of each Home tab that was published last, so that a version drawn earlier never replaces
// a later one of another replica.
type homes struct {
	mu     sync.Mutex
	hashes map[string]string
}

func (h *homes) get(person string) *string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if hash, known := h.hashes[person]; known {
		return &hash
	}
	return nil
}

func (h *homes) set(person, hash string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.hashes == nil || len(h.hashes) >= maxHomes {
		h.hashes = map[string]string{}
	}
	if delete(h.hashes, person); hash != "" {
		h.hashes[person] = hash
	}
}

// publish replaces a person's Home tab. If someone else has done so meanwhile it returns a [platform.Transient] error:
// what to show has to be read again (https://docs.slack.dev/reference/methods/views.publish).
func (w *workspace) publish(ctx context.Context, person string, blocks []slackapi.Block) error {
	view := slackapi.HomeTabViewRequest{Type: slackapi.VTHomeTab, Blocks: slackapi.Blocks{BlockSet: blocks}}
	err := w.api.do(ctx, call{op: "views.publish"}, func(ctx context.Context) error {
		shown, err := w.api.sdk().PublishViewContext(ctx, slackapi.PublishViewContextRequest{UserID: person, View: view, Hash: w.homes.get(person)})
		if err == nil {
			w.homes.set(person, shown.Hash)
		}
		return err
	})
	if e, ok := errors.AsType[*platform.Error](err); ok && e.Code == "hash_conflict" {
		w.homes.set(person, "")
		again := *e
		again.Kind = platform.Transient
		return &again
	}
	return err
}

// opener responds to a person who opens their inbox.
type opener struct {
	*speaker
	tab
}

var _ platform.InboxResponder = (*opener)(nil)

// ShowInbox acknowledges and shows the inbox.
func (o *opener) ShowInbox(ctx context.Context, card render.Card) error {
	return errors.Join(o.Ack(ctx), o.show(ctx, card))
}

// InboxLife returns how long changes can be shown.
func (o *opener) InboxLife() time.Duration { return o.life() }

// ReplyEphemeral shows a note in place of the inbox.
func (o *opener) ReplyEphemeral(ctx context.Context, n platform.Note) error {
	note := render.Section{Kind: render.Body, ID: "note", Text: o.speaker.in.directory.wording(n)}
	return o.ShowInbox(ctx, render.Card{Request: render.InboxID, Summary: note.Text, Sections: []render.Section{note}})
}

// ShowInbox shows the inbox in which the person acted. It implements [platform.InboxResponder].
func (r *responder) ShowInbox(ctx context.Context, card render.Card) error {
	return errors.Join(r.Ack(ctx), r.p.tab(r.in).show(ctx, card))
}

// InboxLife returns how long changes can be shown.
func (r *responder) InboxLife() time.Duration { return r.p.tab(r.in).life() }

// tab returns the inbox on which the person acted.
func (p *payload) tab(in *workspace) tab {
	address := p.ResponseURL
	if p.Type == viewSubmission {
		_, address, _ = p.View.inbox()
	}
	return tab{in: in, person: p.User.ID, home: address == "", url: address, replaces: true}
}

// inInbox reports whether the used control, or the one that opened the form, is in an inbox.
func (p *payload) inInbox() bool {
	if p.Type == viewSubmission {
		_, _, ok := p.View.inbox()
		return ok
	}
	return p.View.Type == homeTab || p.Container.Ephemeral && p.used().Value == inboxMark
}

// stampedInInbox appends to a form's private_metadata that it was opened in an inbox, when, and where that can be
// replaced. Slack returns a form's metadata to the app alone.
func stampedInInbox(token, pressed, address string) string {
	return strings.Join([]string{token, inboxMark, pressed, address}, stampMark)
}

// inbox parses the output of stampedInInbox. The address is empty for the Home tab.
func (v *view) inbox() (pressed, address string, ok bool) {
	parts := strings.Split(v.PrivateMetadata, stampMark)
	if len(parts) != 4 || parts[1] != inboxMark {
		return "", "", false
	}
	return parts[2], parts[3], true
}

// homeOpened shows a person their inbox on the Home tab.
func (c *Connector) homeOpened(w *workspace, e *event, when arrival, reply replier) fate {
	team, enterprise := e.installation()
	p := payload{AppID: e.AppID, Team: named{team}, Enterprise: named{enterprise}, User: user{ID: e.Message.User}}
	if us := w.self.home(); us.id != "" {
		p.Wide = truth(us.wide && e.owner() == us.id)
	}
	if e.Message.Tab != homeTab || e.Message.User == "" || p.foreign(w.self.home()) {
		return dropped
	}
	order, _ := microseconds(e.Message.EventTS)
	return c.openInbox(&p, tab{in: w, person: p.User.ID, home: true}, fingerprint(EventHome, team, p.User.ID, e.Message.EventTS), order, render.InboxToken(0), when, reply)
}

// typedCommand contains the members of a slash command that are used
// (https://docs.slack.dev/interactivity/implementing-slash-commands).
type typedCommand struct {
	Command    string `json:"command"`
	Text       string `json:"text"`
	User       string `json:"user_id"`
	Team       string `json:"team_id"`
	Enterprise string `json:"enterprise_id"`
	App        string `json:"api_app_id"`
	Wide       truth  `json:"is_enterprise_install"`
	// Trigger and ReplyURL are credentials: never log them.
	Trigger  string `json:"trigger_id"`
	ReplyURL string `json:"response_url"`
}

// commanded shows a person their inbox, or how to use the command.
func (c *Connector) commanded(raw []byte, when arrival, reply replier) fate {
	var typed typedCommand
	if err := connector.ReadLoosely(raw, &typed); err != nil {
		c.log.Warn("unreadable slack command", "bytes", len(raw))
		return dropped
	}
	p := payload{AppID: typed.App, Team: named{typed.Team}, Enterprise: named{typed.Enterprise}, Wide: typed.Wide, User: user{ID: typed.User}}
	w, err := c.receiving(p.owner())
	if err != nil {
		return c.unserved(err, p.owner())
	}
	if typed.User == "" || typed.ReplyURL == "" || p.foreign(w.self.home()) {
		c.log.Info("slack command ignored", "team", typed.Team, "app", typed.App)
		return dropped
	}
	token := render.InboxToken(0)
	if words := strings.ToLower(strings.TrimSpace(typed.Text)); !slices.Contains([]string{"", "inbox"}, words) {
		token = render.InboxHelp()
	}
	return c.openInbox(&p, tab{in: w, person: typed.User, url: typed.ReplyURL}, fingerprint(Command, typed.Team, typed.User, typed.Trigger), when.at.UnixMicro(), token, when, reply)
}

// openInbox passes a person's wish to see their inbox to the bridge.
func (c *Connector) openInbox(p *payload, t tab, id string, order int64, token render.Token, when arrival, reply replier) fate {
	us := t.in.self.home()
	i := platform.Interaction{
		ID: id, Order: order, Person: ask.Person{Platform: Name, ID: p.User.ID}, Membership: p.membership(us),
		Message: inboxRef(), Token: token, Inbox: true,
	}
	i = us.own(i)
	t.in.directory.introduce(&i)
	o := &opener{&speaker{in: t.in, person: p.User.ID, reply: reply}, t}
	if !c.acts.Begin(when.at, connector.HandlerTime, i, o) {
		return busy
	}
	return begun
}

// inboxRef is the reference of an act in an inbox, which is no posted message.
func inboxRef() platform.MessageRef { return platform.MessageRef{Platform: Name} }

// commandOf returns a slash command that arrived as a form as JSON, or false for another form.
func commandOf(form []byte) ([]byte, bool) {
	if _, ok := field(form, "command"); !ok {
		return nil, false
	}
	values, err := url.ParseQuery(string(form))
	if err != nil {
		return nil, false
	}
	members := map[string]string{}
	for name := range values {
		members[name] = values.Get(name)
	}
	raw, err := json.Marshal(members)
	return raw, err == nil
}
