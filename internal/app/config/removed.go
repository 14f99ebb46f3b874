package config

import (
	"maps"
	"slices"
)

// removed are settings of earlier builds that have no effect anymore, with what to do about each. They are ignored, so that an
// upgrade does not keep the bridge from starting.
var removed = map[string]string{
	"plain": "this setting was removed and has no effect; delete it. To tune the garbage collector set GOGC or GOMEMLIMIT in the environment",
}

// Removed returns an [*Error] that names the removed settings in the file, or nil if there are none.
func (c *Config) Removed() error {
	all := c.removedSettings()
	return all.err(c.file)
}

func (c *Config) removedSettings() problems {
	var all problems
	for _, path := range slices.Sorted(maps.Keys(removed)) {
		if c.set(path) {
			all.add(c.place(path), path, "%s", removed[path])
		}
	}
	return all
}
