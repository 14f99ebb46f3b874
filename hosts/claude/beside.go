package claude

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// Beside the host's own screen a question stands in two places, and whoever answers
// first counts. The host takes a hook's answer while its own dialog is open, and
// closes the dialog then; but it does not tell the hook when the dialog was first.
// So the hook that waits leaves a file, a turn, and the hooks that come afterwards
// (PostToolUse, Stop) take it away and close the card:
//
//	<folder>/<session>[-<sub-agent>]/<call>.<random>    the id of the request, once there is one
//
// The waiting hook that finds its turn gone says nothing. A turn is taken by
// renaming it, so that it is taken once.
//
// Somebody at the terminal may be quicker than the program of the hook starts, and then
// there is no turn to take. So whoever closes a call leaves when that was as well, in
// <call>~, before it looks for turns; and a hook leaves its turn before it looks whether
// the call was closed since it was started.

// An answer of people may still be on its way when somebody at the terminal decides, and the
// host drops it then. So a hook that answers leaves what it says, in <call>=<request>, and
// whoever closes the call tells the bridge if what came of it is something else; see
// overruled.go.

// answeredHere and movedOn are why a card was closed, as people read it, and allowedHere is
// what became of what they have refused. endedHere is all that is known if the host ends the
// hook: it does so for Escape, for a permission denied there and for a closed window alike, and
// not for an answer.
const (
	answeredHere = "answered in the terminal"
	endedHere    = "denied or interrupted in the terminal, or the terminal was closed"
	allowedHere  = "allowed in the terminal"
	movedOn      = "the terminal has moved on"
)

// turn is one hook's wait for people. Nil is that of a hook that its host waits
// for, which nobody else can answer.
type turn struct {
	path string
	// over is set once the turn is given back, and first whether somebody at the
	// terminal had taken it by then.
	over, first bool
}

// begin leaves the turn of a hook that is about to ask.
func (h *Claude) begin(e *event) (*turn, error) {
	if h.opts.Beside == "" || e.Name != permissionRequest {
		return nil, nil
	}
	folder := h.folder(e)
	forgetOld(filepath.Dir(folder))
	path := filepath.Join(folder, e.call()+"."+rand.Text())
	err := os.MkdirAll(folder, 0o700)
	if err == nil {
		err = os.WriteFile(path, nil, 0o600)
	}
	if err != nil {
		return nil, fmt.Errorf("claude: where hooks of one session find each other: %w", err)
	}
	forgetSaid(folder, e.call())
	t := &turn{path: path}
	if began := h.opts.Began; !began.IsZero() && tookSince(folder, e.call(), began) {
		t.end()
		return nil, errFirst
	}
	return t, nil
}

// left says that a call was closed, and when.
func left(folder, call string) {
	// Without it a card may stand until the agent's turn ends, and no longer.
	_ = os.MkdirAll(folder, 0o700)
	_ = os.WriteFile(filepath.Join(folder, call+"~"), []byte(time.Now().Format(time.RFC3339Nano)), 0o600)
}

// tookSince reports whether a call was closed after that time, and takes note that one
// hook knows.
func tookSince(folder, call string, began time.Time) bool {
	path := filepath.Join(folder, call+"~")
	data, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	at, err := time.Parse(time.RFC3339Nano, string(data))
	return err == nil && at.After(began) && os.Remove(path) == nil
}

// forgetClosed forgets which calls of a session were closed: whatever asked then has
// started by now.
func forgetClosed(folder string) {
	marks, _ := filepath.Glob(filepath.Join(folder, "*~"))
	for _, path := range marks {
		_ = os.Remove(path)
	}
	forgetSaid(folder, "*")
}

// asks writes down which request the turn is for. It reports whether somebody at
// the terminal was first; the card is the caller's to close then.
func (t *turn) asks(request string) (first bool) {
	if t == nil {
		return false
	}
	f, err := os.OpenFile(t.path, os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(request)
		err = errors.Join(err, f.Close())
	}
	if err == nil {
		// It may have been taken before there was an id in it.
		_, err = os.Stat(t.path)
	}
	t.first = errors.Is(err, fs.ErrNotExist)
	return t.first
}

// end gives the turn back, and reports whether somebody at the terminal was first.
func (t *turn) end() (first bool) {
	if t == nil || t.over {
		return t != nil && t.first
	}
	t.over = true
	t.first = t.first || errors.Is(os.Remove(t.path), fs.ErrNotExist)
	return t.first
}

// shared reports whether another hook waits for the same request. The caller has
// given its own turn back, so that of two who leave at once the last one knows.
func (t *turn) shared(request string) bool {
	return t != nil && waitedFor(filepath.Dir(t.path), request)
}

func waitedFor(folder, request string) bool {
	for _, path := range turns(folder, "") {
		if id, err := os.ReadFile(path); err == nil && string(id) == request {
			return true
		}
	}
	return false
}

// turns are the files of one session, or of one call of it, oldest first as far as
// their names go.
func turns(folder, call string) []string {
	entries, _ := os.ReadDir(folder) // Nobody waits where there is none.
	var found []string
	for _, e := range entries {
		name, _, ok := strings.Cut(e.Name(), ".")
		if ok && name != "" && (call == "" || name == call) {
			found = append(found, filepath.Join(folder, e.Name()))
		}
	}
	return found
}

// closed closes the cards of what the terminal has decided: of one call, or of all
// that the session has asked where it goes on without.
func (h *Claude) closed(ctx context.Context, e *event) error {
	if h.opts.Beside == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, lastWord)
	defer cancel()
	folder := h.folder(e)
	failed := []error{h.closedIn(ctx, e, folder)}
	if e.Name == sessionEnd {
		of, _ := os.ReadDir(h.opts.Beside) // No sub-agent waits where there is none.
		for _, entry := range of {
			if strings.HasPrefix(entry.Name(), filepath.Base(folder)+"-") {
				failed = append(failed, h.closedIn(ctx, e, filepath.Join(h.opts.Beside, entry.Name())))
			}
		}
	}
	if err := errors.Join(failed...); err != nil {
		return fmt.Errorf("claude: close the card: %w", err)
	}
	return nil
}

// closedIn is closed for the session itself, or for one of its sub-agents.
func (h *Claude) closedIn(ctx context.Context, e *event, folder string) error {
	call, reason := "", movedOn
	if e.Tool != "" {
		call, reason = e.call(), e.wasAnswered()
		left(folder, call)
	} else {
		forgetClosed(folder)
	}
	failed := []error{h.overrule(ctx, e, folder, call)}
	for _, path := range turns(folder, call) {
		taken := filepath.Join(folder, "."+filepath.Base(path))
		if os.Rename(path, taken) != nil {
			continue // Its hook was answered in chat just now.
		}
		id, err := os.ReadFile(taken)
		failed = append(failed, err, os.Remove(taken))
		// Without an id its own hook closes the card, as soon as it stands.
		if request := string(id); request != "" && !waitedFor(folder, request) {
			failed = append(failed, h.close(ctx, e, request, reason))
		}
		if call != "" {
			_ = os.Remove(filepath.Join(folder, call+"~")) // It had started.
			break                                          // One prompt was answered, and an equal one may still stand.
		}
	}
	if e.Name == sessionEnd || e.Name == subagentStop {
		_ = os.Remove(folder) // Unless somebody waits there.
	}
	return errors.Join(failed...)
}

// folder holds the turns of a session; a sub-agent has one of its own, since its calls are
// asked about while the session goes on.
func (h *Claude) folder(e *event) string {
	name := digest(e.Session)
	if e.Agent != "" {
		name += "-" + digest(e.Agent)
	}
	return filepath.Join(h.opts.Beside, name)
}

// sessionFolder and sessionFile are the names of what hooks leave: folder makes the one, and in it
// stand turns (those that are being taken with a dot), when calls were closed, and what was said.
var (
	sessionFolder = regexp.MustCompile(`^[0-9a-f]{32}(-[0-9a-f]{32})?$`)
	sessionFile   = regexp.MustCompile(`^(\.?[0-9a-f]{32}\.[A-Z2-7]+|[0-9a-f]{32}(~|=.+))$`)
)

// forgetOld takes away what hooks have left that were killed, and nothing else: the folder is
// the user's to name, and may hold what is theirs.
func forgetOld(dir string) {
	sessions, _ := os.ReadDir(dir)
	for _, s := range sessions {
		info, err := s.Info()
		if err != nil || !s.IsDir() || !sessionFolder.MatchString(s.Name()) || time.Since(info.ModTime()) <= 2*MaxTimeout*time.Second {
			continue
		}
		folder := filepath.Join(dir, s.Name())
		files, _ := os.ReadDir(folder)
		for _, f := range files {
			if sessionFile.MatchString(f.Name()) {
				_ = os.Remove(filepath.Join(folder, f.Name()))
			}
		}
		_ = os.Remove(folder) // Unless something else is in it.
	}
}

// call names a tool call by what the host says of it in every event: a permission
// prompt has no id, and the input may have gained answers since.
func (e *event) call() string {
	input := e.Input
	switch e.Tool {
	case planTool:
		input = nil // One at a time, and the host adds to it.
	case askTool:
		var asked struct {
			Questions json.RawMessage `json:"questions"`
		}
		if json.Unmarshal(input, &asked) == nil && asked.Questions != nil {
			input = asked.Questions
		}
	}
	return digest(e.Tool, canonical(input))
}

// canonical is a JSON text with its members in order and nothing between them.
func canonical(data json.RawMessage) string {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return string(data)
	}
	text, err := json.Marshal(v)
	if err != nil {
		return string(data)
	}
	return string(text)
}

func digest(parts ...string) string {
	text, _ := json.Marshal(parts) // Texts always encode.
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}
