package file

import (
	"fmt"

	bolt "go.etcd.io/bbolt"
)

// damaged is the error for a panic of bbolt about inconsistent pages.
func damaged(wrong any) error {
	return fmt.Errorf("the file is damaged (%v); restore it from a backup", wrong)
}

// sound runs a function that only reads the file, and converts a panic to an error.
func sound(read func() error) (err error) {
	defer func() {
		if wrong := recover(); wrong != nil {
			err = damaged(wrong)
		}
	}()
	return read()
}

// pages runs a function that only reads and writes pages, and converts a panic to an error. It returns the
// first error of the transaction.
func (t *transaction) pages(touch func()) error {
	err := sound(func() error {
		touch()
		return nil
	})
	if t.failed == nil {
		t.failed = err
	}
	return t.failed
}

// look reads one item, nil if the file is damaged.
func (t *transaction) look(at func() (key, value []byte)) (key, value []byte) {
	_ = t.pages(func() { key, value = at() }) // The transaction returns the error.
	return key, value
}

// seek reads the first item of a bucket at or after a key, and returns its cursor.
func (t *transaction) seek(bucket, from []byte) (c *bolt.Cursor, key, value []byte) {
	key, value = t.look(func() (key, value []byte) {
		c = t.tx.Bucket(bucket).Cursor()
		return c.Seek(from)
	})
	return c, key, value
}
