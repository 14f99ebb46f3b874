package claude_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/hosts/claude"
	"github.com/askbridge/askbridge/test/claudehost"
)

// With --beside ~, every file untouched for weeks was deleted.
func TestUserFolderKeepsForeignFiles(t *testing.T) {
	session, agent := strings.Repeat("0a", 16), strings.Repeat("f9", 16)
	const days = 24 * time.Hour
	bubble(t, func(t *testing.T, w *fixture) {
		s := w.open("default", func(o *claude.Options, _ *claude.Install) { o.Wait = time.Hour })
		for _, c := range []struct {
			what, file string
			age        time.Duration
			stays      bool
		}{
			{"photos of last year", "photos/dana.jpg", 400 * days, true},
			{"a folder with a name like a session's, in capitals", strings.ToUpper(agent) + "/notes", 400 * days, true},
			{"a folder with a name that goes on after a session's", session + "-backup/notes", 400 * days, true},
			{"a cache's entry, whose name is a digest as well", strings.Repeat("c4", 16) + "/entry.json", 400 * days, true},
			{"a file next to them", "letter", 400 * days, true},
			{"a turn of a session that has not been for weeks", session + "/" + agent + ".MFRGGZDFMZTWQ2LK234567ABCD", 60 * days, false},
			{"a turn that was being taken", strings.Repeat("1b", 16) + "/." + agent + ".MFRGGZDFMZTWQ2LK234567ABCD", 60 * days, false},
			{"when a call was closed", strings.Repeat("2c", 16) + "/" + agent + "~", 60 * days, false},
			{"what a hook has said in a sub-agent", session + "-" + agent + "/" + agent + "=01HZX", 60 * days, false},
			{"a session of last week", strings.Repeat("3d", 16) + "/" + agent + "~", 7 * days, true},
		} {
			path := filepath.Join(s.opts.Beside, filepath.FromSlash(c.file))
			w.keeps(path, c.age)
			defer func() {
				_, err := os.Stat(path)
				if gone := errors.Is(err, fs.ErrNotExist); gone == c.stays {
					t.Errorf("%s: gone is %v", c.what, gone)
				}
				if folder := filepath.Dir(path); !c.stays {
					if _, err := os.Stat(folder); !errors.Is(err, fs.ErrNotExist) {
						t.Errorf("%s: its folder stays", c.what)
					}
				}
			}()
		}
		use := s.Use(t.Context(), claudehost.Call{Tool: "Bash", Input: command})
		s.posted("Allow")
		use.Allow()
		use.Wait()
		s.ends()
	})
}

// keeps creates a file of that age, with its folders.
func (w *fixture) keeps(path string, age time.Duration) {
	w.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = os.WriteFile(path, []byte("kept"), 0o600)
	}
	at := time.Now().Add(-age)
	if err = errors.Join(err, os.Chtimes(path, at, at), os.Chtimes(filepath.Dir(path), at, at)); err != nil {
		w.Fatal(err)
	}
}
