package discord

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/platform"
)

func TestFindCardsByControls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeHTTP, nil)
		if refs, err := w.c.Find(t.Context(), inChannel, rid, time.Time{}); err != nil || len(refs) > 0 {
			t.Fatalf("Find = %v, %v before anything was posted", refs, err)
		}
		first := w.post(inChannel, one())
		other := one()
		other.ID = "p0OTHER"
		w.post(inChannel, other)
		if _, err := w.sim.Seat(idSam).Say(deploys, "What about 1:"+rid+":c:0:0 ?"); err != nil {
			t.Fatal(err)
		}
		refs, err := w.c.Find(t.Context(), inChannel, rid, time.Time{})
		w.must(err)
		if diff := cmp.Diff([]platform.MessageRef{first}, refs); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
}

// history answers a search with n messages, newest first, made by make.
func history(t *testing.T, n int, make func(i int) string) transport {
	t.Helper()
	return func(r *http.Request) (*http.Response, error) {
		if !strings.HasSuffix(r.URL.Path, "/messages") {
			return whoami(r)
		}
		last := n
		if before := r.URL.Query().Get("before"); before != "" {
			id, err := strconv.Atoi(strings.TrimPrefix(before, "13000000000"))
			if err != nil {
				t.Error(err)
			}
			last = id - 10_000_000
		}
		page := []json.RawMessage{}
		for i := last - 1; i >= 0 && len(page) < findPage; i-- {
			page = append(page, json.RawMessage(make(i)))
		}
		body, err := json.Marshal(page)
		if err != nil {
			t.Error(err)
		}
		return replying(http.StatusOK, string(body))(r)
	}
}

func TestFindGivesUpAfterPageLimit(t *testing.T) {
	t.Parallel()
	const (
		ours    = `{"id":"13000000000%d","author":{"id":"500000000000000001"},"components":[{"custom_id":"2:` + rid + `.k3v9k3v9k3:c:0:0"}]}`
		older   = `{"id":"13000000000%d","author":{"id":"500000000000000001"},"components":[{"custom_id":"1:` + rid + `:c:0:0"}]}`
		someone = `{"id":"13000000000%d","author":{"id":"300000000000000001"},"components":[{"custom_id":"1:` + rid + `:c:0:0"}]}`
		odd     = `{"id":"13000000000%d","author":{"id":"500000000000000001"},"components":"many"}`
	)
	for name, tc := range map[string]struct {
		messages int
		at       int // index of our card, -1 for none
		card     string
		want     string
	}{
		"on the first page":   {50, 7, ours, "1300000000010000007"},
		"on the third":        {280, 3, ours, "1300000000010000003"},
		"of an older version": {50, 7, older, "1300000000010000007"},
		"nowhere":             {499, -1, "", ""},
		"too far back":        {5000, 1, ours, "too many messages"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _ := offline(t, history(t, tc.messages, func(i int) string {
				form := someone
				switch {
				case i == tc.at:
					form = tc.card
				case i%3 == 0:
					form = odd
				}
				return fmt.Sprintf(form, 10_000_000+i)
			}))
			refs, err := c.Find(t.Context(), inChannel, rid, time.Time{})
			var e *platform.Error
			switch {
			case strings.HasPrefix(tc.want, "13"):
				if err != nil || len(refs) != 1 || refs[0].Message != tc.want {
					t.Errorf("Find = %v, %v, want %s", refs, err, tc.want)
				}
			case tc.want == "":
				if err != nil || len(refs) != 0 {
					t.Errorf("Find = %v, %v, want none", refs, err)
				}
			default:
				if !errors.As(err, &e) || e.Kind != platform.Ambiguous || e.Code != tc.want {
					t.Errorf("Find = %v, %v, want %s", refs, err, tc.want)
				}
			}
		})
	}
}
