package page_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"regexp"
	"testing"
)

// readmePicture is the picture of the README. "make picture" makes it.
const readmePicture = "../../docs/picture.png"

// cardTime matches what differs between two pictures of the same cards: times, and words for days.
var cardTime = regexp.MustCompile(`\d{1,2}:\d\d [AP]M|(tomorrow|today|[A-Z]\w+ \d{1,2}, \d{4}),?( at)?|in \d+ (hours|minutes)`)

// cards returns the texts of the cards on both platforms, without their times.
func (p *tab) cards() string {
	p.t.Helper()
	return cardTime.ReplaceAllString(p.text("#slack-messages")+"\n--\n"+p.text("#discord-messages"), "…")
}

// checkPicture compares the cards on the page with those in the picture of the README, or takes a new picture.
func checkPicture(t *testing.T, p *tab) {
	t.Helper()
	const question = "Which database should the new ledger use?"
	p.sees("#slack-messages", question)
	p.sees("#discord-messages", question)
	cards := p.cards()
	if *picture != "" {
		p.capture("light", *picture)
		png, err := os.ReadFile(*picture)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(*picture, withNote(png, cards), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	png, err := os.ReadFile(readmePicture)
	if err != nil {
		t.Fatal(err)
	}
	if got := note(png); got != cards {
		t.Errorf("docs/picture.png is out of date: run \"make picture\"\nit shows\n%s\nthe page has\n%s", got, cards)
	}
}

// noteKey is the keyword of the text chunk of a picture that has the texts of its cards.
const noteKey = "iTXtCards\x00\x00\x00\x00\x00"

// withNote adds a text after the header of a PNG file, which is 33 bytes long. https://www.w3.org/TR/png-3/#11iTXt
func withNote(png []byte, text string) []byte {
	chunk := append([]byte(noteKey), text...)
	var out bytes.Buffer
	out.Write(png[:33])
	fmt.Fprintf(&out, "%s%s%s", binary.BigEndian.AppendUint32(nil, uint32(len(chunk)-4)), chunk,
		binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(chunk)))
	out.Write(png[33:])
	return out.Bytes()
}

// note returns the text that withNote added, or "".
func note(png []byte) string {
	if len(png) < 41+len(noteKey) || string(png[37:37+len(noteKey)]) != noteKey {
		return ""
	}
	size := int(binary.BigEndian.Uint32(png[33:37]))
	return string(png[37+len(noteKey) : min(41+size, len(png))])
}

func TestNoteOfAPicture(t *testing.T) {
	t.Parallel()
	png, err := os.ReadFile(readmePicture)
	if err != nil {
		t.Fatal(err)
	}
	bare := append(bytes.Clone(png[:33]), "rest"...)
	if got := note(withNote(bare, "two\nlines – é")); got != "two\nlines – é" || note(bare) != "" {
		t.Errorf("note = %q, without one %q", got, note(bare))
	}
}
