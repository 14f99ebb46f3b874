package ask

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/askbridge/askbridge/internal/rawjson"
)

// CheckMembers returns nil, or an [*InvalidError] that names every member which
// an object in the JSON text has twice. Readers of JSON disagree on which of the
// two counts (https://www.rfc-editor.org/rfc/rfc8259#section-4), so such a text
// could be shown as one thing and carried out as another.
//
// It takes time in proportion to the text and judges nothing else: a text that is
// not well formed is left to whoever decodes it.
func CheckMembers(data []byte) error {
	var c checker
	if json.Valid(data) {
		c.members("", data)
	}
	return c.err()
}

// members looks through a well-formed text, or an empty one.
func (c *checker) members(path string, data []byte) {
	scan := memberScan{rest: data, way: make([]level, 0, usualDepth), names: make([][]byte, 0, usualNames)}
	for scan.next() {
		if scan.twice() {
			c.addAt(func() string { return scan.path(path) }, ErrSyntax, "appears twice in its object; send it once")
		}
	}
}

// memberScan stops at the name of each member of a well-formed JSON text.
type memberScan struct {
	rest []byte
	// way leads from the outermost value to the one being read.
	way []level
	// names are those of all objects on the way, the outermost first.
	names [][]byte
}

// level is an object or a list that has been entered.
type level struct {
	object bool
	// naming tells that the next string is a member's name.
	naming bool
	// first is where the object's names begin, many holds them when there are
	// many.
	first int
	many  map[string]struct{}
	// index is the item of a list that is being read.
	index int
}

const (
	// fewNames is up to how many names are compared one by one.
	fewNames = 16
	// usualDepth and usualNames are how many levels and names there is room for from the start.
	usualDepth, usualNames = 8, 32
	// maxPath is how many levels of a path are written down.
	maxPath = 12
)

// next goes to the next member's name, and reports whether there is one.
func (s *memberScan) next() bool {
	for len(s.rest) > 0 {
		switch ch := s.rest[0]; ch {
		case '{', '[':
			s.way = append(s.way, level{object: ch == '{', naming: ch == '{', first: len(s.names)})
		case '}', ']':
			s.names = s.names[:s.top().first]
			s.way = s.way[:len(s.way)-1]
		case ',':
			s.top().naming = s.top().object
			s.top().index++
		case '"':
			text := rawjson.String(s.rest)
			s.rest = s.rest[len(text):]
			if len(s.way) == 0 || !s.top().naming {
				continue
			}
			s.top().naming = false
			s.names = append(s.names, rawjson.Spelled(text))
			return true
		}
		s.rest = s.rest[1:]
	}
	return false
}

func (s *memberScan) top() *level { return &s.way[len(s.way)-1] }

// twice reports whether the object has had a member of the same name before.
func (s *memberScan) twice() bool {
	top, last := s.top(), len(s.names)-1
	name, before := s.names[last], s.names[top.first:last]
	if top.many == nil && len(before) < fewNames {
		return slices.ContainsFunc(before, func(other []byte) bool { return bytes.Equal(other, name) })
	}
	if top.many == nil {
		top.many = make(map[string]struct{}, 2*fewNames)
		for _, other := range before {
			top.many[string(other)] = struct{}{}
		}
	}
	_, had := top.many[string(name)]
	top.many[string(name)] = struct{}{}
	return had
}

// path locates the member below base, as in "questions[1].options".
func (s *memberScan) path(base string) string {
	path := []byte(base)
	for n, l := range s.way {
		last := len(s.names) - 1
		if n+1 < len(s.way) {
			last = s.way[n+1].first - 1
		}
		if n == maxPath {
			return string(path) + "…"
		}
		if !l.object {
			path = append(strconv.AppendInt(append(path, '['), int64(l.index), 10), ']')
			continue
		}
		if len(path) > 0 {
			path = append(path, '.')
		}
		name := shorten(string(s.names[last]))
		if name == "" {
			name = `""`
		}
		path = append(path, name...)
	}
	return string(path)
}
