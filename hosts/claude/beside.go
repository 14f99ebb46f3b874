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

// When the host's own screen asks too, the first answer counts. The host accepts a hook's
// answer while its own dialog is open and then closes the dialog, but it does not notify
// the hook of an answer in the dialog. So the waiting hook creates a file, a turn, and
// later hooks (PostToolUse, Stop) take it and close the card:
//
//	<folder>/<session>[-<sub-agent>]/<call>.<random>    the ID of the request, once there is one
//
// A waiting hook whose turn is gone outputs nothing. A turn is taken by renaming it, so that
// only one hook takes it.
//
// A person at the terminal may answer before the hook has started, when there is no turn to
// take. So a hook that closes a call first writes the time to <call>~, and then looks for
// turns; and a waiting hook first creates its turn, and then checks whether the call was
// closed after its own start.

// The host drops an answer from chat if a person at the terminal decides first. So a hook that
// answers writes its output to <call>=<request>, and the hook that closes the call reports to
// the bridge if the result is different; see overruled.go.

// answeredHere and movedOn are reasons on closed cards, allowedHere is for a refusal in chat that
// was overruled. endedHere is for a hook that the host has ended: after Escape, a denied
// permission or a closed window, but not after an answer.
const (
	answeredHere = "answered in the terminal"
	endedHere    = "denied or interrupted in the terminal, or the terminal was closed"
	allowedHere  = "allowed in the terminal"
	movedOn      = "the terminal has moved on"
)

// turn is one hook's wait for people. It is nil for a hook that the host waits for, without a
// dialog of its own.
type turn struct {
	path string
	// over is set when the turn has ended, first if it was taken before.
	over, first bool
}

// begin creates the turn of a hook that is about to ask.
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

// left records the time when a call was closed.
func left(folder, call string) {
	// Without it a card may stay open until the agent's turn ends.
	_ = os.MkdirAll(folder, 0o700)
	_ = os.WriteFile(filepath.Join(folder, call+"~"), []byte(time.Now().Format(time.RFC3339Nano)), 0o600)
}

// tookSince reports whether a call was closed after a time, and removes the record.
func tookSince(folder, call string, began time.Time) bool {
	path := filepath.Join(folder, call+"~")
	data, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	at, err := time.Parse(time.RFC3339Nano, string(data))
	return err == nil && at.After(began) && os.Remove(path) == nil
}

// forgetClosed removes the records of a session's closed calls, whose hooks have started by now.
func forgetClosed(folder string) {
	marks, _ := filepath.Glob(filepath.Join(folder, "*~"))
	for _, path := range marks {
		_ = os.Remove(path)
	}
	forgetSaid(folder, "*")
}

// asks writes the ID of the request to the turn. It reports whether the terminal was first; the
// caller must close the card then.
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
		// It may have been taken before the ID was written.
		_, err = os.Stat(t.path)
	}
	t.first = errors.Is(err, fs.ErrNotExist)
	return t.first
}

// end removes the turn, and reports whether the terminal was first.
func (t *turn) end() (first bool) {
	if t == nil || t.over {
		return t != nil && t.first
	}
	t.over = true
	t.first = t.first || errors.Is(os.Remove(t.path), fs.ErrNotExist)
	return t.first
}

// shared reports whether another hook waits for the same request. The caller must have removed its
// own turn, so that the last of several hooks gets false.
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

// turns returns the files of one session, or of one call of it, sorted by name.
func turns(folder, call string) []string {
	entries, _ := os.ReadDir(folder) // Without it no hook waits.
	var found []string
	for _, e := range entries {
		name, _, ok := strings.Cut(e.Name(), ".")
		if ok && name != "" && (call == "" || name == call) {
			found = append(found, filepath.Join(folder, e.Name()))
		}
	}
	return found
}

// closed closes the cards that the terminal has decided: of one call, or all of the session when it
// continues without them.
func (h *Claude) closed(ctx context.Context, e *event) error {
	if h.opts.Beside == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, lastWord)
	defer cancel()
	folder := h.folder(e)
	failed := []error{h.closedIn(ctx, e, folder)}
	if e.Name == sessionEnd {
		of, _ := os.ReadDir(h.opts.Beside) // Without it no sub-agent waits.
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
			continue // Its hook was just answered in chat.
		}
		id, err := os.ReadFile(taken)
		failed = append(failed, err, os.Remove(taken))
		// Without an ID its own hook closes the card after it was posted.
		if request := string(id); request != "" && !waitedFor(folder, request) {
			failed = append(failed, h.close(ctx, e, request, reason))
		}
		if call != "" {
			_ = os.Remove(filepath.Join(folder, call+"~")) // It had started.
			break                                          // One prompt was answered; an equal one may still be open.
		}
	}
	if e.Name == sessionEnd || e.Name == subagentStop {
		_ = os.Remove(folder) // Fails if a hook waits there.
	}
	return errors.Join(failed...)
}

// folder contains the turns of a session. A sub-agent has its own folder, since its questions remain
// open while the session continues.
func (h *Claude) folder(e *event) string {
	name := digest(e.Session)
	if e.Agent != "" {
		name += "-" + digest(e.Agent)
	}
	return filepath.Join(h.opts.Beside, name)
}

// sessionFolder and sessionFile match the names of what hooks create: folders, and in them turns (with a
// dot while being taken), times of closed calls, and outputs.
var (
	sessionFolder = regexp.MustCompile(`^[0-9a-f]{32}(-[0-9a-f]{32})?$`)
	sessionFile   = regexp.MustCompile(`^(\.?[0-9a-f]{32}\.[A-Z2-7]+|[0-9a-f]{32}(~|=.+))$`)
)

// forgetOld removes the files of killed hooks, and nothing else: the user chooses the folder, which may
// contain other files.
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
		_ = os.Remove(folder) // Fails if it contains other files.
	}
}

// call identifies a tool call by what all its events have in common: a permission prompt has no ID,
// and later inputs may contain answers.
func (e *event) call() string {
	input := e.Input
	switch e.Tool {
	case planTool:
		input = nil // There is one at a time, and the host changes it.
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

// canonical returns JSON with sorted members and without spaces.
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
	text, _ := json.Marshal(parts) // Strings always encode.
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}
