package page_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"image/color"
	"image/png"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"golang.org/x/tools/txtar"

	"github.com/askbridge/askbridge/chatsim/page"
	"github.com/askbridge/askbridge/render/testdata/cases"
)

var pictures = flag.Bool("pictures", false, "write the pictures of docs/gallery.md")

// docs is the folder of the documents, seen from the tests of this package.
const docs = "../../docs"

// shown matches a picture of docs/gallery.md and captures the name of its golden card.
var shown = regexp.MustCompile(`!\[[^]]+\]\(gallery/([a-z_]+)\.png\)`)

// TestGalleryPicturesShowTheGoldenCards compares what the pictures of docs/gallery.md were made of with the golden cards
// of now. "make gallery" makes them again.
func TestGalleryPicturesShowTheGoldenCards(t *testing.T) {
	t.Parallel()
	names := picturedCards(t)
	if *pictures {
		drawPictures(t, names)
	}
	var sums strings.Builder
	for _, name := range names {
		fmt.Fprintf(&sums, "%s  %s\n", cardSum(t, name), name)
	}
	file := filepath.Join(docs, "gallery", "cards.sha256")
	if *pictures {
		if err := os.WriteFile(file, []byte(sums.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	recorded, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(recorded) != sums.String() {
		t.Errorf("the cards in docs/gallery.md have changed since their pictures were made: run \"make gallery\"\nrecorded:\n%s\nnow:\n%s", recorded, sums.String())
	}
	files, err := filepath.Glob(filepath.Join(docs, "gallery", "*.png"))
	if err != nil || len(files) != len(names) {
		t.Errorf("docs/gallery has %d pictures and gallery.md shows %d (%v)", len(files), len(names), err)
	}
}

// picturedCards lists the golden cards that docs/gallery.md shows, in its order.
func picturedCards(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(docs, "gallery.md"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range shown.FindAllSubmatch(text, -1) {
		names = append(names, string(m[1]))
	}
	if len(names) != 12 {
		t.Errorf("docs/gallery.md shows %d cards, want 12: %q", len(names), names)
	}
	return names
}

// cardSum is the SHA-256 of a golden card on both platforms.
func cardSum(t *testing.T, name string) string {
	t.Helper()
	raw, err := cases.Files.ReadFile(name + ".txtar") // The simulator has every card of the page.
	if err != nil {
		t.Fatal(err)
	}
	hash := sha256.New()
	for _, f := range txtar.Parse(raw).Files {
		if f.Name == "slack.json" || f.Name == "discord.json" {
			var card bytes.Buffer
			if err := json.Compact(&card, f.Data); err != nil {
				t.Fatal(err)
			}
			hash.Write(card.Bytes())
		}
	}
	return hex.EncodeToString(hash.Sum(nil))
}

func drawPictures(t *testing.T, names []string) {
	t.Helper()
	p := openGallery(t, browser(t), size{1080, 2000, false})
	p.scheme("light")
	js[bool](p, "document.querySelectorAll('.case-forms, .as-notification').forEach((e) => e.remove()) || true")
	for _, name := range names {
		p.cutOut(name, " .case-cards", filepath.Join(docs, "gallery", name+".png"))
	}
}

// openGallery opens the gallery of all golden cards, at the time at which their questions were asked.
func openGallery(t *testing.T, chrome context.Context, s size) *tab {
	t.Helper()
	srv := httptest.NewServer(page.Handler(&page.Options{Cases: os.DirFS("../../render/testdata/cases"), Names: cases.Names}))
	t.Cleanup(srv.Close)
	p := openAt(t, chrome, srv.URL+"/gallery", s, time.Date(2026, 3, 14, 16, 2, 0, 0, time.UTC))
	p.wait("document.querySelectorAll('.case-card').length > 100")
	return p
}

// shootCards takes a picture of every golden card in light and dark if screenshots were asked for.
func shootCards(t *testing.T, chrome context.Context, width string, s size) {
	t.Helper()
	if *shots == "" {
		return
	}
	p := openGallery(t, chrome, size{min(s.width, 1080), 2400, s.phone})
	for _, scheme := range []string{"light", "dark"} {
		p.scheme(scheme)
		for _, name := range js[[]string](p, "[...document.querySelectorAll('.case')].map((e) => e.id)") {
			p.cutOut(name, "", filepath.Join(*shots, fmt.Sprintf("card-%s-%s-%s.png", name, width, scheme)))
		}
	}
}

// cutOut writes a picture of a golden card, or of a part of its section, into a file.
func (p *tab) cutOut(name, part, file string) {
	p.t.Helper()
	selector := "#" + name + part
	js[bool](p, fmt.Sprintf("document.querySelectorAll('.case').forEach((e) => { e.hidden = e.id !== %q }) || true", name))
	for range 20 {
		p.settle()
		picture, err := chromedp.Run(p.ctx, chromedp.Screenshot(chromedp.CSS(selector)))
		if err != nil {
			p.t.Fatal(err)
		}
		if !drawn(p.t, picture) {
			continue
		}
		if err := os.WriteFile(file, picture, 0o644); err != nil {
			p.t.Fatal(err)
		}
		return
	}
	p.t.Errorf("%s: the picture stays empty", file)
}

// drawn reports whether a picture shows something. On a busy machine a browser can take one before it has rendered.
func drawn(t *testing.T, picture []byte) bool {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		t.Fatal(err)
	}
	colors := map[color.Color]bool{}
	size := img.Bounds()
	for y := size.Min.Y; y < size.Max.Y; y++ {
		for x := size.Min.X; x < size.Max.X; x++ {
			if colors[img.At(x, y)] = true; len(colors) > 8 {
				return true
			}
		}
	}
	return false
}
