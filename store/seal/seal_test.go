package seal_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/store/seal"
)

const (
	one = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	two = "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f"
)

func ring(t testing.TB, lines ...string) *seal.Ring {
	t.Helper()
	r, err := seal.Parse(strings.Join(lines, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestParseKeyList(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text string
		ids        []string
		wrong      []string
	}{
		{"one key", one, []string{"3a2f5909"}, nil},
		{"the first one seals", two + "\n" + one + "\n", []string{"5913236a", "3a2f5909"}, nil},
		{"comments, empty lines and plain", "# new\n" + one + " \r\n\n plain\n", []string{"3a2f5909", "plain"}, nil},
		{"new data in plain text", "plain\n" + one, []string{"plain", "3a2f5909"}, nil},
		{"nothing", " \n# " + one, nil, []string{"there is no key"}},
		{"no key, only plain", "plain", nil, []string{"there is no key"}},
		{"a truncated key and a repeated one", one + "\n" + one[:62] + "\n" + one, nil, []string{"line 2 is neither", "line 3 repeats 3a2f5909"}},
		{"a word", "Plain", nil, []string{"line 1 is neither"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r, err := seal.Parse(test.text)
			if test.wrong == nil && (err != nil || !slices.Equal(r.IDs(), test.ids) || r.First() != test.ids[0]) {
				t.Errorf("read as %v, %v", r.IDs(), err)
			}
			for _, want := range test.wrong {
				if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), one[:8]) {
					t.Errorf("%v; want %q", err, want)
				}
			}
		})
	}
}

func TestNewKeyIsValid(t *testing.T) {
	t.Parallel()
	a, b := ring(t, seal.NewKey()), ring(t, seal.NewKey())
	if a.First() == b.First() {
		t.Errorf("two keys have the name %s", a.First())
	}
}

func TestOpenDetectsChanges(t *testing.T) {
	t.Parallel()
	where := seal.What{Kind: "record", Place: "ab", ID: "a1", Beside: "payments"}
	r := ring(t, two, one)
	closed, err := ring(t, one).Seal(nil, []byte("Ship it"), where)
	if err != nil || bytes.Contains(closed, []byte("Ship")) {
		t.Fatalf("sealed as %q, %v", closed, err)
	}
	key := ring(t, one).First()
	if data, err := r.Open(key, closed, where); err != nil || string(data) != "Ship it" {
		t.Errorf("opened as %q, %v", data, err)
	}
	for name, w := range map[string]seal.What{
		"as another kind":          {Kind: "value", Place: "ab", ID: "a1", Beside: "payments"},
		"in another place":         {Kind: "record", Place: "ac", ID: "a1", Beside: "payments"},
		"under another id":         {Kind: "record", Place: "ab", ID: "a2", Beside: "payments"},
		"with another tenant":      {Kind: "record", Place: "ab", ID: "a1", Beside: "ops"},
		"with a part moved before": {Kind: "record", Place: "aba", ID: "1", Beside: "payments"},
	} {
		if _, err := r.Open(key, closed, w); !errors.Is(err, seal.ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for n := range closed {
		changed := bytes.Clone(closed)
		changed[n] ^= 1
		if _, err := r.Open(key, changed, where); !errors.Is(err, seal.ErrDamaged) {
			t.Errorf("with byte %d changed: %v", n, err)
		}
		if _, err := r.Open(key, closed[:n], where); !errors.Is(err, seal.ErrDamaged) {
			t.Errorf("cut off at byte %d: %v", n, err)
		}
	}
}

func TestMissingKeyIsNamed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		ring *seal.Ring
		key  string
		want string
	}{
		{nil, "3a2f5909", "sealed with key 3a2f5909, and no key is given"},
		{ring(t, two), "3a2f5909", "sealed with key 3a2f5909, which is not among the 1 given (" + ring(t, two).First() + ")"},
		{ring(t, one), seal.Plain, `in clear, and the line "plain" is not among the keys (3a2f5909)`},
	} {
		err := test.ring.Check(test.key)
		if missing, is := errors.AsType[*seal.KeyError](err); !is || err.Error() != test.want || missing.Key != test.key {
			t.Errorf("%v; want %s", err, test.want)
		}
		if _, err := test.ring.Open(test.key, []byte("anything"), seal.What{}); !errors.As(err, new(*seal.KeyError)) {
			t.Errorf("opened: %v", err)
		}
	}
	for _, r := range []*seal.Ring{nil, ring(t, one, seal.Plain)} {
		if err := r.Check(seal.Plain); err != nil {
			t.Errorf("plain text with keys %v: %v", r.IDs(), err)
		}
	}
}

// The format is permanent: data sealed by any version must open.
func TestOpenDataOfFirstVersion(t *testing.T) {
	t.Parallel()
	closed, err := hex.DecodeString("ff3bb8177e4fa81a0882ccc546933f2cc954f376d292821c9993f9a098a9b18d82d5b8")
	if err != nil {
		t.Fatal(err)
	}
	r := ring(t, one)
	if data, err := r.Open(r.First(), closed, seal.What{Kind: "record", Place: "ab", ID: "a1", Beside: "payments"}); err != nil || string(data) != "Ship it" {
		t.Errorf("opened as %q, %v", data, err)
	}
}

func TestKeysChangeWhileTheyAreUsed(t *testing.T) {
	t.Parallel()
	var none *seal.Keys
	if none.Ring() != nil || none.Ring().First() != seal.Plain || none.Ring().IDs() != nil {
		t.Error("an empty key list is not empty")
	}
	k := seal.New(ring(t, one))
	k.Set(ring(t, two, one))
	if k.Ring().First() != ring(t, two).First() {
		t.Errorf("the first key is %s", k.Ring().First())
	}
}
