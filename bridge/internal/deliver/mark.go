package deliver

import (
	"crypto/hmac"
	"crypto/sha256"

	"github.com/askbridge/askbridge/bridge/internal/state"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/render"
)

// markLength is the number of base32 characters of a mark: 50 bits, which nobody
// can try out on cards that they cannot post.
const markLength = 10

// marks prove who wrote a control. They are asked for only where the store does not
// know the request: two bridges may share an app, and hear presses on each other's
// cards.
type Marks struct {
	Secret []byte
	Store  string
}

// of is the mark of a request's controls: no bridge of another secret or store has it.
func (m Marks) of(id string) string {
	mac := hmac.New(sha256.New, m.Secret)
	mac.Write(state.Encode("control", m.Store, id))
	return record.IDAlphabet.EncodeToString(mac.Sum(nil))[:markLength]
}

// wrote reports whether this bridge, or one on the same store, wrote the control.
func (m Marks) Wrote(t render.Token) bool {
	return hmac.Equal([]byte(t.Mark), []byte(m.of(t.Request)))
}
