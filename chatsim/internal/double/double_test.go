package double_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/internal/double"
)

// control is a control by its ID, text and heading.
type control struct{ id, label, over string }

func (c control) String() string              { return c.id }
func (c control) Named(name string) bool      { return c.id == name }
func (c control) Words() (label, over string) { return c.label, c.over }
func labelled(text string) func(c control) bool {
	return func(c control) bool { return c.label == text }
}

func TestSeek(t *testing.T) {
	t.Parallel()
	faces := [][]control{
		{
			{"yes-1", "Yes", "Deploy?"},
			{"yes-2", "Yes", "Deploy? To production"},
			{"no", "No", "Deploy?\nIt takes a minute."},
		},
		{
			{"old-no", "No", "Deploy?"},
			{"old-maybe", "Maybe", "Deploy?"},
		},
	}
	for name, tc := range map[string]struct {
		label string
		under []string
		want  string
		err   error
	}{
		"one with this text on the first face": {"No", nil, "no", nil},
		"one that only an older face has":      {"Maybe", nil, "old-maybe", nil},
		"several with this text":               {"Yes", nil, "", chatsim.ErrAmbiguous},
		"one under part of a line":             {"Yes", []string{"production"}, "yes-2", nil},
		"one of several under a whole line":    {"Yes", []string{"Deploy?"}, "yes-1", nil},
		"one by its id":                        {"Yes", []string{"yes-2"}, "yes-2", nil},
		"one under several texts":              {"No", []string{"Deploy?", "a minute"}, "no", nil},
		"none with this text":                  {"Perhaps", nil, "", chatsim.ErrNotThere},
		"none under this text":                 {"Yes", []string{"Roll back?"}, "", chatsim.ErrNotThere},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := double.Seek(faces, tc.under, labelled(tc.label))
			if got.id != tc.want || !errors.Is(err, tc.err) {
				t.Errorf("found %q, %v, want %q, %v", got.id, err, tc.want, tc.err)
			}
			if errors.Is(err, chatsim.ErrNotThere) && !strings.Contains(err.Error(), "yes-1, yes-2, no, old-no, old-maybe") {
				t.Errorf("%v does not name what is there", err)
			}
		})
	}
}

func TestCalled(t *testing.T) {
	t.Parallel()
	for label, called := range map[string]map[string]bool{
		"✓ Submit":               {"Submit": true, "✓ Submit": true, "submit": false, "✓": false, "": false},
		"2. Submit":              {"Submit": true, "2. Submit": true, "2.": false},
		"12. \u2068שלום\u2069":   {"שלום": true},
		"Submit all":             {"all": false, "Submit": false, "Submit all": true},
		"24 hours":               {"hours": false},
		"v2. hours":              {"hours": false},
		"‹ Back to the question": {"Back to the question": true, "to the question": false},
	} {
		for name, want := range called {
			if double.Called(label, name) != want {
				t.Errorf("%q is called %q: %t", label, name, !want)
			}
		}
	}
}

func TestServiceCloseWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		worked, left := false, 0
		h := double.NewService("sim", "http://chat.sim", http.NotFoundHandler())
		if !h.Begin() || h.URL() != "http://chat.sim" {
			t.Fatal("nothing can begin in a new service")
		}
		h.Go(func() {
			h.Pause(t.Context(), time.Hour) // Ends with the service.
			worked = true
			h.End()
		})
		leave := func() {
			if !h.Closed() || h.Begin() {
				t.Error("something can begin while people leave")
			}
			left++
		}
		started := time.Now()
		if err := h.Close(leave); err != nil {
			t.Errorf("Close = %v", err)
		}
		if took := time.Since(started); took != 0 {
			t.Errorf("it took %v", took)
		}
		if err := h.Close(leave); err != nil {
			t.Errorf("Close again = %v", err)
		}
		if !worked || left != 1 {
			t.Errorf("the work is done: %t; people left %d times, want once", worked, left)
		}
	})
}
