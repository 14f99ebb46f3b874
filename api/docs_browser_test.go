package api

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/askbridge/askbridge/test/need"
)

// browse opens a tab of a real browser. Any console error, such as a violation of the content security policy, fails
// the test.
func browse(t *testing.T, fails ...string) context.Context {
	t.Helper()
	alloc, stop := chromedp.NewExecAllocator(context.Background(),
		chromedp.ExecPath(need.Binary(t, "chromium")), chromedp.UserDataDir(t.TempDir()), chromedp.Headless, chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("disable-dev-shm-usage", true), chromedp.WSURLReadTimeout(time.Minute))
	ctx, cancel := chromedp.NewContext(alloc)
	t.Cleanup(func() {
		if err := chromedp.Cancel(ctx); err != nil {
			t.Errorf("close the browser: %v", err)
		}
		cancel()
		stop()
	})
	err := chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *log.EventEntryAdded:
			if !slices.ContainsFunc(fails, func(path string) bool { return strings.Contains(e.Entry.URL, path) }) {
				t.Errorf("the browser complains: %s %s", e.Entry.Text, e.Entry.URL)
			}
		case *runtime.EventExceptionThrown:
			t.Errorf("the page threw: %+v", e.ExceptionDetails)
		}
	})
	if err != nil {
		t.Fatalf("start the browser: %v", err)
	}
	for _, enable := range []cdp.Command[cdp.Empty, cdp.Empty]{log.Enable, runtime.Enable} {
		if _, err := chromedp.Call(ctx, enable, cdp.Empty{}); err != nil {
			t.Fatal(err)
		}
	}
	return ctx
}

func evaluate[T any](t *testing.T, ctx context.Context, expression string) T {
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return v
}

func TestReferenceInBrowser(t *testing.T) {
	t.Parallel()
	w := newFixture(t, anonymous())
	ctx, at, do := w.inBrowser(t)
	do(chromedp.Navigate(at+"/docs"), chromedp.WaitVisible(chromedp.CSS("#type-Request")))
	const shown = `[...document.querySelectorAll("main section")].filter((card) => card.checkVisibility()).map((card) => card.id).sort()`
	cards := evaluate[[]string](t, ctx, shown)
	var want []string
	doc := newDocument("", routes())
	for _, op := range operations(doc) {
		want = append(want, "op-"+op.OperationID)
	}
	for name := range doc.Components.Schemas.Map() {
		want = append(want, "type-"+name)
	}
	for _, id := range want {
		if !slices.Contains(cards, id) {
			t.Errorf("the page does not show %s", id)
		}
	}
	if first := evaluate[string](t, ctx, `document.querySelector("main section").id`); first != "op-submit" {
		t.Errorf("the first operation shown is %s", first)
	}
	shell := evaluate[string](t, ctx, `[...document.querySelectorAll("#op-submit pre")].pop().textContent`)
	if !strings.HasPrefix(shell, "curl -s -X POST '"+at+"/v1/requests'") || !strings.Contains(shell, `"question":"Which database?"`) {
		t.Errorf("asking from a shell is %q", shell)
	}
	if err := chromedp.Do(ctx, chromedp.SendKeys(chromedp.CSS("#filter"), "Last-Event-ID")); err != nil {
		t.Fatal(err)
	}
	if found := evaluate[[]string](t, ctx, shown); !slices.Equal(found, []string{"op-events", "op-requestEvents"}) {
		t.Errorf("looking for Last-Event-ID finds %v", found)
	}
}
