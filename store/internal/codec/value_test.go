package codec

import (
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/store/internal/fixture"
	"github.com/askbridge/askbridge/store/keyvalue"
)

var token = keyvalue.Key{Kind: "token", Tenant: "ops", ID: "t1"}

func TestValueRoundTrip(t *testing.T) {
	t.Parallel()
	for _, e := range []keyvalue.Entry{
		{Key: token, Version: "1", Value: []byte{}},
		{Key: token, Version: "zz", Value: []byte(" 1 2 \x00"), Expires: time.UnixMicro(1_795_000_000_123_000).UTC()},
	} {
		got, err := DecodeValue(token, EncodeValue(e))
		if err != nil {
			t.Fatal(err)
		}
		fixture.Equal(t, "entry", got, e)
	}
}

// TestDecodeValueReadsFirstVersion keeps the stored form from changing.
func TestDecodeValueReadsFirstVersion(t *testing.T) {
	t.Parallel()
	got, err := DecodeValue(token, []byte("3f 1795000000123000 hash of it"))
	if err != nil {
		t.Fatal(err)
	}
	want := keyvalue.Entry{Key: token, Version: "3f", Value: []byte("hash of it"), Expires: time.UnixMicro(1_795_000_000_123_000).UTC()}
	fixture.Equal(t, "entry", got, want)
}

func TestDecodeValueErrors(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{"": "no version", "1": "no version", "1 2": "no version", " 0 x": "no version", "1 x y": "invalid expiry", "1 -5 y": "invalid expiry"} {
		if _, err := DecodeValue(token, []byte(data)); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), token.String()) {
			t.Errorf("%q: %v, want an error with %q and the key", data, err, want)
		}
	}
}

func FuzzDecodeValue(f *testing.F) {
	f.Add([]byte("1 0 x"))
	f.Add([]byte("3f 1795000000123000 a b"))
	f.Add([]byte("1 01 x"))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := DecodeValue(token, data)
		if err != nil {
			return
		}
		again, err := DecodeValue(token, EncodeValue(e))
		if err != nil {
			t.Fatalf("decode again: %v", err)
		}
		fixture.Equal(t, "entry", again, e)
	})
}
