package codec

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"github.com/askbridge/askbridge/store/keyvalue"
)

// A value is stored as its version, its expiry in microseconds (0 for none) and the value itself,
// separated by spaces.

// ValueHead returns the part before the value itself.
func ValueHead(version string, expires Micros) string {
	return version + " " + strconv.FormatInt(int64(expires), 10) + " "
}

// EncodeValue returns the stored form of an entry.
func EncodeValue(e keyvalue.Entry) []byte {
	return append([]byte(ValueHead(e.Version, MicrosOf(e.Expires))), e.Value...)
}

// DecodeValue reads the stored form of an entry. The entry shares no memory with data.
func DecodeValue(k keyvalue.Key, data []byte) (keyvalue.Entry, error) {
	version, rest, one := bytes.Cut(data, []byte(" "))
	expires, value, two := bytes.Cut(rest, []byte(" "))
	if !one || !two || len(version) == 0 {
		return keyvalue.Entry{}, fmt.Errorf("decode value of %s: no version", k)
	}
	at, err := strconv.ParseInt(string(expires), 10, 64)
	if err != nil || at < 0 {
		return keyvalue.Entry{}, fmt.Errorf("decode value of %s: invalid expiry %.40q", k, expires)
	}
	return keyvalue.Entry{Key: k, Value: bytes.Clone(value), Version: string(version), Expires: Micros(at).Time()}, nil
}

// ValueError adds the operation and the key to an error.
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
