package record

import (
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Filing is how the files of a request stand below one of its cards. Nobody can answer on a
// card before they stand there: what is approved is what can be read.
type Filing string

// The ways in which files stand below a card.
const (
	// Unfiled: nobody has uploaded them yet.
	Unfiled Filing = ""
	// BeingFiled: somebody has begun to.
	BeingFiled Filing = "begun"
	// Filed: they stand below the card.
	Filed Filing = "filed"
	// Unfilable: they never will, so nobody can answer there.
	Unfilable Filing = "never"
)

// Shows reports whether all that the request asks about stands at a copy.
func (r *Record) Shows(c Copy) bool { return len(r.Files) == 0 || c.Filing == Filed }

// shown reports whether whoever acts has all before them: on the card that they use, or on
// any where it is not known which. What answers over the API has been told of the files there.
func (r *Record) shown(a Act) bool {
	if len(r.Files) == 0 || a.By.Platform == ask.API {
		return true
	}
	return slices.ContainsFunc(r.Copies, func(c Copy) bool {
		return c.Filing == Filed && (a.Message == (MessageRef{}) || c.Ref == a.Message)
	})
}

// unfiled reports whether the files of the request are not known to stand below a card, and
// may still come to.
func (r *Record) unfiled(c Copy) bool {
	return len(r.Files) > 0 && r.Open() && r.Held == nil && c.State == Posted && !c.Adopted && (c.Filing == Unfiled || c.Filing == BeingFiled)
}

// being reports whether these are the files that are on their way below a card. They are not
// where the card is another one by now, or the agent has put others in their place.
func (r *Record) being(filed []ask.Attachment, c *Copy) bool {
	return c.Filing == BeingFiled && slices.Equal(filed, r.Files)
}

// refile has the files of a request uploaded below its cards where they are others than
// before; those that stood there do not count any more, and nobody can answer until then.
func (r *Record) refile(files []ask.Attachment) {
	all := len(files) == 0 || slices.ContainsFunc(files, func(f ask.Attachment) bool { return !slices.Contains(r.Files, f) })
	for n := range r.Copies {
		if c := &r.Copies[n]; all || c.Filing == BeingFiled {
			c.Filing = Unfiled
		}
	}
	r.Files = files
}

// FilesStand tells that files stand below a card, on which people can answer from then on.
type FilesStand struct{ Files []ask.Attachment }

func (f FilesStand) write(r *Record, c *Copy, _ time.Time) {
	if !r.being(f.Files, c) {
		return
	}
	c.Filing, c.Problem, c.RetryAt = Filed, "", time.Time{}
	r.Revision++
}

// NoFiles tells that the files never will stand below a card. Where that is so everywhere,
// the request fails.
type NoFiles struct {
	Files []ask.Attachment
	Why   string
}

func (f NoFiles) write(r *Record, c *Copy, _ time.Time) {
	if !r.being(f.Files, c) {
		return
	}
	c.Filing, c.Problem, c.RetryAt = Unfilable, f.Why, time.Time{}
	r.Revision++
}

// FilesFailed tells that the files could not be uploaded. It is tried again, as often as
// an update is.
type FilesFailed struct {
	Failure

	Files []ask.Attachment
}

func (f FilesFailed) write(r *Record, c *Copy, now time.Time) {
	switch {
	case !r.being(f.Files, c):
		return
	case r.Attempts >= maxAttempts:
		NoFiles{f.Files, f.Why}.write(r, c, now)
		return
	}
	if !f.Ambiguous {
		c.Filing = Unfiled
	}
	f.Failure.write(r, c, now)
}
