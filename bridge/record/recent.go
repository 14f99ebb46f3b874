package record

import (
	"crypto/sha256"
	"encoding/base32"
	"slices"
)

// maxRecent is how many acts a record remembers. Older ones are older than the draft, or beyond the
// five minutes in which a platform redelivers
// (https://docs.slack.dev/authentication/verifying-requests-from-slack).
const maxRecent = 32

// maxRecentHeld is the same where decisions can be undone. No draft holds the acts of that time, and
// redelivered after an undo they would decide, so it is more than people do in those minutes.
const maxRecentHeld = 1024

// IDAlphabet encodes IDs and marks.
var IDAlphabet = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// actMark is a short name of an act.
func actMark(id string) string {
	sum := sha256.Sum256([]byte(id))
	return IDAlphabet.EncodeToString(sum[:])[:12]
}

// HasApplied reports whether an act has already changed the record.
func HasApplied(r *Record, id string) bool {
	return !r.Open() && r.Winner == id || slices.Contains(r.Recent, actMark(id))
}

// rememberOnce is remember for an act that may have been remembered already.
func rememberOnce(r *Record, mark string) {
	if slices.Index(r.Recent, mark) < 0 {
		remember(r, mark)
	}
}

// remember stores the mark of an act, to recognize its redelivery.
func remember(r *Record, mark string) {
	most := maxRecent
	if r.Hold > 0 {
		most = maxRecentHeld
	}
	r.Recent = append(slices.Clip(r.Recent[max(0, len(r.Recent)-most+1):]), mark)
}
