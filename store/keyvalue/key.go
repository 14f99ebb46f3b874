package keyvalue

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// The limits of keys and values, in bytes.
const (
	MaxKind   = 32
	MaxTenant = 128
	MaxID     = 256
	MaxValue  = 64 << 10
)

// SealedMark begins what a store has sealed; see store/seal. No value begins with it.
const SealedMark = "\x00sealed "

// Key names a value.
type Key struct {
	// Kind is what it is, such as "token" or "installation": a lower-case letter,
	// then lower-case letters, digits and dashes.
	Kind string
	// Tenant is whom it belongs to; empty is nobody in particular. The values of one
	// tenant are never among those that are listed for another.
	Tenant string
	// ID is which one: any text without control characters.
	ID string
}

var kind = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

// The tenant stands between two slashes, so it has none.
var (
	escape   = strings.NewReplacer("%", "%25", "/", "%2F")
	unescape = strings.NewReplacer("%25", "%", "%2F", "/")
)

// String is the key as one text: "kind/tenant/id". Stores keep keys in the order of
// their bytes.
func (k Key) String() string { return prefix(k.Kind, k.Tenant) + k.ID }

// prefix begins all keys of one kind and tenant, and no others.
func prefix(kind, tenant string) string { return kind + "/" + escape.Replace(tenant) + "/" }

// ParseKey reads what String has written.
func ParseKey(text string) (Key, error) {
	words := strings.SplitN(text, "/", 3)
	if len(words) < 3 {
		return Key{}, invalid(fmt.Errorf("key %q is not kind/tenant/id", text))
	}
	k := Key{Kind: words[0], Tenant: unescape.Replace(words[1]), ID: words[2]}
	if err := k.Validate(); err != nil {
		return Key{}, err
	}
	if k.String() != text {
		return Key{}, invalid(fmt.Errorf("key %q is not as it is written", text))
	}
	return k, nil
}

// Validate returns an [ErrInvalid] that names all that is wrong with a key.
func (k Key) Validate() error {
	return invalid(checkGroup(k.Kind, k.Tenant), checkText("id", k.ID, 1, MaxID))
}

func checkGroup(of, tenant string) error {
	var bad error
	if len(of) > MaxKind || !kind.MatchString(of) {
		bad = fmt.Errorf("kind %.40q: want up to %d lower-case letters, digits and dashes, a letter first", of, MaxKind)
	}
	return errors.Join(bad, checkText("tenant", tenant, 0, MaxTenant))
}

// checkText looks at a part of a key, which may stand in a log or a file of keys.
func checkText(name, text string, least, most int) error {
	switch {
	case len(text) < least:
		return fmt.Errorf("%s is empty", name)
	case len(text) > most:
		return fmt.Errorf("%s has %d bytes; at most %d are kept", name, len(text), most)
	case !utf8.ValidString(text):
		return fmt.Errorf("%s %q is not UTF-8", name, text)
	case strings.ContainsFunc(text, unicode.IsControl):
		return fmt.Errorf("%s %q has control characters", name, text)
	}
	return nil
}

// CheckPut returns an [ErrInvalid] that names all that is wrong with a Put.
func CheckPut(k Key, value []byte, o PutOptions) error {
	var size, ttl, mark error
	if bytes.HasPrefix(value, []byte(SealedMark)) {
		mark = errors.New("value begins as one that is sealed already")
	}
	if len(value) > MaxValue {
		size = fmt.Errorf("value has %d bytes; at most %d are kept", len(value), MaxValue)
	}
	if o.TTL != 0 && o.TTL < time.Millisecond {
		ttl = fmt.Errorf("time to live is %v; want a millisecond at least, or zero for ever", o.TTL)
	}
	return invalid(k.Validate(), size, ttl, mark)
}

// Bounds are the first and the last text between which the keys of a range stand:
// at or after first, before behind, and not after itself. They are for stores; an
// [ErrInvalid] names all that is wrong with the range.
func (r Range) Bounds() (first, behind, after string, err error) {
	var group, rest, resume, limit error
	if r.Kind != "" {
		group = checkGroup(r.Kind, r.Tenant)
		rest = checkText("prefix", r.Prefix, 0, MaxID)
		first = prefix(r.Kind, r.Tenant) + r.Prefix
	} else if r.Tenant != "" || r.Prefix != "" {
		rest = errors.New("a range with a tenant or a prefix needs a kind")
	}
	if r.After != (Key{}) {
		resume, after = r.After.Validate(), r.After.String()
	}
	if r.Limit < 1 {
		limit = fmt.Errorf("limit is %d; want 1 at least", r.Limit)
	}
	// No UTF-8 has this byte.
	return first, first + "\xff", after, invalid(group, rest, resume, limit)
}
