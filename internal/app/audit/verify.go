package audit

import (
	"bufio"
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// Report is what was found in a trail.
type Report struct {
	// Lines and Texts are how many were read, and Heads how far the chain of each tenant
	// goes, by its last signed head.
	Lines, Texts int
	Heads        []Head
	// Problems are what must not be, first the first one of the trail. Notes are what is no
	// mistake and good to know.
	Problems []string
	Notes    []string
}

// chainState is how far one tenant's chain was read.
type chainState struct {
	first, last int64
	hash        string
	head        *Head
	// read are the lines by number.
	read map[int64]sums
	batches
	// texts are the lines whose texts have not come yet.
	texts  map[int64]*Line
	seqs   map[string]int64
	erased []*Line
}

// sums are the hashes of a line and of the text beside it, which is empty where it has none.
type sums struct{ line, text string }

type verifier struct {
	report Report
	// key is the only one that may have signed; empty takes the first one.
	key    string
	chains map[string]*chainState
	// behind is the line that the next text has to belong to; its chain is nil after a text or a head.
	behind struct {
		chain *chainState
		n     int64
	}
	// begins is the moment of the oldest line.
	begins time.Time
	at     int
}

// Verify reads a trail, as [Export] and devices write it, and tells what is wrong with it.
// The key is the public one of whoever keeps the trail; without one the trail's own word is
// taken for it, which a note says. Known are heads that were kept elsewhere: a trail that
// does not reach them, or says otherwise, was changed. Of a chain without a line whose head is
// older than all lines, as after it has expired, a note tells. A batch that appears again as a
// whole is counted once, and a note gives the number. It fails only where r does.
func Verify(r io.Reader, key string, known []Head) (Report, error) {
	v := &verifier{key: key, chains: map[string]*chainState{}}
	in := bufio.NewReaderSize(r, 64<<10)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			v.at++
			if !bytes.HasSuffix(line, []byte("\n")) {
				v.wrong("is cut off")
			} else {
				v.read(bytes.TrimSuffix(line, []byte("\n")))
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return v.report, fmt.Errorf("audit: read line %d: %w", v.at+1, err)
		}
	}
	v.finish(known)
	return v.report, nil
}

func (v *verifier) wrong(format string, args ...any) { v.wrongAt(v.at, format, args...) }

func (v *verifier) wrongAt(at int, format string, args ...any) {
	v.report.Problems = append(v.report.Problems, fmt.Sprintf("line %d: ", at)+fmt.Sprintf(format, args...))
}

func (v *verifier) read(data []byte) {
	switch {
	case bytes.HasPrefix(data, []byte(headed)):
		v.readHead(data)
	case bytes.HasPrefix(data, []byte(texted)):
		v.readText(data)
	default:
		v.readLine(data)
	}
}

func (v *verifier) readLine(data []byte) {
	const tail = len(hashed) + hashLen + len(`"}`)
	if len(data) < tail {
		v.wrong("is no line of a trail")
		return
	}
	body, rest := data[:len(data)-tail], string(data[len(data)-tail:])
	sum, ok := strings.CutPrefix(rest, hashed)
	if !ok || !strings.HasSuffix(sum, `"}`) {
		v.wrong("is no line of a trail")
		return
	}
	sum = strings.TrimSuffix(sum, `"}`)
	whole := append(slices.Clone(body), '}')
	if hash(whole) != sum {
		v.wrong("was changed: it does not have its hash")
		return
	}
	var l Line
	if err := strictly(whole, &l); err != nil || l.Form != lineForm {
		v.wrong("cannot be read: form %d, %v", l.Form, err)
		return
	}
	c := v.chain(l.Tenant)
	if _, again := c.read[l.N]; again {
		v.readAgain(c, &l, sum)
		return
	}
	v.unfinished(l.Tenant, c)
	v.report.Lines++
	if v.begins.IsZero() || l.At.Before(v.begins) {
		v.begins = l.At
	}
	c.next(l.N, v.at)
	v.behind.chain, v.behind.n = c, l.N
	if c.last == 0 {
		c.first = l.N
		if l.N > 1 {
			v.report.Notes = append(v.report.Notes, fmt.Sprintf("the trail of %q begins with line %d of %s; earlier lines are not in this copy", l.Tenant, l.N, l.At.UTC().Format(time.RFC3339)))
		} else if l.Prev != "" {
			v.wrong("is the first of %q and names one before", l.Tenant)
		}
	} else {
		switch {
		case l.N != c.last+1:
			v.wrong("is line %d of %q and comes behind line %d: %s", l.N, l.Tenant, c.last, missing(c.last, l.N))
		case l.Prev != c.hash:
			v.wrong("does not go on from the line before it of %q", l.Tenant)
		}
	}
	c.last, c.hash, c.read[l.N] = l.N, sum, sums{sum, l.Text}
	if l.Text != "" {
		c.texts[l.N] = &l
	}
	switch {
	case l.Kind == kindErased:
		c.erased = append(c.erased, &l)
	case l.Request != "" && l.Kind != kindCounted:
		if last, known := c.seqs[l.Request]; known && l.Seq > last+1 || !known && l.Seq > 1 && c.first == 1 {
			v.wrong("is event %d of request %s, whose events from %d on are missing", l.Seq, l.Request, last+1)
		}
		c.seqs[l.Request] = max(c.seqs[l.Request], l.Seq)
	}
}

func missing(last, next int64) string {
	if next > last+1 {
		return fmt.Sprintf("%d lines were taken out", next-last-1)
	}
	return "lines were inserted or changed places"
}

func (v *verifier) chain(tenant string) *chainState {
	c := v.chains[tenant]
	if c == nil {
		c = &chainState{read: map[int64]sums{}, batches: batches{known: map[int64]*batch{}}, texts: map[int64]*Line{}, seqs: map[string]int64{}}
		v.chains[tenant] = c
	}
	return c
}

func (v *verifier) readText(data []byte) {
	inner := data[len(texted) : len(data)-1]
	var t Text
	if err := strictly(inner, &t); err != nil || data[len(data)-1] != '}' {
		v.wrong("is no text of a trail")
		return
	}
	c := v.behind.chain
	if c == nil || v.behind.n != t.N {
		v.wrong("is a text and does not follow its line: it was inserted")
		return
	}
	if c.read[t.N].text != hash(inner) {
		v.wrong("is not the text of line %d: it was changed or inserted", t.N)
		return
	}
	v.behind.chain = nil
	if c.texts[t.N] != nil { // Else it has come before.
		v.report.Texts++
		delete(c.texts, t.N)
	}
}

func (v *verifier) readHead(data []byte) {
	const tail = len(signature) + 2*ed25519.SignatureSize + len(`"}`)
	if len(data) < len(headed)+tail {
		v.wrong("is no head of a trail")
		return
	}
	inner, rest := data[len(headed):len(data)-tail], string(data[len(data)-tail:])
	text, ok := strings.CutPrefix(rest, signature)
	text, end := strings.CutSuffix(text, `"}`)
	signed, err := hex.DecodeString(text)
	var h Head
	if unread := strictly(inner, &h); !ok || !end || err != nil || unread != nil || text != strings.ToLower(text) {
		v.wrong("is no head of a trail")
		return
	}
	if v.key == "" {
		v.key = h.Key
		v.report.Notes = append(v.report.Notes, "no key was given, so the trail's own was taken: "+h.Key)
	}
	public, err := hex.DecodeString(h.Key)
	switch {
	case h.Key != v.key:
		v.wrong("is signed with the key %s, which is another one than it has to be", h.Key)
		return
	case err != nil || len(public) != ed25519.PublicKeySize || !ed25519.Verify(public, inner, signed):
		v.wrong("is a head whose signature does not hold")
		return
	}
	v.behind.chain = nil
	c := v.chain(h.Tenant)
	if h.N <= c.last && !c.ends(h.N) {
		v.wrong("is a head of line %d of %q and does not follow that line: it was inserted", h.N, h.Tenant)
		return
	}
	if v.meets(&h) && c.end() {
		c.head = &h
	}
}

// meets reports whether a head is of the chain as it was read.
func (v *verifier) meets(h *Head) bool {
	c := v.chain(h.Tenant)
	switch l, read := c.read[h.N]; {
	case h.N < c.first:
		return false // Of what is not in this copy.
	case !read:
		v.wrong("the trail of %q goes to line %d and ends at line %d here: %d lines were cut off", h.Tenant, h.N, c.last, h.N-c.last)
	case l.line != h.Hash:
		v.wrong("line %d of %q is another one than was signed", h.N, h.Tenant)
	default:
		return true
	}
	return false
}

// finish looks at what can only be known at the end.
func (v *verifier) finish(known []Head) {
	for _, h := range known {
		if v.chains[h.Tenant] == nil && h.At.Before(v.begins) {
			v.report.Notes = append(v.report.Notes, fmt.Sprintf("the trail of %q went to line %d on %s; this copy begins later, and has none of it", h.Tenant, h.N, h.At.UTC().Format(time.RFC3339)))
			continue
		}
		v.meets(&h)
	}
	untold := 0
	for _, tenant := range slices.Sorted(maps.Keys(v.chains)) {
		c := v.chains[tenant]
		v.unfinished(tenant, c)
		switch {
		case c.head == nil:
			v.wrong("no head of %q is signed", tenant)
		case c.head.N != c.last:
			v.wrong("the last lines of %q, from %d to %d, are not signed", tenant, c.head.N+1, c.last)
		}
		if c.head != nil {
			v.report.Heads = append(v.report.Heads, *c.head)
		}
		for _, n := range slices.Sorted(maps.Keys(c.texts)) {
			switch l := c.texts[n]; {
			case slices.ContainsFunc(c.erased, l.erasedBy):
			case v.report.Texts == 0:
				untold++
			default:
				v.wrong("the text of line %d of %q is missing, and nobody has erased it", n, tenant)
			}
		}
	}
	v.noteRepeats()
	if untold > 0 {
		v.report.Notes = append(v.report.Notes, "this copy holds no texts")
	}
}

// erasedBy reports whether the text of the line was erased by what another line tells.
func (l *Line) erasedBy(e *Line) bool {
	return (e.Request == "" || e.Request == l.Request) && (e.By == "" || e.By == l.By)
}

// strictly reads JSON that has none but the members of v.
func strictly(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if d.InputOffset() != int64(len(data)) {
		return errors.New("something stands behind it")
	}
	return nil
}
