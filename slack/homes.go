package slack

import "sync"

// maxHomes is the maximum number of Home tabs whose last version is remembered.
const maxHomes = 2000

// homes remembers the version of each Home tab that was published last, so that a version drawn earlier never replaces
// a later one of another replica.
type homes struct {
	mu     sync.Mutex
	hashes map[string]string
}

func (h *homes) get(person string) *string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if hash, known := h.hashes[person]; known {
		return &hash
	}
	return nil
}

func (h *homes) set(person, hash string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.hashes == nil || len(h.hashes) >= maxHomes {
		h.hashes = map[string]string{}
	}
	if delete(h.hashes, person); hash != "" {
		h.hashes[person] = hash
	}
}
