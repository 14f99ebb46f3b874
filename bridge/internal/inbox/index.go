package inbox

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
)

const (
	// Lately is how long a person's inbox shows what they decided or passed on.
	Lately = 24 * time.Hour
	// maxEnded is the maximum number of ended requests in the index.
	maxEnded = 10_000
	// soon is the time before a deadline that makes a request urgent.
	soon = time.Hour
	// titleKept is the length of a title in bytes; the layout cuts it further.
	titleKept = 400
)

// Index finds the requests of a person. It is safe for concurrent use.
type Index struct {
	mu   sync.Mutex
	all  map[string]*entry            // by ID
	of   map[string]map[string]*entry // by person or group, then by ID
	over *simplelru.LRU[string, *entry]
}

// entry is one request in the index.
type entry struct {
	// r lacks everything that only its card shows. It is shared and never changes.
	r     *record.Record
	title string
	// names are the people and groups of an open request, or the people who decided or passed on an ended one.
	names []string
}

// NewIndex returns an empty index.
func NewIndex() *Index {
	x := &Index{all: map[string]*entry{}, of: map[string]map[string]*entry{}}
	over, err := simplelru.NewLRU(maxEnded, func(_ string, e *entry) { x.drop(e) })
	if err != nil {
		panic(err) // Only a size below one fails.
	}
	x.over = over
	return x
}

// Put stores a state of a request unless a newer one is stored. It returns the people and groups with an inbox that
// may change.
func (x *Index) Put(r *record.Record) (names []string) {
	next := &entry{r: slim(r), title: Title(r), names: namesOf(r)}
	x.mu.Lock()
	defer x.mu.Unlock()
	old := x.all[r.ID]
	if old != nil && old.r.Version >= r.Version {
		return nil
	}
	if old != nil {
		names = old.names
		x.over.Remove(r.ID)
		x.drop(old)
	}
	if len(next.names) > 0 {
		x.add(next)
	}
	return append(slices.Clip(names), next.names...)
}

// version returns the version that is stored of a request, zero if none is.
func (x *Index) version(id string) int64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	if e := x.all[id]; e != nil {
		return e.r.Version
	}
	return 0
}

func (x *Index) add(e *entry) {
	x.all[e.r.ID] = e
	for _, name := range e.names {
		if x.of[name] == nil {
			x.of[name] = map[string]*entry{}
		}
		x.of[name][e.r.ID] = e
	}
	if !e.r.Open() {
		x.over.Add(e.r.ID, e)
	}
}

// drop removes an entry, unless a newer one has replaced it.
func (x *Index) drop(e *entry) {
	if x.all[e.r.ID] != e {
		return
	}
	delete(x.all, e.r.ID)
	for _, name := range e.names {
		if delete(x.of[name], e.r.ID); len(x.of[name]) == 0 {
			delete(x.of, name)
		}
	}
}

// Groups lists the groups of an installation that any request names.
func (x *Index) Groups(prefixes []string, installation string) []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	var all []string
	for name := range x.of {
		if e, ok := ask.ParseEntry(name); ok && e.Kind != "" && e.Installation == installation && slices.Contains(prefixes, e.Prefix()) {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

// Waiting lists the requests that wait for someone in an installation, most urgent first: those with a near deadline,
// then those with a high risk, by deadline and age.
func (x *Index) Waiting(who ask.Responder, installation string, now time.Time) []string {
	var waiting []*entry
	for _, e := range x.find(who) {
		if record.Waits(e.r, who, installation) {
			waiting = append(waiting, e)
		}
	}
	slices.SortFunc(waiting, func(a, b *entry) int { return Urgency(a.r, b.r, now) })
	ids := make([]string, len(waiting))
	for n, e := range waiting {
		ids[n] = e.r.ID
	}
	return ids
}

// Urgency orders requests, the most urgent first.
func Urgency(a, b *record.Record, now time.Time) int {
	near := func(r *record.Record) bool { return !r.Deadline.IsZero() && r.Deadline.Sub(now) <= soon }
	first := func(a, b bool) int {
		switch {
		case a == b:
			return 0
		case a:
			return -1
		}
		return 1
	}
	byDeadline := cmp.Or(first(!a.Deadline.IsZero(), !b.Deadline.IsZero()), a.Deadline.Compare(b.Deadline))
	byRisk := first(a.Risk == ask.HighRisk, b.Risk == ask.HighRisk)
	byAge := cmp.Or(a.Created.Compare(b.Created), strings.Compare(a.ID, b.ID))
	if near(a) || near(b) {
		return cmp.Or(first(near(a), near(b)), byDeadline, byRisk, byAge)
	}
	return cmp.Or(byRisk, byDeadline, byAge)
}

// done lists what someone decided and what they passed on lately in an installation, newest first.
func (x *Index) done(who ask.Responder, installation string, now time.Time) (decided, passed []*entry) {
	mine := func(account string) bool { return account == who.Key() || slices.Contains(who.Groups, account) }
	for _, e := range x.find(who) {
		if _, shown := record.InboxCopy(e.r, who.Person, installation); !shown {
			continue
		}
		ended := !e.r.Open()
		switch {
		case ended && now.Sub(e.r.EndedAt) > Lately:
		case slices.ContainsFunc(record.Passes(e.r), func(p *record.Pass) bool { return mine(p.By.Key()) }):
			passed = append(passed, e)
		case ended && slices.ContainsFunc(record.DecidedBy(e.r), mine):
			decided = append(decided, e)
		}
	}
	newest := func(a, b *entry) int {
		return cmp.Or(b.r.EndedAt.Compare(a.r.EndedAt), b.r.Created.Compare(a.r.Created), strings.Compare(a.r.ID, b.r.ID))
	}
	slices.SortFunc(decided, newest)
	slices.SortFunc(passed, newest)
	return decided, passed
}

// find returns the entries that name someone or one of their groups.
func (x *Index) find(who ask.Responder) map[string]*entry {
	x.mu.Lock()
	defer x.mu.Unlock()
	found := map[string]*entry{}
	for _, name := range append(slices.Clip(who.Groups), who.Key()) {
		maps.Copy(found, x.of[name])
	}
	return found
}

// namesOf lists the people and groups with the request in their inbox, now or maybe.
func namesOf(r *record.Record) []string {
	names := record.DecidedBy(r)
	if r.Open() {
		names = record.Named(r)
	}
	for _, p := range record.Passes(r) {
		if by := p.By.Key(); !slices.Contains(names, by) {
			names = append(names, by)
		}
	}
	return names
}

// slim returns a record without what is read only to draw its card.
func slim(r *record.Record) *record.Record {
	next := *r
	next.Context, next.Links, next.Files, next.Questions, next.Drafts = "", nil, nil, nil, nil
	next.Trail, next.Permit, next.AskedBack, next.Recent, next.Webhook = nil, nil, nil, nil, nil
	return &next
}

// Title names a request by its first question.
func Title(r *record.Record) string {
	if len(r.Questions) == 0 {
		return ""
	}
	text := r.Questions[0].Text
	if len(text) > titleKept {
		text = strings.Clone(strings.ToValidUTF8(text[:titleKept], ""))
	}
	return text
}
