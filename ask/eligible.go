package ask

// Eligible is who can answer on one copy of a card: the same evaluation of the policy that judges an answer there.
type Eligible struct {
	// Private means that the copy was sent to one person, and no one else can answer on it.
	Private bool
	// Anyone means every member who sees the copy. Then Who is empty.
	Anyone bool
	// Who are the people and groups that can answer on the copy, in the order of the request.
	Who []Answerer
	// Conditional are further people and groups, who must also pass other lists.
	Conditional []Conditional
	// NoRequester and Except are people who cannot answer although they may belong to those above: the person on
	// whose behalf the agent asks, and people who passed the request on.
	NoRequester bool
	Except      []Person
	// HiddenGroups means that the addressee of a private copy could answer only through a group, and that the
	// platform does not report groups in direct messages.
	HiddenGroups bool
	// Also are the other platforms on which each of Who can answer too.
	Also []string
	// Elsewhere are those who can answer on other copies only.
	Elsewhere []Elsewhere
}

// Answerer is a person who can answer, or a group, which has the prefix of its [Entry] as platform.
type Answerer struct {
	Person

	// Linked means that the request names another account of the person.
	Linked bool
}

// Conditional are people and groups who can answer if they also belong to one of each list of All.
type Conditional struct {
	Anyone bool
	Who    []Answerer
	All    [][]Person
}

// Elsewhere are those who can answer on the copies of one platform. Each person is listed once.
type Elsewhere struct {
	Platform string
	People   []Person
	// Groups is the number of groups that can answer, and Anyone means every member.
	Groups int
	Anyone bool
}

// IsZero reports whether no one can answer anywhere.
func (e Eligible) IsZero() bool {
	return !e.Anyone && len(e.Who) == 0 && len(e.Conditional) == 0 && len(e.Elsewhere) == 0
}
