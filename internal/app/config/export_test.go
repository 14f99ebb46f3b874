package config

import (
	"maps"
	"reflect"
	"slices"
)

// Everywhere parses a file with all references resolvable.
func Everywhere(file string, data []byte, platforms []Section) (*Config, error) {
	return parse(file, data, platforms, anywhere())
}

// Shown lists the settings in a file, and Known all settings.
func Shown(file string, data []byte, platforms []Section) ([]string, error) {
	d := decoder{world: anywhere(), sections: sections(platforms)}
	d.decode(data, &Config{})
	return slices.Collect(maps.Keys(d.found)), d.problems.err(file)
}

func Known(platforms []Section) []string {
	d := decoder{sections: sections(platforms)}
	return d.keys("", reflect.TypeFor[Config]())
}
