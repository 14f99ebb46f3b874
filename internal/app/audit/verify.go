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

// Report is the result of a verification.
type Report struct {
	// Lines and Texts are how many were read, and Heads the last head of each tenant.
	Lines, Texts int
	Heads        []Head
	// Problems are violations. Notes are other observations.
	Problems []string
	Notes    []string
}

// chain is what was read of one tenant's chain.
type chain struct {
	first, last int64
	hash        string
	head        *Head
	read        map[int64]string // Hashes of lines.
	texts       map[int64]*Line  // Lines whose texts have not been read.
	seqs        map[string]int64 // Last event by request.
	erased      []*Line
	// batches are the lengths of complete batches by first line. A device can receive a batch again
	// after a crash, but always completely. Any other repeated line was inserted.
	batches map[int64]int
}

// entry is a line of the batch that is being read.
type entry struct {
	*Line

	at   int // Line of the input.
	sum  string
	text bool // Whether its text follows.
}

type verifier struct {
	report   Report
	key      string // The only accepted key; empty accepts the first one.
	chains   map[string]*chain
	run      []entry // Lines since the last head.
	repeated int
	begins   time.Time // Of the oldest line.
	at       int       // Line of the input.
}

// Verify reads a trail, as [Log.Page] and devices write it, and reports what is wrong with it. The
// key is the public key of the trail; without one, Verify accepts the first key it finds and notes
// it. Known heads were saved elsewhere: a trail that ends before one, or contradicts it, was
// changed. If a known chain is missing and all lines are newer than its head, it may have expired;
// that is a note. Verify fails only if r does.
func Verify(r io.Reader, key string, known []Head) (Report, error) {
	v := &verifier{key: key, chains: map[string]*chain{}}
	in := bufio.NewReaderSize(r, 64<<10)
	for {
		data, err := in.ReadBytes('\n')
		if len(data) > 0 {
			v.at++
			v.read(data)
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

func (v *verifier) note(format string, args ...any) {
	v.report.Notes = append(v.report.Notes, fmt.Sprintf(format, args...))
}

func (v *verifier) chain(tenant string) *chain {
	c := v.chains[tenant]
	if c == nil {
		c = &chain{read: map[int64]string{}, texts: map[int64]*Line{}, seqs: map[string]int64{}, batches: map[int64]int{}}
		v.chains[tenant] = c
	}
	return c
}

func (v *verifier) read(data []byte) {
	data, whole := bytes.CutSuffix(data, []byte("\n"))
	switch {
	case !whole:
		v.wrong("truncated")
	case bytes.HasPrefix(data, []byte(headed)):
		v.readHead(data)
	case bytes.HasPrefix(data, []byte(texted)):
		v.readText(data)
	default:
		v.readLine(data)
	}
}

// cutTail splits data into content and a value of a fixed length between a name and `"}`.
func cutTail(data []byte, name string, length int) (body []byte, value string, ok bool) {
	at := len(data) - len(name) - length - len(`"}`)
	if at < 0 || !bytes.HasPrefix(data[at:], []byte(name)) || !bytes.HasSuffix(data, []byte(`"}`)) {
		return nil, "", false
	}
	return data[:at], string(data[at+len(name) : len(data)-len(`"}`)]), true
}

func (v *verifier) readLine(data []byte) {
	body, sum, ok := cutTail(data, hashed, hashLen)
	if !ok {
		v.wrong("not a line of a trail")
		return
	}
	whole := append(slices.Clone(body), '}')
	if hash(whole) != sum {
		v.wrong("changed: the hash does not match")
		return
	}
	l := &Line{}
	if err := strictly(whole, l); err != nil || l.Form != lineForm {
		v.wrong("unreadable line of form %d: %v", l.Form, err)
		return
	}
	v.run = append(v.run, entry{Line: l, at: v.at, sum: sum})
}

// endBatch adds the lines that were read since the last head, which h follows unless the input ends.
func (v *verifier) endBatch(h *Head) {
	run := v.run
	v.run = nil
	repeated := h != nil && v.repeats(run)
	for _, e := range run {
		c := v.chain(e.Tenant)
		known, again := c.read[e.N]
		switch {
		case again && known != e.sum:
			v.wrongAt(e.at, "line %d of %q repeated with different content", e.N, e.Tenant)
		case again && !repeated:
			v.wrongAt(e.at, "line %d of %q repeated: it was inserted", e.N, e.Tenant)
		case !again:
			v.add(c, e)
		}
		if e.text && c.texts[e.N] != nil {
			v.report.Texts++
			delete(c.texts, e.N)
		}
	}
	if h == nil {
		return
	}
	c := v.chain(h.Tenant)
	ends := len(run) > 0 && run[len(run)-1].Tenant == h.Tenant && run[len(run)-1].N == h.N
	switch {
	case !ends && h.N <= c.last:
		v.wrong("head of line %d of %q not behind that line: it was inserted", h.N, h.Tenant)
	case !v.matches(h):
	case repeated:
		v.repeated++
	default:
		c.head = h
		c.batches[run[0].N] = len(run)
	}
}

// repeats reports whether lines are exactly those of a complete batch that was read before.
func (v *verifier) repeats(run []entry) bool {
	if len(run) == 0 || v.chain(run[0].Tenant).batches[run[0].N] != len(run) {
		return false
	}
	for n, e := range run {
		if e.Tenant != run[0].Tenant || e.N != run[0].N+int64(n) {
			return false
		}
	}
	return true
}

// add adds a new line to its chain.
func (v *verifier) add(c *chain, l entry) {
	v.report.Lines++
	if v.begins.IsZero() || l.At.Before(v.begins) {
		v.begins = l.At
	}
	switch {
	case c.last == 0 && l.N > 1:
		v.note("the trail of %q begins with line %d of %s; earlier lines are not in this copy", l.Tenant, l.N, l.At.UTC().Format(time.RFC3339))
	case c.last == 0 && l.Prev != "":
		v.wrongAt(l.at, "first line of %q with a hash of an earlier one", l.Tenant)
	case c.last == 0:
	case l.N > c.last+1:
		v.wrongAt(l.at, "line %d of %q after line %d: %d lines were removed", l.N, l.Tenant, c.last, l.N-c.last-1)
	case l.N != c.last+1:
		v.wrongAt(l.at, "line %d of %q after line %d: lines were inserted or reordered", l.N, l.Tenant, c.last)
	case l.Prev != c.hash:
		v.wrongAt(l.at, "does not continue the line of %q before it", l.Tenant)
	}
	if c.last == 0 {
		c.first = l.N
	}
	c.last, c.hash, c.read[l.N] = l.N, l.sum, l.sum
	if l.Text != "" {
		c.texts[l.N] = l.Line
	}
	switch {
	case l.Kind == kindErased:
		c.erased = append(c.erased, l.Line)
	case l.Request != "" && l.Kind != KindCounted:
		if last, known := c.seqs[l.Request]; known && l.Seq > last+1 || !known && l.Seq > 1 && c.first == 1 {
			v.wrongAt(l.at, "event %d of request %s: the events from %d on are missing", l.Seq, l.Request, last+1)
		}
		c.seqs[l.Request] = max(c.seqs[l.Request], l.Seq)
	}
}

func (v *verifier) readText(data []byte) {
	inner := data[len(texted) : len(data)-1]
	var t Text
	if err := strictly(inner, &t); err != nil || data[len(data)-1] != '}' {
		v.wrong("not a text of a trail")
		return
	}
	var last *entry
	if len(v.run) > 0 {
		last = &v.run[len(v.run)-1]
	}
	switch {
	case last == nil || last.N != t.N || last.text:
		v.wrong("text not behind its line: it was inserted")
	case last.Text != hash(inner):
		v.wrong("not the text of line %d: it was changed or inserted", t.N)
	default:
		last.text = true
	}
}

func (v *verifier) readHead(data []byte) {
	body, text, ok := cutTail(data, signature, 2*ed25519.SignatureSize)
	var h Head
	if !ok || len(body) < len(headed) || strictly(body[len(headed):], &h) != nil || text != strings.ToLower(text) {
		v.wrong("not a head of a trail")
		return
	}
	if v.key == "" {
		v.key = h.Key
		v.note("no key was given, so the trail's own was used: %s", h.Key)
	}
	signed, failed := hex.DecodeString(text)
	public, err := hex.DecodeString(h.Key)
	switch {
	case h.Key != v.key:
		v.wrong("signed with a different key: %s", h.Key)
	case failed != nil || err != nil || len(public) != ed25519.PublicKeySize || !ed25519.Verify(public, body[len(headed):], signed):
		v.wrong("invalid signature")
	default:
		v.endBatch(&h)
	}
}

// matches reports whether a head belongs to the chain as it was read.
func (v *verifier) matches(h *Head) bool {
	c := v.chain(h.Tenant)
	switch hash, read := c.read[h.N]; {
	case h.N < c.first: // Not in this copy.
	case !read:
		v.wrong("the trail of %q goes to line %d and ends at line %d here: %d lines were cut off", h.Tenant, h.N, c.last, h.N-c.last)
	case hash != h.Hash:
		v.wrong("line %d of %q differs from the signed one", h.N, h.Tenant)
	default:
		return true
	}
	return false
}

// finish checks what is only known at the end.
func (v *verifier) finish(known []Head) {
	v.endBatch(nil)
	for _, h := range known {
		if v.chains[h.Tenant] == nil && h.At.Before(v.begins) {
			v.note("the trail of %q went to line %d on %s; this copy begins later and has none of it", h.Tenant, h.N, h.At.UTC().Format(time.RFC3339))
			continue
		}
		v.matches(&h)
	}
	withoutText := 0
	for _, tenant := range slices.Sorted(maps.Keys(v.chains)) {
		c := v.chains[tenant]
		switch {
		case c.head == nil:
			v.wrong("%q has no signed head", tenant)
		case c.head.N != c.last:
			v.wrong("the last lines of %q, from %d to %d, are not signed", tenant, c.head.N+1, c.last)
		}
		if c.head != nil {
			v.report.Heads = append(v.report.Heads, *c.head)
		}
		for _, n := range slices.Sorted(maps.Keys(c.texts)) {
			switch {
			case slices.ContainsFunc(c.erased, func(e *Line) bool { return e.erases(c.texts[n]) }):
			case v.report.Texts == 0:
				withoutText++
			default:
				v.wrong("the text of line %d of %q is missing without an erasure", n, tenant)
			}
		}
	}
	if v.repeated > 0 {
		v.note("repeated batches: %d; each counted once", v.repeated)
	}
	if withoutText > 0 {
		v.note("this copy holds no texts")
	}
}

// strictly decodes JSON that has only the members of v.
func strictly(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if d.InputOffset() != int64(len(data)) {
		return errors.New("trailing data")
	}
	return nil
}
