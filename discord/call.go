package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	dgo "github.com/bwmarrin/discordgo"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/platform"
)

// callTimeout limits one call of the REST API.
const callTimeout = 5 * time.Second

// userAgent has the required format (https://docs.discord.com/developers/reference#user-agent).
const userAgent = "DiscordBot (https://github.com/askbridge/askbridge, 1)"

// The calls, named as in Discord's documentation.
const (
	opApplication = "Get Current Application"
	opCallback    = "Create Interaction Response"
	opChannel     = "Get Channel"
	opDM          = "Create DM"
	opDelete      = "Delete Message"
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

// call identifies one route and its rate limit. Discord limits most routes per channel
// (https://docs.discord.com/developers/topics/rate-limits), so waiting on one limit must not
// delay the others.
type call struct {
	op    string
	place string
	// once means that the call is not idempotent.
	once bool
	// files means that the call uploads files, which needs a separate permission
	// (https://docs.discord.com/developers/topics/permissions#permissions-bitwise-permission-flags).
	files bool
}

// own reports whether the call uses an interaction token instead of the bot token.
func (k call) own() bool { return k.op == opCallback || k.op == opFollowUp || k.op == opOriginal }

// route is the URL and the body of a call.
type route struct {
	method, path string
	body         any // nil for none
	files        []ask.File
}

// encode returns the encoded body and its content type. Files follow the JSON as multipart
// parts (https://docs.discord.com/developers/reference#uploading-files).
func (r route) encode() (contentType string, content []byte, err error) {
	if r.body == nil {
		return "application/json", nil, nil
	}
	if content, err = json.Marshal(r.body); err != nil {
		return "", nil, fmt.Errorf("discord: encode: %w", err)
	}
	if len(r.files) == 0 {
		return "application/json", content, nil
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

// restAPI makes the calls of Discord's REST API with the bot token and within its rate limits.
type restAPI struct {
	to      *address
	next    http.RoundTripper
	session *dgo.Session // for calls only
	log     *slog.Logger
	limiter limiter
}

// do makes one call, with a timeout, not before the rate limit allows it, and without retries.
// Its errors are of type [*platform.Error].
func (a *restAPI) do(ctx context.Context, k call, r route, out any) error {
	if err := a.limiter.enter(ctx, k); err != nil {
		return err
	}
	defer a.limiter.leave(k)
	if e := a.attempt(ctx, k, r, out); e != nil {
		return e
	}
	return nil
}

// attempt is do without checking the rate limit and the token. An interaction's own routes, for
// example, need no bot token and have separate limits.
func (a *restAPI) attempt(ctx context.Context, k call, r route, out any) *platform.Error {
	if err := ctx.Err(); err != nil {
		return classify(k, nil, err, false)
	}
	started := time.Now()
	t := &callTransport{to: a.to, next: a.next}
	sent, err := connector.Try(ctx, callTimeout, errCallTimeout, func(ctx context.Context) error {
		return a.request(ctx, t, r, out)
	})
	if err == nil {
		a.limiter.passed(k, t.quota, time.Now())
		return nil
	}
	e := classify(k, t.refused, err, sent)
	a.limiter.failed(k, e, t.refused, time.Now())
	connector.Report(a.log, e, time.Since(started))
	return e
}

// request makes one call through discordgo and decodes the response into out.
//
// discordgo keeps a rate-limit bucket per URL and waits inside it, ignoring the context.
// Interaction URLs contain a token and would stay in memory forever. So each call uses a new
// bucket, the transport hides the headers that discordgo would wait for, and the limiter applies them
// instead.
func (a *restAPI) request(ctx context.Context, t *callTransport, r route, out any) error {
	contentType, body, err := r.encode()
	if err != nil {
		return err
	}
	client := &http.Client{
		Transport: t, Timeout: 2 * callTimeout, // The context has an earlier deadline.
		// A redirect would send tokens elsewhere, and Discord's API never redirects.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	bucket := &dgo.Bucket{}
	bucket.Lock() // discordgo unlocks it.
	reply, err := a.session.RequestWithLockedBucket(r.method, dgo.EndpointAPI+r.path, contentType, body, bucket, 0,
		dgo.WithContext(ctx), dgo.WithClient(client), dgo.WithRetryOnRatelimit(false), dgo.WithRestRetries(0))
	if t.refused != nil {
		return t.refused
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

// newSession returns a discordgo session that only makes calls.
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
