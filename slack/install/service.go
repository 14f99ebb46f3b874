package install

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/internal/wait"
	"github.com/askbridge/askbridge/slack"
	"github.com/askbridge/askbridge/store/keyvalue"
)

const (
	// refreshBefore is how long before its end a token is refreshed
	// (https://docs.slack.dev/authentication/using-token-rotation).
	refreshBefore = 2 * time.Hour
	// leaseTime is how long one replica alone may refresh an installation. A failed refresh is not
	// repeated sooner.
	leaseTime = 30 * time.Second
	// leasePoll is how often to look for a token that another replica is refreshing.
	leasePoll = 100 * time.Millisecond
	// callTimeout limits one call of Slack.
	callTimeout = 5 * time.Second
	// settleEvery is how often to look for removals that another replica has not finished.
	settleEvery = 5 * time.Minute
)

const (
	kindInstallation = "installation"
	kindLease        = "install-lease"
	kindState        = "install-state"
	ofSlack          = slack.Name + "/"
)

// Options configure a [Service].
type Options struct {
	// ClientID and ClientSecret are the app's.
	ClientID, ClientSecret string
	// Address is the public https address of the bridge. Slack sends people back to it.
	Address string
	// Allow lists the workspaces and organizations that may install the app; with Invitations also those
	// with an invitation may, and with Anyone all.
	Allow       []string
	Invitations bool
	Anyone      bool
	// Scopes are the scopes to ask for.
	Scopes []string
	// APIURL replaces https://slack.com/api/.
	APIURL string
	// HTTPClient makes the calls. Nil uses a new client.
	HTTPClient *http.Client
	// Values returns the key-value store, whose values must be sealed.
	Values func() keyvalue.Store
	// Logger receives messages for operators. Nil discards them.
	Logger *slog.Logger
}

// Service installs the app and keeps the installations. It is safe for concurrent use.
type Service struct {
	o    Options
	log  *slog.Logger
	left chan struct{} // receives a value after a removal or the end of a token

	mu     sync.Mutex
	counts Counts
}

var _ slack.Installations = (*Service)(nil)

// New returns a service, or every error in the options. It makes no calls.
func New(o Options) (*Service, error) {
	all := &connector.SettingsError{Platform: slack.Name}
	if o.ClientSecret == "" {
		all.Add("", "client_secret is missing: it is under Basic Information, App Credentials")
	}
	if u, err := url.Parse(o.Address); err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		all.Add("install.address", "is %q: it must be the bridge's public address, such as https://ask.example.com", o.Address)
	}
	if o.Anyone == (len(o.Allow) > 0 || o.Invitations) {
		all.Add("install", "must say who may install the app: list workspaces (T…) and organisations (E…) under allow, or set invitations: true or both, or anyone: true")
	}
	for n, id := range o.Allow {
		if !installed.MatchString(id) {
			all.Add(fmt.Sprintf("install.allow[%d]", n), "is %q: workspaces look like T0123ABCD and organisations like E0123ABCD", id)
		}
	}
	if len(all.Problems) > 0 {
		return nil, all
	}
	o.Address = strings.TrimSuffix(o.Address, "/")
	if o.APIURL == "" {
		o.APIURL = slackapi.APIURL
	}
	o.APIURL = strings.TrimSuffix(o.APIURL, "/") + "/"
	if o.HTTPClient == nil {
		o.HTTPClient = connector.NewClient(callTimeout)
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &Service{o: o, log: o.Logger.With("platform", slack.Name), left: make(chan struct{}, 1)}, nil
}

// saved is the stored value of an installation. Its names are final.
type saved struct {
	ID         string    `json:"id"`
	Name       string    `json:"name,omitempty"`
	Enterprise string    `json:"enterprise,omitempty"`
	App        string    `json:"app"`
	BotUser    string    `json:"bot_user"`
	BotID      string    `json:"bot_id,omitempty"`
	Address    string    `json:"address,omitempty"`
	Scopes     []string  `json:"scopes,omitempty"`
	By         string    `json:"by,omitempty"`
	At         time.Time `json:"at"`
	Token      string    `json:"token,omitempty"`
	Refresh    string    `json:"refresh,omitempty"`
	Expires    time.Time `json:"expires,omitzero"`
	// Dead is the code with which Slack refused the token, and Stuck that with which it refused the
	// refresh token, without which the token works until it expires.
	Dead  string `json:"dead,omitempty"`
	Stuck string `json:"stuck,omitempty"`
	// Leaving is why the installation was removed. It has no token then, and its open requests
	// have to end.
	Leaving string `json:"leaving,omitempty"`
}

// public returns the installation for the connector.
func (s *saved) public() slack.Installation {
	if s == nil {
		return slack.Installation{}
	}
	return slack.Installation{
		ID: s.ID, Enterprise: s.Enterprise, App: s.App, BotUser: s.BotUser, BotID: s.BotID, Address: s.Address,
		Token: s.Token, Expires: s.Expires,
	}
}

// expiring reports whether the token has to be refreshed.
func (s *saved) expiring(now time.Time) bool {
	return s.Refresh != "" && s.Dead == "" && s.Expires.Sub(now) < refreshBefore
}

// refreshable reports whether the token is still the refused one, or has to be refreshed.
func (s *saved) refreshable(refused string) bool {
	return s.Refresh != "" && s.Dead == "" && s.Token == refused || s.expiring(time.Now())
}

func keyOf(id string) keyvalue.Key {
	return keyvalue.Key{Kind: kindInstallation, ID: ofSlack + id}
}

func decode(e keyvalue.Entry) (*saved, error) {
	var s saved
	if err := json.Unmarshal(e.Value, &s); err != nil {
		return nil, fmt.Errorf("slack: stored installation %s: unreadable", e.Key.ID)
	}
	return &s, nil
}

// load reads an installation with its version.
func (s *Service) load(ctx context.Context, id string) (*saved, string, error) {
	e, err := s.o.Values().Get(ctx, keyOf(id))
	if errors.Is(err, storage.ErrNotFound) {
		return nil, "", slack.ErrNotInstalled
	}
	if err != nil {
		return nil, "", fmt.Errorf("slack: read installation %s: %w", id, err)
	}
	i, err := decode(e)
	if err == nil && i.Leaving != "" {
		err = slack.ErrNotInstalled
	}
	return i, e.Version, err
}

// put writes an installation: over a version, or over anything if that is empty.
func (s *Service) put(ctx context.Context, i *saved, version string) error {
	value, err := json.Marshal(i)
	if err != nil {
		return err
	}
	_, err = s.o.Values().Put(ctx, keyOf(i.ID), value, &keyvalue.PutOptions{If: version})
	if errors.Is(err, storage.ErrNotReplicated) {
		return nil // It is stored.
	}
	return err
}

// Get returns an installation, with a refreshed token if the stored one expires soon. It implements
// [slack.Installations].
func (s *Service) Get(ctx context.Context, id string) (slack.Installation, error) {
	i, _, err := s.load(ctx, id)
	if err == nil && i.expiring(time.Now()) {
		i, err = s.refresh(ctx, i, "")
	}
	if err != nil {
		return slack.Installation{}, err
	}
	return i.public(), nil
}

// refresh replaces a token that expires or that Slack refused, unless another replica does. It returns the
// installation with a token that is valid now as far as known, or an error.
func (s *Service) refresh(ctx context.Context, i *saved, refused string) (*saved, error) {
	lease := keyvalue.Key{Kind: kindLease, ID: ofSlack + i.ID}
	for {
		held, err := s.o.Values().Put(ctx, lease, nil, &keyvalue.PutOptions{If: keyvalue.Absent, TTL: leaseTime})
		switch {
		case err == nil || errors.Is(err, storage.ErrNotReplicated):
			next, err := s.refreshAlone(ctx, i.ID, refused)
			if err == nil {
				_ = s.o.Values().Delete(context.WithoutCancel(ctx), lease, held.Version) // It expires otherwise.
			}
			return next, err
		case refused == "" && time.Now().Before(i.Expires):
			return i, nil
		case !errors.Is(err, keyvalue.ErrConflict):
			return nil, fmt.Errorf("slack: refresh the token of %s: %w", i.ID, err)
		}
		if err := wait.For(ctx, leasePoll); err != nil {
			return nil, fmt.Errorf("slack: another process refreshes the token of %s: %w", i.ID, err)
		}
		if i, _, err = s.load(ctx, i.ID); err != nil || !i.refreshable(refused) {
			return i, err
		}
	}
}

// refreshAlone trades the refresh token for the next token. The caller has the lease.
func (s *Service) refreshAlone(ctx context.Context, id, refused string) (*saved, error) {
	i, version, err := s.load(ctx, id)
	if err != nil || !i.refreshable(refused) {
		return i, err
	}
	// The next token must be stored once Slack has issued it, even if the caller gives up.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*callTimeout)
	defer cancel()
	reply, err := slackapi.RefreshOAuthV2TokenContext(ctx, s.o.HTTPClient, s.o.ClientID, s.o.ClientSecret, i.Refresh, slackapi.OAuthOptionAPIURL(s.o.APIURL))
	if err != nil {
		s.refreshed(false)
		code := codeOf(err)
		works := refused == "" && time.Now().Before(i.Expires)
		switch {
		case slices.Contains(final, code):
			return s.stuck(ctx, i, version, code, works)
		case works:
			s.log.Warn("slack token not refreshed", "installation", id, "code", code)
			return i, nil
		}
		return nil, fmt.Errorf("slack: refresh the token of %s: %s", id, code)
	}
	s.refreshed(true)
	i.take(reply, time.Now())
	err = s.put(ctx, i, version)
	if errors.Is(err, keyvalue.ErrConflict) { // It was removed or installed again.
		i, _, err = s.load(ctx, id)
		return i, err
	}
	if err != nil {
		return nil, fmt.Errorf("slack: store the token of %s: %w", id, err)
	}
	s.log.Info("slack token refreshed", "installation", id)
	return i, nil
}

// final are the codes with which Slack refuses a refresh token for good
// (https://docs.slack.dev/reference/methods/oauth.v2.access).
var final = []string{"account_inactive", "invalid_auth", "invalid_refresh_token", "token_expired", "token_revoked"}

// stuck notes that a token cannot be refreshed. It works until it expires, and is dead then.
func (s *Service) stuck(ctx context.Context, i *saved, version, code string, works bool) (*saved, error) {
	if i.Stuck != "" && works {
		return i, nil
	}
	first := i.Stuck == ""
	if i.Stuck = code; !works {
		i.Dead = code
	}
	err := s.put(ctx, i, version)
	if errors.Is(err, keyvalue.ErrConflict) { // It was removed or installed again.
		i, _, err = s.load(ctx, i.ID)
		return i, err
	}
	if err != nil {
		return nil, fmt.Errorf("slack: note the dead token of %s: %w", i.ID, err)
	}
	if first {
		s.log.Warn("slack token cannot be refreshed, install the app again", "installation", i.ID, "name", i.Name, "code", code, "works_until", i.Expires)
	}
	s.wake()
	return i, nil
}

// take stores the token of a reply.
func (s *saved) take(reply *slackapi.OAuthV2Response, now time.Time) {
	s.Token, s.Refresh, s.Expires, s.Dead, s.Stuck = reply.AccessToken, reply.RefreshToken, time.Time{}, "", ""
	if reply.ExpiresIn > 0 {
		s.Expires = now.Add(time.Duration(reply.ExpiresIn) * time.Second).UTC()
	}
	s.Scopes = nil
	for scope := range strings.SplitSeq(reply.Scope, ",") {
		if scope = strings.TrimSpace(scope); scope != "" {
			s.Scopes = append(s.Scopes, scope)
		}
	}
}

// codeOf returns Slack's error code. Other errors can hold the request, which has secrets.
func codeOf(err error) string {
	if refused, ok := errors.AsType[slackapi.SlackErrorResponse](err); ok && word.MatchString(refused.Err) {
		return refused.Err
	}
	return "no usable reply"
}

// Refused implements [slack.Installations]. A token that is still the stored one is noted as dead.
func (s *Service) Refused(ctx context.Context, id, token, code string) (slack.Installation, error) {
	i, version, err := s.load(ctx, id)
	if err != nil {
		return slack.Installation{}, err
	}
	if i.Token == token && i.Dead == "" && code == "token_expired" && i.Refresh != "" {
		next, err := s.refresh(ctx, i, token)
		if err == nil || errors.Is(err, slack.ErrNotInstalled) {
			return next.public(), err
		}
	}
	if i.Token == token && i.Dead == "" {
		i.Dead = code
		if err := s.put(ctx, i, version); err != nil && !errors.Is(err, keyvalue.ErrConflict) {
			return slack.Installation{}, fmt.Errorf("slack: note the dead token of %s: %w", id, err)
		}
		s.log.Warn("slack token is dead, install the app again", "installation", id, "name", i.Name, "code", code)
		s.wake()
	}
	return i.public(), nil
}

// Identify implements [slack.Installations].
func (s *Service) Identify(ctx context.Context, id string) (slack.Installation, error) {
	i, version, err := s.load(ctx, id)
	if err != nil {
		return slack.Installation{}, err
	}
	who, err := s.client(i.Token).AuthTestContext(ctx)
	if err != nil {
		return slack.Installation{}, fmt.Errorf("slack: identify %s: %s", id, codeOf(err))
	}
	if who.TeamID != id || who.EnterpriseID == i.Enterprise {
		return i.public(), nil
	}
	before := i.Enterprise
	i.Enterprise = who.EnterpriseID
	err = s.put(ctx, i, version)
	if errors.Is(err, keyvalue.ErrConflict) { // It was refreshed, removed or installed again; the next payload asks again.
		i, _, err = s.load(ctx, id)
	}
	if err != nil {
		return slack.Installation{}, fmt.Errorf("slack: store the organization of %s: %w", id, err)
	}
	s.log.Info("slack workspace has another organization", "installation", id, "name", i.Name, "before", before, "now", i.Enterprise)
	return i.public(), nil
}

// client returns a client of the API with a token.
func (s *Service) client(token string) *slackapi.Client {
	return slackapi.New(token, slackapi.OptionAPIURL(s.o.APIURL), slackapi.OptionHTTPClient(s.o.HTTPClient))
}

// Removed implements [slack.Installations]: it deletes the token at once, and [Service.Run] ends the open
// requests. An event that is older than the installation is ignored, since Slack repeats events for
// hours.
func (s *Service) Removed(ctx context.Context, id, reason string, at time.Time) error {
	for {
		i, version, err := s.load(ctx, id)
		switch {
		case errors.Is(err, slack.ErrNotInstalled):
			return nil
		case err != nil:
			return err
		case at.Before(i.At.Truncate(time.Second)):
			return nil
		}
		err = s.put(ctx, &saved{ID: i.ID, Name: i.Name, At: i.At, Leaving: reason}, version)
		if errors.Is(err, keyvalue.ErrConflict) {
			continue
		}
		if err == nil {
			s.wake()
		}
		return err
	}
}

func (s *Service) wake() {
	select {
	case s.left <- struct{}{}:
	default:
	}
}

// Run finishes removals and counts installations until ctx ends: end must end the open requests of an installation.
func (s *Service) Run(ctx context.Context, end func(ctx context.Context, id, reason string) error) {
	for ctx.Err() == nil {
		if err := s.settle(ctx, end); err != nil && ctx.Err() == nil {
			s.log.Warn("slack removals not finished", "error", err)
		}
		timer := time.NewTimer(settleEvery)
		select {
		case <-s.left:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// Listed is an installation as operators see it.
type Listed struct {
	ID, Name  string
	Scopes    []string
	By        string
	Installed time.Time
	// Dead is the code with which Slack refused the token; empty if it works as far as known. Stuck is
	// the code with which Slack refused to refresh a token that works until Expires.
	Dead, Stuck string
	Expires     time.Time
}

// List returns all installations in a key-value store, by ID.
func List(ctx context.Context, values keyvalue.Store) ([]Listed, error) {
	var all []Listed
	for e, err := range keyvalue.All(ctx, values, keyvalue.Range{Kind: kindInstallation, Prefix: ofSlack}) {
		if err != nil {
			return nil, err
		}
		i, err := decode(e)
		if err != nil {
			return nil, err
		}
		if i.Leaving == "" {
			all = append(all, Listed{ID: i.ID, Name: i.Name, Scopes: i.Scopes, By: i.By, Installed: i.At, Dead: i.Dead, Stuck: i.Stuck, Expires: i.Expires})
		}
	}
	return all, nil
}

// allowed reports whether a workspace of an organization, or the organization, may install the app.
func (s *Service) allowed(ids ...string) bool {
	return s.o.Anyone || slices.ContainsFunc(ids, func(id string) bool { return id != "" && slices.Contains(s.o.Allow, id) })
}
