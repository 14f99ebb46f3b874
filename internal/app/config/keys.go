package config

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/internal/spelling"
)

// plainKey matches a key that may be shown. A secret in the place of a key does not match.
var plainKey = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,23}$`)

// known returns the path of a key for a message, and nothing if the key may be a secret.
func known(path, key string) string {
	if plainKey.MatchString(key) {
		return path
	}
	return ""
}

// fields returns the keys of a struct, including those of embedded structs.
func fields(t reflect.Type) map[string][]int {
	all := map[string][]int{}
	for _, f := range reflect.VisibleFields(t) {
		if name := f.Tag.Get("yaml"); name != "" {
			all[name] = f.Index
		}
	}
	return all
}

// sections returns empty sections of all platforms by name.
func sections(platforms []Section) map[string]any {
	all := map[string]any{}
	for _, s := range platforms {
		all[s.Name] = s.New()
	}
	return all
}

// names returns the keys of a struct at a path, sorted.
func (d *decoder) names(path string, t reflect.Type) []string {
	all := slices.Collect(maps.Keys(fields(t)))
	if path == "" {
		all = slices.AppendSeq(all, maps.Keys(d.sections))
	}
	slices.Sort(all)
	return all
}

// keys returns the paths of all settings of a type. User-chosen names, such as those of routes, and
// list items are stars.
func (d *decoder) keys(prefix string, t reflect.Type) []string {
	switch {
	case t.Kind() == reflect.Pointer:
		return d.keys(prefix, t.Elem())
	case t.Kind() == reflect.Map, t.Kind() == reflect.Slice:
		return d.keys(prefix+".*", t.Elem())
	case t.Kind() != reflect.Struct || reflect.PointerTo(t).Implements(reflect.TypeFor[scanner]()):
		return nil
	}
	var all []string
	for _, name := range d.names(prefix, t) {
		path := join(prefix, name)
		setting, _ := d.setting(prefix, name, reflect.New(t).Elem())
		all = append(all, path)
		all = append(all, d.keys(path, setting.Type())...)
	}
	return all
}

// example returns a valid key.
func example(v reflect.Value) string {
	if v.Kind() == reflect.Map {
		return "name"
	}
	return slices.Sorted(maps.Keys(fields(v.Type())))[0]
}

// hint suggests the intended key: a similar one, or the same key elsewhere.
func (d *decoder) hint(path, key string, t reflect.Type) string {
	if best := spelling.Nearest(key, d.names(path, t)); best != "" {
		return "; did you mean " + best + "?"
	}
	var elsewhere []string
	for _, full := range d.keys("", reflect.TypeFor[Config]()) {
		if strings.HasSuffix(full, "."+key) && full != join(path, key) {
			elsewhere = append(elsewhere, strings.ReplaceAll(full, ".*", "[…]"))
		}
	}
	if len(elsewhere) == 0 {
		return ""
	}
	return "; did you mean " + strings.Join(elsewhere, " or ") + "?"
}
