package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	dgo "github.com/bwmarrin/discordgo"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/internal/rawjson"
)

// callTimeout bounds one call of the REST API.
const callTimeout = 5 * time.Second

// userAgent is the form Discord wants
// (https://docs.discord.com/developers/reference#user-agent).
const userAgent = "DiscordBot (https://github.com/askbridge/askbridge, 1)"

// The calls we make, by the names of Discord's documentation.
const (
	opApplication = "Get Current Application"
	opCallback    = "Create Interaction Response"
	opChannel     = "Get Channel"
	opDM          = "Create DM"
	opEdit        = "Edit Message"
	opFollowUp    = "Create Followup Message"
	opGateway     = "Get Gateway Bot"
	opHistory     = "Get Channel Messages"
	opModify      = "Modify Channel"
	opOriginal    = "Edit Original Interaction Response"
	opPost        = "Create Message"
	opUser        = "Get Current User"
)

var (
	errCallTimeout = errors.New("discord: no reply in time")
	errUnreadable  = errors.New("discord: the reply is not what discord sends")
)

// call is one route in one lane. Discord limits most routes per channel
// (https://docs.discord.com/developers/topics/rate-limits), so what one lane has
// to wait for does not hold up another.
type call struct {
	op   string
	lane string
	// once says that doing it twice does two things.
	once bool
	// files says that some come along, which takes a permission of its own
	// (https://docs.discord.com/developers/topics/permissions#permissions-bitwise-permission-flags).
	files bool
}

// own reports whether the call carries an interaction's token in place of ours.
func (k call) own() bool { return k.op == opCallback || k.op == opFollowUp || k.op == opOriginal }

// route is where a call goes and what it carries.
type route struct {
	method, path string
	body         body // nil for nothing
	files        []ask.File
}

// body is an object that writes its members.
type body interface{ write(o *rawjson.Object) }

// only is a body of one member.
type only struct {
	name  string
	value any
}

func (b only) write(o *rawjson.Object) { o.Any(b.name, b.value) }

// encode returns a body as JSON.
func encode(b body) ([]byte, error) {
	const everyday = 2 << 10
	o := rawjson.Object{JSON: make([]byte, 0, everyday)}
	o.Open()
	b.write(&o)
	o.Shut()
	if o.Err != nil {
		return nil, fmt.Errorf("discord: encode: %w", o.Err)
	}
	return o.JSON, nil
}

// encode returns the body as it is sent, and its type. Files stand behind the JSON, in parts
// of their own (https://docs.discord.com/developers/reference#uploading-files).
func (r route) encode() (contentType string, content []byte, err error) {
	if r.body == nil {
		return "application/json", nil, nil
	}
	if content, err = encode(r.body); err != nil || len(r.files) == 0 {
		return "application/json", content, err
	}
	var files []*dgo.File
	for _, f := range r.files {
		files = append(files, &dgo.File{Name: f.Name, ContentType: "text/plain; charset=utf-8", Reader: strings.NewReader(f.Text)})
	}
	if contentType, content, err = dgo.MultipartBodyWithJSON(json.RawMessage(content), files); err != nil {
		return "", nil, fmt.Errorf("discord: encode: %w", err)
	}
	return contentType, content, nil
}

// do makes one call: not before its time, not for ever, and never again on its
// own. Its errors are of type [*bridge.PlatformError].
func (c *Connector) do(ctx context.Context, k call, r route, out any) error {
	if err := c.gate.enter(ctx, k); err != nil {
		return err
	}
	defer c.gate.leave(k)
	if e := c.attempt(ctx, k, r, out); e != nil {
		return e
	}
	return nil
}

// attempt is do without regard for what Discord asked earlier; an interaction's
// own routes, for one, need no bot token and have limits of their own.
func (c *Connector) attempt(ctx context.Context, k call, r route, out any) *bridge.PlatformError {
	if err := ctx.Err(); err != nil {
		return classify(k, nil, err, false)
	}
	started := time.Now()
	line := &line{to: c.to, next: c.transport}
	sent, err := connector.Try(ctx, callTimeout, errCallTimeout, func(ctx context.Context) error {
		return c.request(ctx, line, r, out)
	})
	if err == nil {
		c.gate.passed(k, line.quota, time.Now())
		return nil
	}
	e := classify(k, line.refused, err, sent)
	c.gate.failed(k, e, line.refused, time.Now())
	connector.Report(c.log, e, time.Since(started))
	return e
}

// request sends one call through discordgo and decodes the reply into out.
//
// discordgo keeps a bucket for each address and waits inside it, without regard
// for the context. Interactions have addresses of their own, which hold a token
// and would stay in memory for ever. So each call brings a bucket that nobody
// else has, the line hides the headers it would wait for, and the gate does what
// they ask.
func (c *Connector) request(ctx context.Context, l *line, r route, out any) error {
	contentType, body, err := r.encode()
	if err != nil {
		return err
	}
	client := &http.Client{
		Transport: l, Timeout: 2 * callTimeout, // The context is stricter.
		// A redirect would carry tokens elsewhere, and Discord's API never sends one.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	bucket := &dgo.Bucket{}
	bucket.Lock() // discordgo unlocks it.
	reply, err := c.api.RequestWithLockedBucket(r.method, dgo.EndpointAPI+r.path, contentType, body, bucket, 0,
		dgo.WithContext(ctx), dgo.WithClient(client), dgo.WithRetryOnRatelimit(false), dgo.WithRestRetries(0))
	if l.refused != nil {
		return l.refused
	}
	if err != nil {
		return plain(err)
	}
	if out == nil {
		return nil
	}
	if err := connector.ReadLoosely(reply, out); err != nil {
		return fmt.Errorf("%w: %w", errUnreadable, err)
	}
	return nil
}

// newSession returns a discordgo session for calls, which never acts on its own.
func newSession(token string) (*dgo.Session, error) {
	s, err := dgo.New("Bot " + token)
	if err != nil {
		return nil, fmt.Errorf("discord: session: %w", err)
	}
	s.UserAgent = userAgent
	s.LogLevel = -1 // discordgo would write to the standard logger.
	s.MaxRestRetries = 0
	s.ShouldRetryOnRateLimit = false
	s.StateEnabled = false
	return s, nil
}
