package file

import (
	"fmt"

	bolt "go.etcd.io/bbolt"
)

// damaged says that pages of a file contradict each other, which the library panics of.
func damaged(wrong any) error {
	return fmt.Errorf("the file is damaged (%v); restore it from a backup", wrong)
}

// sound runs what reads a file and calls nobody else, and returns an error in place of a panic.
func sound(read func() error) (err error) {
	defer func() {
		if wrong := recover(); wrong != nil {
			err = damaged(wrong)
		}
	}()
	return read()
}

// pages runs what reads and writes pages and calls nobody else, whose panics would be their
// own. It returns the first error of the transaction, which has met damaged ones perhaps.
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

// look reads one thing; nothing where the file is damaged.
func (t *transaction) look(at func() (key, value []byte)) (key, value []byte) {
	_ = t.pages(func() { key, value = at() }) // It is told at the end of the transaction.
	return key, value
}

// seek reads what stands in a bucket at and after a key, with the cursor that goes on from there.
func (t *transaction) seek(bucket, from []byte) (c *bolt.Cursor, key, value []byte) {
	key, value = t.look(func() (key, value []byte) {
		c = t.tx.Bucket(bucket).Cursor()
		return c.Seek(from)
	})
	return c, key, value
}
