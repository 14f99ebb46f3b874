package bridge

import (
	"crypto/hmac"
	"crypto/sha256"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/render"
)

// markLength is the number of base32 characters of a mark: 50 bits, which nobody
// can try out on cards that they cannot post.
const markLength = 10

// marks prove who wrote a control. They are asked for only where the store does not
// know the request: two bridges may share an app, and hear presses on each other's
// cards.
type marks struct {
	secret []byte
	store  string
}

// of is the mark of a request's controls: no bridge of another secret or store has it.
func (m marks) of(id string) string {
	mac := hmac.New(sha256.New, m.secret)
	mac.Write(encode("control", m.store, id))
	return record.IDAlphabet.EncodeToString(mac.Sum(nil))[:markLength]
}

// wrote reports whether this bridge, or one on the same store, wrote the control.
func (m marks) wrote(t render.Token) bool {
	return hmac.Equal([]byte(t.Mark), []byte(m.of(t.Request)))
}
