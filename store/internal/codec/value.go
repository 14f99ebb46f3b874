package codec

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"github.com/askbridge/askbridge/store/keyvalue"
)

// A value is stored as a version, when it expires in microseconds (0 for never) and
// the value itself, with a space between each two. The key is what it is stored
// under and is not repeated.

// ValueHead is what stands before the value itself.
func ValueHead(version string, expires Micros) string {
	return version + " " + strconv.FormatInt(int64(expires), 10) + " "
}

// EncodeValue returns the stored form of an entry.
func EncodeValue(e keyvalue.Entry) []byte {
	return append([]byte(ValueHead(e.Version, MicrosOf(e.Expires))), e.Value...)
}

// DecodeValue reads the stored form of the entry under a key. What it returns shares
// no memory with data.
func DecodeValue(k keyvalue.Key, data []byte) (keyvalue.Entry, error) {
	version, rest, one := bytes.Cut(data, []byte(" "))
	expires, value, two := bytes.Cut(rest, []byte(" "))
	if !one || !two || len(version) == 0 {
		return keyvalue.Entry{}, fmt.Errorf("decode value of %s: it has no version", k)
	}
	at, err := strconv.ParseInt(string(expires), 10, 64)
	if err != nil || at < 0 {
		return keyvalue.Entry{}, fmt.Errorf("decode value of %s: it expires at %.40q", k, expires)
	}
	return keyvalue.Entry{Key: k, Value: bytes.Clone(value), Version: string(version), Expires: Micros(at).Time()}, nil
}

// ValueError says what happened in the words of the package's edge.
func ValueError(op string, k keyvalue.Key, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, keyvalue.ErrInvalid):
		return fmt.Errorf("store: %s: %w", op, err)
	case k == keyvalue.Key{}:
		return fmt.Errorf("store: %s values: %w", op, err)
	}
	return fmt.Errorf("store: %s %s: %w", op, k, err)
}
