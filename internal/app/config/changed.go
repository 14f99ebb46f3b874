package config

import (
	"reflect"
	"slices"
)

// Changed returns, in order, the top-level settings and platforms that differ in another configuration.
// Referenced content, such as that of files, counts; formatting does not.
func (c *Config) Changed(next *Config) []string {
	var all []string
	old, other := reflect.ValueOf(*c), reflect.ValueOf(*next)
	for name, index := range fields(old.Type()) {
		if !reflect.DeepEqual(old.FieldByIndex(index).Interface(), other.FieldByIndex(index).Interface()) {
			all = append(all, name)
		}
	}
	names := map[string]bool{}
	for _, platforms := range []map[string]any{c.Platforms, next.Platforms} {
		for name := range platforms {
			names[name] = true
		}
	}
	for name := range names {
		if !reflect.DeepEqual(c.Platforms[name], next.Platforms[name]) {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}
