package page

import (
	"slices"
	"sync"
)

// cast are those whose place one can take on the page: some from the start, and whoever is added later.
type cast struct {
	first []string

	mu    sync.Mutex
	later []string
}

// added notes somebody who was put on the platform.
func (c *cast) added(id string, err error) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil && !slices.Contains(c.first, id) && !slices.Contains(c.later, id) {
		c.later = append(c.later, id)
	}
	return id, err
}

// back forgets who was added.
func (c *cast) back() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.later = nil
}

// named lists them in their order.
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
