package api

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/store/memory"
)

// TestConsoleShowsLatestEndedRequests ends more requests than a page of the list holds.
func TestConsoleShowsLatestEndedRequests(t *testing.T) {
	t.Parallel()
	st, now := memory.New(), time.Now()
	const ended = 1300
	for n := range ended {
		at := now.Add(time.Duration(n-ended) * time.Minute)
		_, err := st.Create(t.Context(), bridge.Record{
			ID: fmt.Sprintf("r%04d", n), Questions: []ask.Question{{Text: fmt.Sprintf("Question %d?", n)}}, Outcome: ask.Outcome{State: ask.Open},
		}, func(r *record.Record, _ time.Time) error {
			r.Begin(time.Hour, at)
			return r.Withdraw(ask.Cancelled, "done", at)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	s := httptest.NewServer(newWorldOn(t, &settings{}, st, &bridge.Options{}).handler)
	t.Cleanup(s.Close)
	ctx, cancel := context.WithTimeout(browse(t), 2*time.Minute)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx, chromedp.Navigate(s.URL+"/console#/ended"), chromedp.WaitVisible(chromedp.CSS("#span"))); err != nil {
		t.Fatal(err)
	}
	for _, span := range []string{"in the last week", "at any time"} {
		line := `(() => { const s = document.getElementById("span"); s.selectedIndex = [...s.options].findIndex((o) => o.text === "` + span + `"); s.dispatchEvent(new Event("change")); })()`
		if err := chromedp.Do(ctx, clicking(line)); err != nil {
			t.Fatal(err)
		}
		showing(t, ctx, `document.getElementById("span").selectedOptions[0].text === "`+span+`" && document.body.innerText.includes("more are not shown")`)
		if first := evaluate[string](t, ctx, `document.querySelector("ul.list > li .title").innerText`); !strings.HasSuffix(first, "Question 1299?") {
			t.Errorf("%s the first is %q, want the one that has ended last", span, first)
		}
	}
}
