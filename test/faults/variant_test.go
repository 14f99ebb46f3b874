package faults

import "testing"

// A member of a record went to another file, and only the whole fault suite noticed that there was no
// newer version to be built any more.
func TestTheVariantsFitTheSources(t *testing.T) {
	t.Parallel()
	for _, v := range []*Variant{newer, clocked(t)} {
		Overlay(t, t.TempDir(), v.Edits)
	}
}
