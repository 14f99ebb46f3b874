package config

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/internal/spelling"
)

// plainKey is a key that may be shown: a secret that slipped into the place of a key does not look like this.
var plainKey = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,23}$`)

// known is the path of a key for a message, and nothing when the key may be something that nobody should see.
func known(path, key string) string {
	if plainKey.MatchString(key) {
		return path
	}
	return ""
}

// fields lists the keys of a struct. Embedded structs lend their keys.
func fields(t reflect.Type) map[string][]int {
	all := map[string][]int{}
	for _, f := range reflect.VisibleFields(t) {
		if name := f.Tag.Get("yaml"); name != "" {
			all[name] = f.Index
		}
	}
	return all
}

// sections are empty ones of all platforms, by their names.
func sections(platforms []Section) map[string]any {
	all := map[string]any{}
	for _, s := range platforms {
		all[s.Name] = s.New()
	}
	return all
}

// names lists the keys of a struct at a path, in order.
func (d *decoder) names(path string, t reflect.Type) []string {
	all := slices.Collect(maps.Keys(fields(t)))
	if path == "" {
		all = slices.AppendSeq(all, maps.Keys(d.sections))
	}
	slices.Sort(all)
	return all
}

// keys lists the paths of all settings below a value of a type. The names that people choose themselves, such as those of
// routes, are stars, and items of lists too.
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

// example is a key that may stand there.
func example(v reflect.Value) string {
	if v.Kind() == reflect.Map {
		return "name"
	}
	return slices.Sorted(maps.Keys(fields(v.Type())))[0]
}

// hint says which key may have been meant: one that is spelled nearly the same, or the same key elsewhere.
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
