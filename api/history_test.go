package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/askbridge/askbridge/client"
)

func TestHistoryListsEvents(t *testing.T) {
	opts := shellAndBot()
	opts.Trail = true
	bubble(t, opts, func(t *testing.T, w *fixture) {
		id := w.call("token-bot", "POST", "/v1/requests", with(oneQuestion, `"responders":["slack:U0000001"]`)).want(t, http.StatusCreated).request(t).ID
		synctest.Wait()
		w.votes("U0000009", id, 0)
		w.press(id, 0, 1)
		path := "/v1/requests/" + id + "/history"
		history := read[client.History](t, w.call("token-root", "GET", path, "").want(t, http.StatusOK))
		var all []string
		for n, e := range history.Events {
			by := ""
			if e.By != nil {
				by = " by " + e.By.ID
			}
			all = append(all, e.Kind+by)
			if e.Seq != int64(n+1) || e.At.IsZero() {
				t.Errorf("event %d is %+v", n, e)
			}
		}
		if got := strings.Join(all, ", "); got != "asked, posted, refused by U0000009, answered by U0000001" || history.Before != 0 {
			t.Errorf("events %s after %d others", got, history.Before)
		}
		w.call("token-bot", "GET", path, "").want(t, http.StatusForbidden)
		w.call("token-root", "GET", path+"x", "").want(t, http.StatusNotFound)
	})
}

func TestHistoryReportsDroppedEvents(t *testing.T) {
	opts := shellAndBot()
	opts.Trail = true
	bubble(t, opts, func(t *testing.T, w *fixture) {
		id := w.call("token-bot", "POST", "/v1/requests", with(oneQuestion, `"responders":["slack:U0000001"]`)).want(t, http.StatusCreated).request(t).ID
		synctest.Wait()
		for n := range 70 {
			w.votes(fmt.Sprintf("U1%06d", n), id, 0)
		}
		history := read[client.History](t, w.call("token-root", "GET", "/v1/requests/"+id+"/history", "").want(t, http.StatusOK))
		if len(history.Events) != 64 || history.Before != 8 || history.Events[0].Seq != 9 {
			t.Errorf("%d events from %d, after %d others", len(history.Events), history.Events[0].Seq, history.Before)
		}
	})
}

func TestHistoryNeedsTrail(t *testing.T) {
	bubble(t, shellAndBot(), func(t *testing.T, w *fixture) {
		id := w.call("token-bot", "POST", "/v1/requests", oneQuestion).want(t, http.StatusCreated).request(t).ID
		if got := w.call("token-root", "GET", "/v1/requests/"+id+"/history", "").want(t, http.StatusNotFound); !strings.Contains(got.body, "audit") {
			t.Errorf("unexpected body %s", got.body)
		}
	})
}
