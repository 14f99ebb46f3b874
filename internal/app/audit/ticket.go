package audit

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
	"time"
)

// ticketTime is how long a ticket is valid.
const ticketTime = 24 * time.Hour

// Ticket returns a token that proves that an operation was noted. The caller presents it with
// each later step of the operation; see [Log.Noted]. Only the trail's key can create one.
func (l *Log) Ticket(of ...string) string { return l.ticket(time.Now(), of) }

func (l *Log) ticket(at time.Time, of []string) string {
	seconds := strconv.FormatInt(at.Unix(), 36)
	mac := hmac.New(sha256.New, l.key)
	_, _ = mac.Write(marshal(append([]string{"ticket", seconds}, of...))) // Never fails.
	return seconds + "-" + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// Noted reports whether the ticket is valid for the same operation.
func (l *Log) Noted(ticket string, of ...string) bool {
	text, _, _ := strings.Cut(ticket, "-")
	seconds, err := strconv.ParseInt(text, 36, 64)
	at := time.Unix(seconds, 0)
	return err == nil && time.Since(at) < ticketTime && hmac.Equal([]byte(ticket), []byte(l.ticket(at, of)))
}
