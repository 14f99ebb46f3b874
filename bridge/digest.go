package bridge

import (
	"github.com/askbridge/askbridge/ask"
)

// CheckDigests returns an error with all problems of digests, as [Options.Digests] reports them.
func CheckDigests(b *Bridge, all []ask.Digest) error {
	problems := b.intake.Directory.CheckDigests(all)
	if len(all) > 0 && b.opts.DigestStore == nil {
		problems = append(problems, ask.Problem{Path: "digest", Kind: ask.ErrDigest, Detail: "the store cannot keep digests"})
	}
	if len(problems) > 0 {
		return &ask.InvalidError{Problems: problems}
	}
	return nil
}

// SetDigests replaces the digests of a bridge by others without problems. Places that have one no longer keep their
// last message.
func SetDigests(b *Bridge, all []ask.Digest) { b.digests.Set(all) }
