package codec

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/store/keyvalue"
	"github.com/askbridge/askbridge/store/seal"
)

const (
	oldKey = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	newKey = "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f"
)

func form(t testing.TB, place string, lines ...string) Form {
	t.Helper()
	ring, err := seal.Parse(strings.Join(lines, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	return Form{Keys: seal.New(ring), Place: place}
}

func private() *Entry {
	return &Entry{
		Rec: record.Record{
			ID: "a1", Version: 3, Tenant: "payments", Session: "private", Agent: "private", Context: "private", Fingerprint: "private",
			Questions: []ask.Question{{Text: "private", Options: []ask.Option{{Label: "private"}}}},
			Created:   time.UnixMicro(1712000000000000).UTC(),
			Outcome:   ask.Outcome{State: ask.Answered, Answers: []ask.Answer{{Question: "private", Other: "private"}}},
		},
		Extra: map[string]json.RawMessage{"zz": json.RawMessage(`"private"`)},
	}
}

func TestSealedRecordShowsOnlyTenantAndKey(t *testing.T) {
	t.Parallel()
	f, e := form(t, "ab", newKey, oldKey), private()
	data, err := f.Encode(e)
	if err != nil {
		t.Fatal(err)
	}
	var seen map[string]any
	if err := json.Unmarshal(data, &seen); err != nil {
		t.Fatal(err)
	}
	delete(seen, "sl")
	if want := map[string]any{"f": 5.0, "te": "payments", "ky": f.First()}; !cmp.Equal(seen, want) {
		t.Errorf("visible: %v", seen)
	}
	if bytes.Contains(data, []byte("private")) || TenantOf(data) != "payments" {
		t.Errorf("stored as %s", data)
	}
	got, err := f.Decode("a1", data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(e, got); diff != "" {
		t.Errorf("decoded (-want +got):\n%s", diff)
	}
}

// TestDecodeNeedsTheKey decodes each form with each key ring.
func TestDecodeNeedsTheKey(t *testing.T) {
	t.Parallel()
	clear, old := form(t, "ab", seal.Plain, newKey), form(t, "ab", oldKey)
	forms := map[string]Form{"in clear": {}, "with the line plain first": clear, "with the old key": old, "with the new key": form(t, "ab", newKey, oldKey)}
	key := keyvalue.Key{Kind: "token", ID: "t1"}
	for _, test := range []struct {
		name  string
		with  Form
		reads []string
	}{
		{"without keys", Form{}, []string{"in clear", "with the line plain first"}},
		{"with the old key", old, []string{"with the old key"}},
		{"with the new key and the old one", form(t, "ab", newKey, oldKey), []string{"with the old key", "with the new key"}},
		{"with the new key and plain", form(t, "ab", newKey, seal.Plain), []string{"in clear", "with the line plain first", "with the new key"}},
		{"in another place", form(t, "ac", newKey, oldKey), nil},
	} {
		for name, f := range forms {
			t.Run(name+", "+test.name, func(t *testing.T) {
				t.Parallel()
				data, err := f.Encode(private())
				if err != nil {
					t.Fatal(err)
				}
				value, err := f.EncodeValue(keyvalue.Entry{Key: key, Version: "v1", Value: []byte("private")})
				if err != nil {
					t.Fatal(err)
				}
				e, err := test.with.Decode("a1", data)
				v, failed := test.with.DecodeValue(key, value)
				if slices.Contains(test.reads, name) {
					if err != nil || failed != nil || e.Rec.Context != "private" || string(v.Value) != "private" {
						t.Errorf("decoded %+v, %v and %q, %v", e, err, v.Value, failed)
					}
					return
				}
				for _, err := range []error{err, failed} {
					if !errors.As(err, new(*seal.KeyError)) && !errors.Is(err, seal.ErrDamaged) {
						t.Errorf("decode: %v, want an error about the key", err)
					}
				}
			})
		}
	}
}

func TestPlainFormIsUnchanged(t *testing.T) {
	t.Parallel()
	want, err := Encode(private())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []Form{{}, form(t, "ab", seal.Plain, newKey)} {
		got, err := f.Encode(private())
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("stored as %s, %v", got, err)
		}
	}
}

// TestSealedDataIsBoundToItsKey moves sealed records and values to other IDs, tenants and keys.
func TestSealedDataIsBoundToItsKey(t *testing.T) {
	t.Parallel()
	f := form(t, "ab", newKey)
	data, err := f.Encode(private())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Decode("a2", data); !errors.Is(err, seal.ErrDamaged) {
		t.Errorf("under another id: %v", err)
	}
	if _, err := f.Decode("a1", bytes.Replace(data, []byte("payments"), []byte("ops"), 1)); !errors.Is(err, seal.ErrDamaged) {
		t.Errorf("with another tenant: %v", err)
	}
	one := keyvalue.Key{Kind: "token", ID: "t1"}
	value, err := f.SealValue(one, []byte("hash"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.OpenValue(keyvalue.Key{Kind: "token", ID: "t2"}, value); !errors.Is(err, seal.ErrDamaged) {
		t.Errorf("a value under another key: %v", err)
	}
	if err := keyvalue.CheckPut(one, value, keyvalue.PutOptions{}); !errors.Is(err, keyvalue.ErrInvalid) {
		t.Errorf("put of a sealed value: %v", err)
	}
}

func BenchmarkForm(b *testing.B) {
	e := private()
	for name, f := range map[string]Form{"in clear": {}, "sealed": form(b, "ab", newKey)} {
		b.Run(name, func(b *testing.B) {
			var buf bytes.Buffer
			for b.Loop() {
				buf.Reset()
				if err := f.EncodeTo(&buf, e); err != nil {
					b.Fatal(err)
				}
				if _, err := f.Decode("a1", buf.Bytes()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
