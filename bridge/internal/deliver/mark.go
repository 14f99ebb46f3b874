package deliver

import (
	"crypto/hmac"
	"crypto/sha256"

	"github.com/askbridge/askbridge/bridge/internal/state"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/render"
)

// markLength is the number of base32 characters of a mark: 50 bits, too many to guess
// without being able to post cards.
const markLength = 10

// Marks proves which bridge wrote a control. It matters only if the store does not know
// the request: two bridges may share an app and receive each other's interactions.
type Marks struct {
	Secret []byte
	Store  string
}

// of returns the mark of a request's controls. It depends on the secret and the store's
// name.
func (m Marks) of(id string) string {
	mac := hmac.New(sha256.New, m.Secret)
	mac.Write(state.Encode("control", m.Store, id))
	return record.IDAlphabet.EncodeToString(mac.Sum(nil))[:markLength]
}

// Wrote reports whether a bridge with this secret and store wrote the control.
func (m Marks) Wrote(t render.Token) bool {
	return hmac.Equal([]byte(t.Mark), []byte(m.of(t.Request)))
}
