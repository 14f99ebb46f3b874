package audit

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
	"time"
)

// ticketTime is how long something that was noted may be gone on with.
const ticketTime = 24 * time.Hour

// Ticket is what whoever asks for something gets once that is noted, and shows with each
// further share of it, see [Log.Noted]. Nobody without the trail's key can make one.
func (l *Log) Ticket(of ...string) string { return l.ticket(time.Now(), of) }

func (l *Log) ticket(at time.Time, of []string) string {
	moment := strconv.FormatInt(at.Unix(), 36)
	mac := hmac.New(sha256.New, l.key)
	_, _ = mac.Write(marshal(append([]string{"ticket", moment}, of...))) // It takes everything.
	return moment + "-" + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// Noted reports whether the ticket is for the same, and at most a day old.
func (l *Log) Noted(ticket string, of ...string) bool {
	moment, _, _ := strings.Cut(ticket, "-")
	seconds, err := strconv.ParseInt(moment, 36, 64)
	at := time.Unix(seconds, 0)
	return err == nil && time.Since(at) < ticketTime && hmac.Equal([]byte(ticket), []byte(l.ticket(at, of)))
}
