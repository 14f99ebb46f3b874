package audit

import (
	"bytes"
	"cmp"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
)

// Line is one event in the chain of a tenant.
type Line struct {
	Form int `json:"v"`
	// N counts the lines of the tenant, from 1.
	N int64 `json:"n"`
	// At is the time of the store, and for what is no request that of the replica.
	At     time.Time `json:"at"`
	Tenant string    `json:"tenant"`
	// Request, Seq and Revision are those of the record and its trail.
	Request  string `json:"request,omitempty"`
	Seq      int64  `json:"seq,omitempty"`
	Revision int64  `json:"revision,omitempty"`
	Kind     string `json:"kind"`
	// Agent is who asked. By is the person, as in "slack:U0000001", or the operator who
	// did it, and Human the name under which the configuration links their accounts.
	Agent string `json:"agent,omitempty"`
	By    string `json:"by,omitempty"`
	Human string `json:"human,omitempty"`
	// Act names the interaction.
	Act     string   `json:"act,omitempty"`
	Detail  string   `json:"detail,omitempty"`
	Choices []Choice `json:"choices,omitempty"`
	// Text is the hash of what stands beside the chain; see [Text].
	Text string `json:"text,omitempty"`
	// Prev is the hash of the line before.
	Prev string `json:"prev"`
}

// Choice is what somebody chose for one question. What was typed stands beside the chain.
type Choice struct {
	Question int      `json:"question"`
	Labels   []string `json:"labels,omitempty"`
	Typed    bool     `json:"typed,omitempty"`
	Skipped  bool     `json:"skipped,omitempty"`
}

// Text is what of an event can be erased: the name that a person went by, and what they
// wrote.
type Text struct {
	N    int64    `json:"n"`
	By   string   `json:"by,omitempty"`
	Name string   `json:"name,omitempty"`
	Said []string `json:"said,omitempty"`
	// Salt is random, so that the hash tells nothing of a text that was erased.
	Salt string `json:"salt"`
}

// Head says how far the chain of a tenant goes.
type Head struct {
	Tenant string    `json:"tenant"`
	N      int64     `json:"n"`
	Hash   string    `json:"hash"`
	At     time.Time `json:"at"`
	// Key is the public key of the signature.
	Key string `json:"key"`
}

const (
	lineForm = 1
	// maxText bounds what is kept of one text.
	maxText = 16 << 10

	// roomForLine is what most lines need.
	roomForLine = 640

	lined     = `{"v":1,"n":`
	hashed    = `,"hash":"`
	headed    = `{"head":`
	signature = `,"signature":"`
	texted    = `{"text":`
)

// ErrKey means that a key is none.
var ErrKey = errors.New("audit: a key is 64 hexadecimal digits; make one with: askbridge audit key")

// ParseKey reads the private key of heads.
func ParseKey(text string) (ed25519.PrivateKey, error) {
	seed, err := hex.DecodeString(text)
	if err != nil || len(seed) != ed25519.SeedSize {
		return nil, ErrKey
	}
	return ed25519.NewKeyFromSeed(seed), nil
}

// NewKey makes a private key, and returns it with the public one that belongs to it.
func NewKey() (private, public string) {
	var seed [ed25519.SeedSize]byte
	_, _ = rand.Read(seed[:]) // Never fails.
	return hex.EncodeToString(seed[:]), Public(ed25519.NewKeyFromSeed(seed[:]))
}

// Public is the public key that belongs to a private one.
func Public(key ed25519.PrivateKey) string {
	public, _ := key.Public().(ed25519.PublicKey)
	return hex.EncodeToString(public)
}

// marshal is JSON without the escapes that only HTML needs.
func marshal(v any) []byte {
	buf := bytes.NewBuffer(make([]byte, 0, roomForLine))
	marshalTo(buf, v)
	return buf.Bytes()
}

// marshalTo appends JSON, and returns what it has appended.
func marshalTo(buf *bytes.Buffer, v any) []byte {
	began := buf.Len()
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("audit: %T cannot be written: %v", v, err)) // None of ours can fail.
	}
	buf.Truncate(buf.Len() - len("\n"))
	return buf.Bytes()[began:]
}

// hashLen is the length of a hash in hexadecimal digits.
const hashLen = 2 * sha256.Size

// hash returns the SHA-256 of data in hexadecimal digits.
func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// encode appends a line as it stands in the chain, and returns its hash.
func (l *Line) encode(buf *bytes.Buffer) (sum string) {
	l.Form = lineForm
	sum = hash(marshalTo(buf, l))
	buf.Truncate(buf.Len() - len("}"))
	buf.WriteString(hashed)
	buf.WriteString(sum)
	buf.WriteString("\"}\n")
	return sum
}

// encode appends a text as it stands beside the chain, and returns its hash.
func (t *Text) encode(buf *bytes.Buffer) (sum string) {
	buf.WriteString(texted)
	sum = hash(marshalTo(buf, t))
	buf.WriteString("}\n")
	return sum
}

// sign returns a head as it stands behind the lines.
func (h *Head) sign(key ed25519.PrivateKey) []byte {
	h.Key = Public(key)
	inner := marshal(h)
	signed := hex.EncodeToString(ed25519.Sign(key, inner))
	return append(append([]byte(headed), inner...), signature+signed+`"}`...)
}

// draft is an event that has no place in a chain yet.
type draft struct {
	line Line
	text Text
	at   time.Time // Where it stands among others.
}

// draftsOf appends the lines of the events of a record after the one with a number.
func draftsOf(all []*draft, r *record.Record, after int64) []*draft {
	if r.Trail == nil {
		return all
	}
	for n := range r.Trail.Events {
		if e := &r.Trail.Events[n]; e.Seq > after {
			all = draftsOfEvent(all, r, e)
		}
	}
	return all
}

// draftsOfEvent appends the lines of one event: one, and for an end one more for each vote that
// counted, and for whoever else than its person wrote a part of what was answered: what stands
// beside a line is erased with the line's person.
func draftsOfEvent(all []*draft, r *record.Record, e *record.Event) []*draft {
	d := &draft{line: Line{
		At: e.At.UTC(), Tenant: r.Tenant, Request: r.ID, Seq: e.Seq, Revision: e.Revision, Kind: string(e.Kind), Agent: r.Agent, Act: e.Act, Detail: e.Detail,
	}}
	all = append(all, d)
	d.by(r, e.By)
	d.chose(e.Choices)
	d.say(e.Text)
	o := &r.Outcome
	if string(e.Kind) != string(o.State) || r.Open() {
		return all
	}
	beside := func(kind string, who ask.Person) *draft {
		next := &draft{line: d.line}
		next.line.Kind, next.line.Act, next.line.Detail, next.line.Choices = kind, "", "", nil
		next.by(r, who)
		all = append(all, next)
		return next
	}
	wrote := map[string]*draft{e.By.Key(): d}
	say := func(who ask.Person, text string) {
		if text == "" {
			return
		}
		who = cmp.Or(who, e.By)
		if wrote[who.Key()] == nil {
			wrote[who.Key()] = beside(kindWrote, who)
		}
		wrote[who.Key()].say(text)
	}
	for _, a := range o.Answers {
		d.line.Choices = append(d.line.Choices, Choice{Question: a.Index, Labels: a.Selected, Typed: a.Other != ""})
		say(a.By, a.Other)
		say(cmp.Or(a.NotesBy, a.By), a.Notes)
	}
	for _, s := range o.Skipped {
		d.line.Choices = append(d.line.Choices, Choice{Question: s.Index, Skipped: true})
		say(cmp.Or(s.NotesBy, s.By), s.Notes)
	}
	d.say(o.Reason)
	for _, v := range o.Votes {
		counted := beside(kindCounted, v.By)
		counted.chose(v.Choices)
		if v.Dismissed {
			counted.line.Detail = "dismiss"
		}
		counted.say(v.Reply)
	}
	return all
}

// kindWrote is what somebody else wrote of an answer than who ended the request.
const kindWrote = "wrote"

// kindCounted is a vote that counted at the end of a request.
const kindCounted = "counted"

func (d *draft) by(r *record.Record, who ask.Person) {
	if who == (ask.Person{}) {
		return
	}
	d.line.By = who.Key()
	d.text.Name = who.Name
	if r.Voting != nil {
		d.line.Human = r.Voting.Links[who.Key()]
	}
}

func (d *draft) chose(all []ask.Choice) {
	for _, c := range all {
		d.line.Choices = append(d.line.Choices, Choice{Question: c.Index, Labels: c.Selected, Typed: c.Other != "", Skipped: c.Skipped})
		d.say(c.Other)
		d.say(c.Notes)
	}
}

func (d *draft) say(text string) {
	if text == "" {
		return
	}
	d.text.Said = append(d.text.Said, cutTo(text, maxText))
}

// place gives an event its place behind a line, and appends what is written there. It returns
// the line's hash. What is longer than maxBatch is cut, part by part, until it fits: one event
// must not keep all others out of the trail.
func (d *draft) place(lines, texts *bytes.Buffer, n int64, prev string) (sum string) {
	d.line.N, d.line.Prev = n, prev
	if d.text.Name != "" || len(d.text.Said) > 0 {
		var salt [16]byte
		_, _ = rand.Read(salt[:]) // Never fails.
		d.text.N, d.text.By, d.text.Salt = n, d.line.By, hex.EncodeToString(salt[:])
		d.line.Text = fit(texts, d.text.encode, d.text.cut)
	}
	return fit(lines, d.line.encode, d.line.cut)
}

// fit has something appended, and cuts it until it is no longer than maxBatch. It returns the
// hash of it.
func fit(buf *bytes.Buffer, encode func(*bytes.Buffer) string, cut func(most int)) (sum string) {
	began := buf.Len()
	sum = encode(buf)
	for most := maxText; buf.Len()-began > maxBatch && most > 0; most /= 2 {
		cut(most)
		buf.Truncate(began)
		sum = encode(buf)
	}
	return sum
}

// cutTo is as much of a text as has most bytes. JSON mends a letter that is cut.
func cutTo(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return text[:most] + "…"
}

func (t *Text) cut(most int) {
	t.Name = cutTo(t.Name, most)
	for n, said := range t.Said {
		t.Said[n] = cutTo(said, most)
	}
}

func (l *Line) cut(most int) {
	l.Detail = cutTo(l.Detail, most)
	l.Choices = slices.Clone(l.Choices)
	for n := range l.Choices {
		// They are those of the record.
		l.Choices[n].Labels = slices.Clone(l.Choices[n].Labels)
		for i, label := range l.Choices[n].Labels {
			l.Choices[n].Labels[i] = cutTo(label, most)
		}
	}
}
