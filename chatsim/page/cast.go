package page

import (
	"slices"
	"sync"
)

// cast are the people that a visitor of the page can act as: the initial ones, and those added
// later.
type cast struct {
	first []string

	mu    sync.Mutex
	later []string
}

// added adds a person who was put on the platform.
func (c *cast) added(id string, err error) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil && !slices.Contains(c.first, id) && !slices.Contains(c.later, id) {
		c.later = append(c.later, id)
	}
	return id, err
}

// back removes the added people.
func (c *cast) back() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.later = nil
}

// named lists the cast in order.
func (c *cast) named(all []Person) []Person {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := []Person{}
	for _, id := range slices.Concat(c.first, c.later) {
		if i := slices.IndexFunc(all, func(p Person) bool { return p.ID == id }); i >= 0 {
			out = append(out, all[i])
		}
	}
	return out
}
