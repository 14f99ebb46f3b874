package store

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"
)

// ErrDamaged means that a backup was truncated or changed.
var ErrDamaged = errors.New("the backup is damaged")

// saved is one line of a backup: a record, a value, or the end.
type saved struct {
	Record string          `json:"record,omitempty"`
	Data   json.RawMessage `json:"data,omitempty"`

	Value   string    `json:"value,omitempty"`
	Bytes   []byte    `json:"bytes,omitempty"`
	Expires time.Time `json:"expires,omitzero"`

	End *end `json:"end,omitempty"`
}

// end is the last line of a backup.
type end struct {
	Counts

	// SHA256 is the hash of all previous lines, in hexadecimal. Backups of older versions have none.
	SHA256 string `json:"sha256,omitempty"`
}

// CheckBackup reads a backup, and returns an error that matches [ErrDamaged] if it was truncated or
// changed. In backups of older versions, which have no hash, it does not detect every change.
func CheckBackup(from io.Reader) error {
	for _, err := range savedLines(from) {
		if err != nil {
			return fmt.Errorf("store: check backup: %w", err)
		}
	}
	return nil
}

// savedLines iterates over the records and values of a backup. An error is the last item.
func savedLines(from io.Reader) iter.Seq2[saved, error] {
	return func(yield func(saved, error) bool) {
		lines, sum := bufio.NewReader(from), sha256.New()
		var read Counts
		for n := 1; ; n++ {
			line, failed := lines.ReadBytes('\n')
			if failed != nil && !errors.Is(failed, io.EOF) {
				yield(saved{}, failed)
				return
			}
			var s saved
			wrong := json.Unmarshal(line, &s)
			if wrong == nil && s.Record == "" && s.Value == "" && s.End == nil {
				wrong = errors.New("neither a record nor a value")
			}
			switch {
			case wrong != nil && failed != nil:
				yield(saved{}, fmt.Errorf("%w: it was cut off after %d records and %d values", ErrDamaged, read.Records, read.Values))
				return
			case wrong != nil:
				yield(saved{}, fmt.Errorf("%w: line %d is none of a backup: %w", ErrDamaged, n, wrong))
				return
			case s.End != nil:
				if err := s.End.check(read, sum.Sum(nil)); err != nil {
					yield(saved{}, err)
				}
				return
			case s.Record != "":
				read.Records++
			default:
				read.Values++
			}
			_, _ = sum.Write(line) // It never fails.
			if !yield(s, nil) {
				return
			}
		}
	}
}

// check compares the counts and the hash with what was read.
func (e *end) check(read Counts, sum []byte) error {
	if e.Counts != read {
		return fmt.Errorf("%w: it says that it has %d records and %d values, and has %d and %d", ErrDamaged, e.Records, e.Values, read.Records, read.Values)
	}
	if want, err := hex.DecodeString(e.SHA256); err != nil || len(want) > 0 && !bytes.Equal(want, sum) {
		return fmt.Errorf("%w: something in it was changed, since its lines do not have the hash that it ends with", ErrDamaged)
	}
	return nil
}
