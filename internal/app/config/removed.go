package config

import (
	"maps"
	"slices"
)

// removed maps settings of earlier versions that have no effect anymore to what to do. They are
// ignored, so that an upgraded bridge starts.
var removed = map[string]string{
	"plain": "this setting was removed and has no effect; delete it. To tune the garbage collector set GOGC or GOMEMLIMIT in the environment",
}

// Removed returns an [*Error] that names the removed settings in the file, or nil.
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
