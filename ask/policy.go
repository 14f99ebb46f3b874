package ask

// Membership is how a person belongs to the installation that was asked: the
// Slack workspace, or the Discord server.
type Membership string

// What a platform can know of a person. [Anyone] means members; nobody passes
// while it is unknown.
const (
	// Unknown: nobody can tell yet whose person it is, for example because the
	// platform has not told the bridge which installation it is.
	Unknown Membership = ""
	// Outsider belongs to another workspace or server, of the same organisation or
	// not.
	Outsider Membership = "outsider"
	// Insider belongs to the installation, and only a look-up tells whether as a
	// guest.
	Insider Membership = "insider"
	// Guest was invited into some channels only.
	Guest Membership = "guest"
	// Member belongs to the installation in full.
	Member Membership = "member"
)

// Settled reports whether nothing is left to look up.
func (m Membership) Settled() bool { return m == Outsider || m == Guest || m == Member }
