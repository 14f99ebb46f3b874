package slack

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/blockkit"
)

const (
	// homeLife is how long a Home tab is kept up to date after the person opened or used it.
	homeLife = time.Hour
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

// inboxes opens inboxes.
type inboxes struct {
	log  *slog.Logger
	acts *connector.Acts
	// receiving returns the workspace that an installation names, unserved what to do without one.
	receiving func(installation string) (*workspace, error)
	unserved  func(err error, installation string) fate
}

// homeOpened shows a person their inbox on the Home tab.
func (x *inboxes) homeOpened(w *workspace, e *event, when arrival, reply replier) fate {
	p := e.envelope(w.self.home())
	if e.Message.Tab != homeTab || e.Message.User == "" || p.foreign(w.homeFor(&p)) {
		return dropped
	}
	order, _ := microseconds(e.Message.EventTS)
	return x.open(&p, tab{in: w, person: p.User.ID, home: true}, fingerprint(EventHome, p.Team.ID, p.User.ID, e.Message.EventTS), order, render.InboxToken(0), when, reply)
}

// commanded shows a person their inbox, or how to use the command.
func (x *inboxes) commanded(raw []byte, when arrival, reply replier) fate {
	var typed typedCommand
	if err := connector.ReadLoosely(raw, &typed); err != nil {
		x.log.Warn("unreadable slack command", "bytes", len(raw))
		return dropped
	}
	p := payload{AppID: typed.App, Team: named{typed.Team}, Enterprise: named{typed.Enterprise}, Wide: typed.Wide, User: user{ID: typed.User}}
	w, err := x.receiving(p.owner())
	if err != nil {
		return x.unserved(err, p.owner())
	}
	if typed.User == "" || typed.ReplyURL == "" || p.foreign(w.homeFor(&p)) {
		x.log.Info("slack command ignored", "team", typed.Team, "app", typed.App)
		return dropped
	}
	token := render.InboxToken(0)
	if words := strings.ToLower(strings.TrimSpace(typed.Text)); !slices.Contains([]string{"", "inbox"}, words) {
		token = render.InboxHelp()
	}
	return x.open(&p, tab{in: w, person: typed.User, url: typed.ReplyURL}, fingerprint(Command, typed.Team, typed.User, typed.Trigger), when.at.UnixMicro(), token, when, reply)
}

// open passes a person's wish to see their inbox to the bridge.
func (x *inboxes) open(p *payload, t tab, id string, order int64, token render.Token, when arrival, reply replier) fate {
	us := t.in.self.home()
	i := platform.Interaction{
		ID: id, Order: order, Person: ask.Person{Platform: Name, ID: p.User.ID}, Membership: p.membership(us),
		Message: inboxRef(), Token: token, Inbox: true,
	}
	i = us.own(i)
	t.in.directory.introduce(&i)
	o := &opener{&speaker{in: t.in, person: p.User.ID, reply: reply}, t}
	if !x.acts.Begin(when.at, connector.HandlerTime, i, o) {
		return busy
	}
	return begun
}
