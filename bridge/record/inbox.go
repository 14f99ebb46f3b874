package record

import (
	"slices"

	"github.com/askbridge/askbridge/ask"
)

// InboxCopy returns the card that represents the request in a person's inbox: one that they can see in their
// installation, preferably in their direct messages; false if there is none.
func InboxCopy(r *Record, who ask.Person, installation string) (Copy, bool) {
	found := -1
	for n, c := range r.Copies {
		switch {
		case c.State != Posted, c.Ref == (MessageRef{}), c.Target.Platform != who.Platform, c.Ref.Installation != installation:
		case c.Target.User == who.ID:
			return c, true
		case c.Target.User == "" && found < 0:
			found = n
		}
	}
	if found < 0 {
		return Copy{}, false
	}
	return r.Copies[found], true
}

// Waits reports whether an open request is in the inbox of someone in an installation: it names them or one of
// their groups, they may answer on their [InboxCopy], and have not voted yet. "Anyone" names no one: a channel's
// cards stay in the channel.
func Waits(r *Record, who ask.Responder, installation string) bool {
	if !r.Open() || r.Held != nil || !slices.ContainsFunc(Named(r), func(entry string) bool { return entry == who.Key() || slices.Contains(who.Groups, entry) }) {
		return false
	}
	c, shown := InboxCopy(r, who.Person, installation)
	if !shown || !r.mayUse(c, who) {
		return false
	}
	return r.Voting == nil || !slices.ContainsFunc(accountsOf(r, who), r.Voting.hasVoted)
}

// Named lists the people and groups that an open request names: in its policy, as addressees, among those it
// notifies, and as recipients of passes.
func Named(r *Record) []string {
	var all []string
	add := func(entry string) {
		if !slices.Contains(all, entry) {
			all = append(all, entry)
		}
	}
	for entry := range r.Policy.Entries() {
		if entry.Kind != "" || isAccount(entry) {
			add(entry.String())
		}
	}
	for _, c := range r.Copies {
		if c.Target.User != "" {
			add(c.addressee().Key())
		}
	}
	if r.Audience != nil {
		for _, entry := range r.Audience.Who {
			add(entry)
		}
	}
	if s := r.Schedule; s != nil {
		for n, step := range s.Steps {
			if n < s.Done || step.Pass != nil {
				for _, entry := range step.Who {
					add(entry)
				}
			}
		}
	}
	return all
}

// DecidedBy lists the accounts of those who decided or voted, once the request has ended.
func DecidedBy(r *Record) []string {
	if r.Open() || !DecidedByPeople(r) {
		return nil
	}
	all := []string{r.Outcome.By.Key()}
	for _, v := range r.Outcome.Votes {
		if key := v.By.Key(); !slices.Contains(all, key) {
			all = append(all, key)
		}
	}
	return all
}

// Passes lists the passes of the request, oldest first.
func Passes(r *Record) []*Pass { return r.Schedule.passes() }
