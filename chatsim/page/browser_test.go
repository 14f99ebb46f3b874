package page_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/askbridge/askbridge/test/need"
)

var (
	shots   = flag.String("shots", "", "write screenshots of the page into this folder")
	picture = flag.String("picture", "", "write the picture of the README into this file")
	gallery = flag.String("gallery", "", "draw the golden cases of this folder in the gallery")
)

// size is that of a screen.
type size struct {
	width, height int64
	phone         bool
}

var (
	desktop = size{1280, 800, false}
	tablet  = size{900, 1100, false}
	phone   = size{390, 844, true}
)

// browser is one Chromium for all tests of a run.
func browser(t *testing.T) context.Context {
	t.Helper()
	opts := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(need.Binary(t, "chromium")), chromedp.UserDataDir(t.TempDir()), chromedp.Headless, chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.WSURLReadTimeout(time.Minute),
	}
	alloc, stop := chromedp.NewExecAllocator(context.Background(), opts...)
	ctx, cancel := chromedp.NewContext(alloc)
	t.Cleanup(func() {
		if err := chromedp.Cancel(ctx); err != nil {
			t.Errorf("close the browser: %v", err)
		}
		cancel()
		stop()
	})
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("start the browser: %v", err)
	}
	return ctx
}

// tab is one open page. Anything its console complains of fails the test.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu         sync.Mutex
	complaints []string
	forgives   string // complaints with this text are expected
}

func open(t *testing.T, browser context.Context, url string, s size) *tab {
	t.Helper()
	return openAt(t, browser, url, s, time.Time{})
}

// openAt opens a page and stops its clock at a time, unless that is zero.
func openAt(t *testing.T, browser context.Context, url string, s size, at time.Time) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	ctx, stop := context.WithTimeout(ctx, 4*time.Minute)
	t.Cleanup(stop)
	p := &tab{t: t, ctx: ctx}
	complain := func(format string, args ...any) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.complaints = append(p.complaints, fmt.Sprintf(format, args...))
	}
	err := chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *log.EventEntryAdded:
			complain("%s %s: %s %s", e.Entry.Source, e.Entry.Level, e.Entry.Text, e.Entry.URL)
		case *runtime.EventExceptionThrown:
			complain("exception: %+v", e.ExceptionDetails)
		case *runtime.EventConsoleAPICalled:
			complain("console.%s", e.Type)
		}
	})
	if err != nil {
		t.Fatalf("open a tab: %v", err)
	}
	t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, c := range p.complaints {
			if p.forgives == "" || !strings.Contains(c, p.forgives) {
				t.Errorf("the browser complains: %s", c)
			}
		}
	})
	for _, enable := range []cdp.Command[cdp.Empty, cdp.Empty]{log.Enable, runtime.Enable} {
		if _, err := chromedp.Call(ctx, enable, cdp.Empty{}); err != nil {
			t.Fatal(err)
		}
	}
	if !at.IsZero() {
		still := page.AddScriptToEvaluateOnNewDocumentParams{Source: fmt.Sprintf(`{
			const now = %d, Clock = Date;
			Date = class extends Clock { constructor(...args) { args.length > 0 ? super(...args) : super(now); } };
			Date.now = () => now;
		}`, at.UnixMilli())}
		if _, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, still); err != nil {
			t.Fatal(err)
		}
	}
	p.do(resize(s), chromedp.Navigate(url), chromedp.WaitVisible(chromedp.CSS("body[data-ready]")))
	return p
}

func resize(s size) chromedp.Action[chromedp.Void] {
	opts := []chromedp.EmulateViewportOption{}
	if s.phone {
		opts = append(opts, chromedp.EmulateMobile, chromedp.EmulateTouch)
	}
	return chromedp.EmulateViewport(s.width, s.height, opts...)
}

func (p *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, actions...); err != nil {
		p.t.Fatalf("%v\nthe page shows:\n%s", err, p.text("body"))
	}
}

// press clicks on what a CSS selector finds.
func (p *tab) press(selector string) {
	p.t.Helper()
	p.click(fmt.Sprintf("document.querySelector(%q)", selector))
}

// aim waits for the element that an expression finds until it can be used and its surroundings are at rest. It
// returns the element's middle, and blocks a click that misses it because the page changes at that moment.
const aim = `((find) => {
	const element = find();
	if (!element || element.disabled || element.closest('.pane')?.querySelector('[aria-busy=true]')) return null;
	element.scrollIntoView({block: 'nearest'});
	const box = element.getBoundingClientRect();
	const at = {x: box.x + box.width / 2, y: box.y + box.height / 2};
	if (!element.contains(document.elementFromPoint(at.x, at.y))) return null;
	window.aimed?.off.abort();
	const aimed = window.aimed = {off: new AbortController(), hit: false};
	const guard = (event) => {
		if (!find()?.contains(event.target)) {
			event.preventDefault();
			event.stopImmediatePropagation();
		} else if (event.type === 'click') aimed.hit = true;
	};
	for (const kind of ['pointerdown', 'mousedown', 'click']) window.addEventListener(kind, guard, {capture: true, signal: aimed.off.signal});
	return at;
})(() => %s)`

// click clicks on the element that an expression finds. A click that missed it is made again.
func (p *tab) click(find string) {
	p.t.Helper()
	for range 20 {
		at := poll[map[string]float64](p, fmt.Sprintf(aim, find))
		p.do(chromedp.MouseClickXY(at["x"], at["y"]))
		if js[bool](p, "window.aimed.off.abort(), window.aimed.hit") {
			return
		}
	}
	p.t.Fatalf("no click lands on %s\nthe page shows:\n%s", find, p.text("body"))
}

// look opens the tools where one of them is.
func (p *tab) look(tool string) {
	p.t.Helper()
	if !js[bool](p, "document.body.classList.contains('panel-open')") {
		p.press("#panel-button")
	}
	p.press("#tab-" + tool)
}

// write types into a field.
func (p *tab) write(selector, text string) {
	p.t.Helper()
	p.do(chromedp.SendKeys(chromedp.CSS(selector), text, chromedp.NodeVisible))
}

// js evaluates an expression.
func js[T any](p *tab, expression string) T {
	p.t.Helper()
	out, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return out
}

// awaited is js for an expression that is a promise.
func awaited[T any](p *tab, expression string) T {
	p.t.Helper()
	out, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return out
}

func (p *tab) text(selector string) string {
	out, err := chromedp.Run(p.ctx, chromedp.Evaluate[string](fmt.Sprintf("document.querySelector(%q)?.innerText || ''", selector)))
	if err != nil {
		return err.Error()
	}
	return out
}

// wait returns when the expression is true.
func (p *tab) wait(expression string) {
	p.t.Helper()
	poll[any](p, expression)
}

// poll returns what the expression gives once that is true.
func poll[T any](p *tab, expression string) T {
	p.t.Helper()
	action := chromedp.Poll[T](expression, chromedp.WithPollingTimeout(time.Minute), chromedp.WithPollingInterval(20*time.Millisecond))
	out, err := chromedp.Run(p.ctx, action)
	if err != nil {
		p.t.Fatalf("waiting for %s: %v\nthe page shows:\n%s", expression, err, p.text("body"))
	}
	return out
}

// sees waits until the selector's element contains the text.
func (p *tab) sees(selector, text string) {
	p.t.Helper()
	p.wait(fmt.Sprintf("(document.querySelector(%q)?.innerText || '').includes(%q)", selector, text))
}

// lacks waits until nothing matches the selector.
func (p *tab) lacks(selector string) {
	p.t.Helper()
	p.wait(fmt.Sprintf("!document.querySelector(%q)", selector))
}

// thumbs fails for every control in sight that is smaller than a thumb. A line of the timeline is a text that can be pressed.
func (p *tab) thumbs(view string) {
	p.t.Helper()
	small := js[[]string](p, `[...document.querySelectorAll('button:not(.event-words), .bar-link, summary, select, textarea, input:not([type=radio], [type=checkbox]), .choice')]
		.filter((e) => e.checkVisibility()).map((e) => [e, e.getBoundingClientRect()]).filter(([, box]) => Math.min(box.width, box.height) < 44)
		.map(([e, box]) => (e.getAttribute('aria-label') || e.innerText || e.id) + ' ' + box.width.toFixed() + 'x' + box.height.toFixed())`)
	if len(small) > 0 {
		p.t.Errorf("%s: too small for a thumb: %q", view, small)
	}
}

// shoot takes a picture in the light and in the dark, where they were asked for, and checks that nothing sticks out.
func (p *tab) shoot(name string) {
	p.t.Helper()
	if wide := js[int](p, "document.documentElement.scrollWidth - innerWidth"); wide > 0 {
		p.t.Errorf("%s: the page is %d pixels wider than the screen", name, wide)
	}
	out := js[[]string](p, `[...document.querySelectorAll('.messages, .panel .list, .body, .topbar')]
		.filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.className || e.id)`)
	if len(out) > 0 {
		p.t.Errorf("%s: wider than its place: %v", name, out)
	}
	if *shots == "" {
		return
	}
	for _, scheme := range []string{"light", "dark"} {
		p.capture(scheme, filepath.Join(*shots, strings.ReplaceAll(name, " ", "-")+"-"+scheme+".png"))
	}
}

// capture writes what the page shows in the light or in the dark into a file.
func (p *tab) capture(scheme, file string) {
	p.t.Helper()
	p.scheme(scheme)
	p.settle()
	png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(file, png, 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// scheme turns the page light or dark.
func (p *tab) scheme(scheme string) {
	p.t.Helper()
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
	if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, media); err != nil {
		p.t.Fatal(err)
	}
}

// settle waits until the page is drawn and nothing moves.
func (p *tab) settle() {
	p.t.Helper()
	p.do(chromedp.Poll[chromedp.Void]("document.getAnimations().every((a) => a.playState === 'finished')"))
	p.do(chromedp.Evaluate[chromedp.Void]("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))", chromedp.EvalAwaitPromise))
}
