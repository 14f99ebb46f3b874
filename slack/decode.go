package slack

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

// The handled payload types; see https://docs.slack.dev/reference/interaction-payloads.
const (
	blockActions   = "block_actions"
	viewSubmission = "view_submission"
)

// payload contains the members of an interaction that are used. Decoding more could fail on an
// unknown block of the message and lose a click.
type payload struct {
	Type       string    `json:"type"`
	AppID      string    `json:"api_app_id"`
	Team       named     `json:"team"`       // null for an organization-wide installation
	Enterprise named     `json:"enterprise"` // null outside organizations
	User       user      `json:"user"`
	Channel    named     `json:"channel"`
	Container  container `json:"container"`
	Actions    []element `json:"actions"`
	State      state     `json:"state"`
	View       view      `json:"view"`
	Wide       truth     `json:"is_enterprise_install"`
	// TriggerID and ResponseURL are credentials: never log them.
	TriggerID   string `json:"trigger_id"`
	ResponseURL string `json:"response_url"`
}

// truth is a boolean that Slack may write as a string
// (https://github.com/slackapi/bolt-python/blob/main/slack_bolt/request/internals.py).
type truth bool

// UnmarshalJSON accepts true and "true"; anything else is false.
func (t *truth) UnmarshalJSON(raw []byte) error {
	*t = truth(string(raw) == "true" || string(raw) == `"true"`)
	return nil
}

type named struct {
	ID string `json:"id"`
}

type user struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Username string `json:"username"`
	TeamID   string `json:"team_id"`
	IsBot    bool   `json:"is_bot"`
}

type container struct {
	ChannelID string `json:"channel_id"`
	MessageTS string `json:"message_ts"`
	ThreadTS  string `json:"thread_ts"`
	Ephemeral bool   `json:"is_ephemeral"`
}

type view struct {
	ID              string `json:"id"`
	Type            string `json:"type"`
	Hash            string `json:"hash"`
	PrivateMetadata string `json:"private_metadata"`
	// InstalledTeam is the bot's workspace even if Team is a visitor's.
	InstalledTeam string `json:"app_installed_team_id"`
	State         state  `json:"state"`
}

// state contains the values of all controls of a surface, by block and action.
type state struct {
	Values map[string]map[string]element `json:"values"`
}

// element is one control in a state, or the one that was used.
type element struct {
	ActionID        string   `json:"action_id"`
	ActionTS        string   `json:"action_ts"`
	Value           string   `json:"value"`
	SelectedOption  option   `json:"selected_option"`
	SelectedOptions []option `json:"selected_options"`
	SelectedUser    string   `json:"selected_user"`
}

type option struct {
	Value string `json:"value"`
}

// Reasons to ignore an interaction. Ignored interactions are acknowledged.
var (
	errUnwanted = errors.New("not an act we wait for")
	errForeign  = errors.New("another app or workspace")
	errUnknown  = errors.New("a control that is not ours")
)

// home identifies the app's installation. Empty members are unknown and match anything, but no
// one is a member of an unknown team.
type home struct {
	team, enterprise, app, botUser, botID string
	// id names the installation if there are several. Nothing is unknown then.
	id string
	// address is the URL of the workspace or organization, such as "https://acme.slack.com/".
	address string
	// wide means that the app is installed organization-wide.
	wide bool
	// guests means that guests count as members.
	guests bool
}

// arrival is the arrival time of an interaction.
type arrival struct {
	at time.Time
	// sent is Slack's signed timestamp of the HTTP request in seconds, 0 over a socket.
	sent int64
}

// fate is the result of accepting an interaction.
type fate int

const (
	busy    fate = iota // cannot be accepted now
	dropped             // acknowledge it, nothing to do
	begun               // the responder acknowledges it
)

// decode parses a payload. It fails only for input that is not JSON.
func decode(raw []byte) (*payload, error) {
	var p payload
	if err := connector.ReadLoosely(raw, &p); err != nil {
		return nil, fmt.Errorf("slack: payload: %w", err)
	}
	return &p, nil
}

// interaction converts the payload to the bridge's type.
func (p *payload) interaction(us home, when arrival, seen *clock) (platform.Interaction, error) {
	if p.Type != blockActions && p.Type != viewSubmission {
		return platform.Interaction{}, errUnwanted
	}
	if p.foreign(us) {
		return platform.Interaction{}, errForeign
	}
	i := platform.Interaction{
		Person: ask.Person{
			Platform: Name, ID: p.User.ID,
			Name: cmp.Or(p.User.Name, p.User.Username),
		},
		Bot:        p.User.IsBot || p.User.ID == "USLACKBOT" || (us.botUser != "" && p.User.ID == us.botUser),
		Membership: p.membership(us),
	}
	if p.User.ID == "" {
		return platform.Interaction{}, errUnwanted
	}
	act := p.action
	if p.Type == viewSubmission {
		act = p.submission
	}
	i, err := act(i, when, seen)
	return us.own(i), err
}

// own marks an interaction as one of the installation.
func (us home) own(i platform.Interaction) platform.Interaction {
	i.Person.Installation = us.id
	if i.Message != (platform.MessageRef{}) {
		i.Message.Installation = us.id
	}
	if i.Chosen != nil {
		i.Chosen.Installation = us.id
	}
	return i
}

// foreign reports whether the interaction belongs to another app or another installation. The
// acting person does not matter here.
func (p *payload) foreign(us home) bool {
	if us.id != "" {
		return p.AppID == "" || p.AppID != us.app || p.owner() != us.id || !p.within(us)
	}
	if us.app != "" && p.AppID != "" && p.AppID != us.app {
		return true
	}
	team := cmp.Or(p.View.InstalledTeam, p.Team.ID)
	if us.team == "" || team == "" || team == us.team {
		return false
	}
	return us.enterprise == "" || (team != us.enterprise && p.Enterprise.ID != us.enterprise)
}

// owner returns the id of the installation that an interaction is for: the organization if that has
// installed the app, else the workspace. The order is that of
// https://github.com/slackapi/bolt-python/blob/main/slack_bolt/request/internals.py, without its
// guesses from the acting person.
func (p *payload) owner() string {
	if team := cmp.Or(p.View.InstalledTeam, p.Team.ID); team != "" && !p.Wide {
		return team
	}
	return p.Enterprise.ID
}

// within reports whether the organization of the payload is that of the installation. In a form opened
// across companies Team and Enterprise are the visitor's.
func (p *payload) within(us home) bool {
	visited := p.View.InstalledTeam != "" && p.View.InstalledTeam != p.Team.ID
	return visited && !us.wide || p.Enterprise.ID == us.enterprise
}

// membership returns the person's membership as far as the payload contains it. In an
// organization it does not list the person's workspaces; see [Connector.MembershipOf].
func (p *payload) membership(us home) ask.Membership {
	team := p.User.TeamID
	switch {
	case us.team == "", team == "":
		return ask.Unknown
	case team == us.team, us.wide && us.enterprise != "" && (team == us.enterprise || p.Enterprise.ID == us.enterprise && p.Team.ID == team):
		if us.guests {
			return ask.Member
		}
		return ask.Insider
	case us.enterprise != "":
		return ask.Unknown
	}
	return ask.Outsider
}

func (p *payload) action(i platform.Interaction, when arrival, seen *clock) (platform.Interaction, error) {
	for _, used := range p.Actions {
		token, err := render.ParseToken(used.ActionID)
		if err != nil {
			continue
		}
		i.Token = token
		i.Message, i.Private = p.origin().ref(), p.private()
		if i.Inbox = p.inInbox(); i.Inbox {
			i.Message, i.Private = inboxRef(), false
		}
		i.Order = seen.acted(used.ActionTS, when)
		i.ID = fingerprint(blockActions, p.installation(), p.User.ID, i.Message.Channel, i.Message.Message,
			p.View.ID, used.ActionID, used.ActionTS, p.TriggerID)
		i.Picks = p.surface().chosen(token.Request).picks
		if _, known := i.Picks[token.Question]; token.Verb == render.Pick && !known {
			i.Picks = connector.With(i.Picks, token.Question, used.picked())
		}
		return i, nil
	}
	return platform.Interaction{}, errUnknown
}

func (p *payload) submission(i platform.Interaction, when arrival, seen *clock) (platform.Interaction, error) {
	control, card, pressed := p.View.stamp()
	token, err := render.ParseToken(control)
	if err != nil {
		return platform.Interaction{}, errUnknown
	}
	i.Token, i.Message = token, card.ref()
	if i.Inbox = p.inInbox(); i.Inbox {
		i.Message = inboxRef()
	}
	i.Order = seen.submitted(pressed, when)
	// A form that was rejected keeps its view and may be resubmitted with the same content.
	// That is a new action, distinguished by its trigger.
	content, err := json.Marshal(p.View.State.Values)
	if err != nil {
		return platform.Interaction{}, fmt.Errorf("slack: payload: %w", err)
	}
	i.ID = fingerprint(viewSubmission, p.installation(), p.User.ID, p.View.ID, p.View.Hash, p.TriggerID, string(content))
	filled := p.View.State.chosen(token.Request)
	i.Picks, i.Texts, i.Notes = filled.picks, filled.texts, filled.notes
	if filled.chosen != "" {
		i.Chosen = &ask.Responder{Person: ask.Person{Platform: Name, ID: filled.chosen}, Bot: filled.chosen == "USLACKBOT"}
	}
	return i, nil
}

// installation returns the workspace whose installation the payload belongs to.
func (p *payload) installation() string {
	return cmp.Or(p.View.InstalledTeam, p.Team.ID, p.Enterprise.ID)
}

// origin is the card on which an action started.
type origin struct{ Channel, Message, Thread string }

// stampMark separates a form's token from the card that opened it and the time of that press.
// Slack returns neither with the form, and only the form's own metadata survives a restart and
// reaches other replicas.
const stampMark = " "

// stamped appends the card and the press's action_ts to a form's private_metadata, which holds
// 3000 characters (https://docs.slack.dev/reference/views).
func stamped(token string, at origin, pressed string) string {
	return strings.Join([]string{token, at.Channel, at.Message, at.Thread, pressed}, stampMark)
}

// stamp parses the output of stamped. The card is zero if it is missing or malformed; pressed
// is empty in forms by earlier versions.
func (v *view) stamp() (token string, card origin, pressed string) {
	parts := strings.Split(v.PrivateMetadata, stampMark)
	if len(parts) == 5 {
		pressed = parts[4]
	} else if then, _, ok := v.inbox(); ok {
		pressed = then
	}
	if (len(parts) == 4 || len(parts) == 5) && channelID.MatchString(parts[1]) && messageTS.MatchString(parts[2]) {
		card = origin{Channel: parts[1], Message: parts[2], Thread: parts[3]}
	}
	return parts[0], card, pressed
}

// pressed returns the action_ts of the press that opened the form, or that may open one.
func (p *payload) pressed() string {
	if p.Type == viewSubmission {
		_, _, pressed := p.View.stamp()
		return pressed
	}
	return p.used().ActionTS
}

// used returns the used control; zero if none is ours.
func (p *payload) used() element {
	for _, used := range p.Actions {
		if _, err := render.ParseToken(used.ActionID); err == nil {
			return used
		}
	}
	return element{}
}

// private reports whether the used control is on an ephemeral message.
func (p *payload) private() bool { return p.Type == blockActions && p.Container.Ephemeral }

// origin returns the message of the used control or of the control that opened the form; zero
// if unknown. For a control on an ephemeral message it is the card that the message is about: Slack
// sends nothing of an ephemeral message, so its buttons carry the card as their value.
func (p *payload) origin() origin {
	if p.Type == viewSubmission {
		_, card, _ := p.View.stamp()
		return card
	}
	channel := cmp.Or(p.Container.ChannelID, p.Channel.ID)
	if channel == "" || p.Container.MessageTS == "" {
		return origin{}
	}
	if p.private() {
		if card, ok := cardOf(p.used().Value); ok && card.Channel == channel {
			return card
		}
	}
	return origin{Channel: channel, Message: p.Container.MessageTS, Thread: p.Container.ThreadTS}
}

// value returns the value of a button on an ephemeral message about a card.
func (o origin) value() string {
	return strings.Join([]string{o.Channel, o.Message, o.Thread}, stampMark)
}

// cardOf is the inverse of value, or false for anything else.
func cardOf(value string) (origin, bool) {
	parts := strings.Split(value, stampMark)
	if len(parts) != 3 || !channelID.MatchString(parts[0]) || !messageTS.MatchString(parts[1]) {
		return origin{}, false
	}
	return origin{Channel: parts[0], Message: parts[1], Thread: parts[2]}, true
}

func (o origin) ref() platform.MessageRef {
	if o.Message == "" {
		return platform.MessageRef{}
	}
	return platform.MessageRef{Platform: Name, Channel: o.Channel, Message: o.Message}
}

// surface returns the state of the message or form on which the person acted.
func (p *payload) surface() state {
	if len(p.State.Values) == 0 {
		return p.View.State
	}
	return p.State
}

// filled contains the values of a request's controls, by question. A list without a selection
// is present with an empty selection.
type filled struct {
	picks        map[int][]int
	texts, notes map[int]string
	chosen       string // the selected person, if a form asks for one
}

// chosen collects the selections and texts in the controls of a request.
func (s state) chosen(request string) (f filled) {
	for _, actions := range s.Values {
		for actionID, e := range actions {
			token, err := render.ParseToken(actionID)
			if err != nil || token.Request != request {
				continue
			}
			switch token.Verb {
			case render.Pick:
				f.picks = connector.With(f.picks, token.Question, e.picked())
			case render.SubmitText:
				f.texts = connector.With(f.texts, token.Question, e.Value)
			case render.SubmitPass:
				f.chosen = e.SelectedUser
			case render.SubmitNote:
				f.notes = connector.With(f.notes, token.Question, e.Value)
			}
		}
	}
	return f
}

// answers are the verbs of controls that hold values.
var answers = map[render.Verb]bool{render.Pick: true, render.SubmitText: true, render.SubmitPass: true, render.SubmitNote: true}

// inputs returns the block that answers each question of a form. A list takes precedence over a
// text field, and both over a note.
func (s state) inputs(request string) map[int]string {
	found := map[int]string{}
	lists := map[int]bool{}
	for _, block := range sortedKeys(s.Values) {
		for _, actionID := range sortedKeys(s.Values[block]) {
			token, err := render.ParseToken(actionID)
			if err != nil || token.Request != request || !answers[token.Verb] {
				continue
			}
			list := token.Verb == render.Pick
			if _, known := found[token.Question]; !known || (list && !lists[token.Question]) {
				found[token.Question], lists[token.Question] = block, list
			}
		}
	}
	return found
}

// picked parses the selected option indexes of a list; never nil.
func (e element) picked() []int {
	selected := e.SelectedOptions
	if e.SelectedOption.Value != "" {
		selected = append([]option{e.SelectedOption}, selected...)
	}
	indexes := []int{}
	for _, o := range selected {
		n, err := strconv.Atoi(o.Value)
		if err == nil && n >= 0 && strconv.Itoa(n) == o.Value {
			indexes = append(indexes, n)
		}
	}
	return indexes
}

// fingerprint returns a short id derived from everything that identifies an action.
func fingerprint(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// Slack's id formats: https://docs.slack.dev/reference/objects/conversation-object and
// https://docs.slack.dev/reference/objects/user-object.
var (
	channelID = regexp.MustCompile(`^[CGD][A-Z0-9]{2,}$`)
	userID    = regexp.MustCompile(`^[UW][A-Z0-9]{2,}$`)
	// installationID matches the id of a workspace or an organization.
	installationID = regexp.MustCompile(`^[TE][A-Z0-9]{2,}$`)
	appID          = regexp.MustCompile(`^A[A-Z0-9]{2,}$`)
	messageTS      = regexp.MustCompile(`^\d+\.\d+$`)
)
