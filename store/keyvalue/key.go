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

// SealedMark is the prefix of sealed values; see store/seal. No other value begins with it.
const SealedMark = "\x00sealed "

// Key identifies a value.
type Key struct {
	// Kind is a type of values, such as "token" or "installation": a lower-case letter, then
	// lower-case letters, digits and dashes.
	Kind string
	// Tenant owns the value; empty for none. A list for one tenant never contains the values of
	// another.
	Tenant string
	// ID is unique within kind and tenant: any text without control characters.
	ID string
}

var kind = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

// The tenant is between two slashes, so it must not contain any.
var (
	escape   = strings.NewReplacer("%", "%25", "/", "%2F")
	unescape = strings.NewReplacer("%25", "%", "%2F", "/")
)

// String returns the key as "kind/tenant/id". Stores order keys by the bytes of this text.
func (k Key) String() string { return prefix(k.Kind, k.Tenant) + k.ID }

// prefix returns the common prefix of the keys of one kind and tenant. No other key has it.
func prefix(kind, tenant string) string { return kind + "/" + escape.Replace(tenant) + "/" }

// ParseKey parses the result of [Key.String].
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
		return Key{}, invalid(fmt.Errorf("key %q is not in canonical form", text))
	}
	return k, nil
}

// Validate returns an [ErrInvalid] with all problems of the key.
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

// checkText checks a part of a key, which may appear in logs.
func checkText(name, text string, least, most int) error {
	switch {
	case len(text) < least:
		return fmt.Errorf("%s is empty", name)
	case len(text) > most:
		return fmt.Errorf("%s has %d bytes; the maximum is %d", name, len(text), most)
	case !utf8.ValidString(text):
		return fmt.Errorf("%s %q is not UTF-8", name, text)
	case strings.ContainsFunc(text, unicode.IsControl):
		return fmt.Errorf("%s %q has control characters", name, text)
	}
	return nil
}

// CheckPut returns an [ErrInvalid] with all problems of a Put.
func CheckPut(k Key, value []byte, o PutOptions) error {
	var size, ttl, mark error
	if bytes.HasPrefix(value, []byte(SealedMark)) {
		mark = errors.New("value has the prefix of sealed values")
	}
	if len(value) > MaxValue {
		size = fmt.Errorf("value has %d bytes; the maximum is %d", len(value), MaxValue)
	}
	if o.TTL != 0 && o.TTL < time.Millisecond {
		ttl = fmt.Errorf("time to live is %v; the minimum is a millisecond, zero is unlimited", o.TTL)
	}
	return invalid(k.Validate(), size, ttl, mark)
}

// Bounds returns the limits of a range for stores: its keys are at or after first, before behind, and
// after the key after. It returns an [ErrInvalid] with all problems of the range.
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
		limit = fmt.Errorf("limit is %d; the minimum is 1", r.Limit)
	}
	// UTF-8 does not contain this byte.
	return first, first + "\xff", after, invalid(group, rest, resume, limit)
}
