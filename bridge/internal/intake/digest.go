package intake

import (
	"fmt"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/platform"
)

// CheckDigests checks the configured digests.
func (d *Directory) CheckDigests(all []ask.Digest) []ask.Problem {
	var problems []ask.Problem
	seen := map[ask.Place]string{}
	for n, digest := range all {
		path := fmt.Sprintf("digest[%d]", n)
		problems = append(problems, digest.Check(path)...)
		problems = append(problems, d.checkTargets(path+".to", digest.To)...)
		unzoned := false
		for i, to := range digest.To {
			at := fmt.Sprintf("%s.to[%d]", path, i)
			p, known := d.Platforms.Named[to.Platform]
			if first, twice := seen[to]; twice {
				problems = append(problems, Problem(at, ask.ErrDigest, "is the same place as "+first+": list all times in one digest"))
			}
			seen[to] = at
			if !known {
				continue
			}
			if _, able := p.(platform.Digester); !able {
				problems = append(problems, Problem(at, ask.ErrDigest, fmt.Sprintf("there are no digests on %q", to.Platform)))
			}
			_, zoned := p.(platform.ZoneFinder)
			unzoned = unzoned || digest.Zone == "" && (to.User == "" || !zoned)
		}
		if unzoned {
			problems = append(problems, Problem(path+".zone", ask.ErrDigest, "is missing: only the time zones of people on Slack are known"))
		}
	}
	return problems
}
