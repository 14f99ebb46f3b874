package config

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/spelling"
)

// NameKind is what a name names.
type NameKind string

// The kinds of names.
const (
	ChannelName NameKind = "channel" // "#deploys"
	PersonName  NameKind = "person"  // "@dana" or "dana@example.com"
	GroupName   NameKind = "group"   // "@deployers" behind the prefix of a group, as in slack-group, @deployers
)

// lookupTime is how long the names of one platform may take.
const lookupTime = 30 * time.Second

// Name is a channel, person or group that the configuration names as people do, instead of by its ID.
type Name struct {
	Kind NameKind
	// Text is the name without the # or @ before it, or an e-mail address.
	Text string
}

// Mail reports whether a name is an e-mail address.
func (n Name) Mail() bool { return strings.Contains(n.Text, "@") }

// Found is what a platform knows of a name.
type Found struct {
	// IDs are the IDs of those that have the name; a usable name has one.
	IDs []string
	// Near are names like it, for a hint.
	Near []string
	// Err is why the platform could not look for it.
	Err error
}

// Add adds an ID that has some names: to the IDs if one of them is the name that is looked for, and otherwise its names
// to those like it. Case does not matter.
func (f *Found) Add(name Name, id string, names ...string) {
	switch {
	case !slices.ContainsFunc(names, func(other string) bool { return strings.EqualFold(other, name.Text) }):
		f.Near = append(f.Near, names...)
	case !slices.Contains(f.IDs, id):
		f.IDs = append(f.IDs, id)
	}
}

// Namer is a section of a platform that looks up names.
type Namer interface {
	// FindNames looks names up. It returns an error if the platform cannot be asked at all.
	FindNames(ctx context.Context, names []Name) (map[Name]Found, error)
	// SampleID returns an ID of a kind for the n-th name of a file, which stands for a name that is not looked up.
	SampleID(kind NameKind, n int) string
}

// Named is a name in a file.
type Named struct {
	// Path is the setting, and Platform the name of the section that knows the name.
	Path, Platform string
	Name
	// ID is a sample if the name was not looked up.
	ID string
}

// String returns the name as it is written on its platform.
func (n Name) String() string {
	switch {
	case n.Kind == ChannelName:
		return "#" + n.Text
	case n.Mail():
		return n.Text
	}
	return "@" + n.Text
}

// reading is a name that was read, and where its ID goes.
type reading struct {
	Named

	set func(id string)
}

// anID matches what can stand after @ without being a name: IDs of Slack and Discord.
var anID = regexp.MustCompile(`^([UWS][A-Z0-9]{6,}|[0-9]{15,20})$`)

// names collects the names in the settings, in the order of the file.
func (c *Config) names(namers map[string]Namer) (all []reading) {
	add := func(path, platform string, name Name, set func(string)) {
		all = append(all, reading{Named{Path: path, Platform: platform, Name: name}, set})
	}
	target := func(path string, t *Target) {
		if _, ok := namers[t.Platform]; !ok {
			return
		}
		if text, ok := strings.CutPrefix(t.Channel, "#"); ok {
			add(path, t.Platform, Name{ChannelName, text}, func(id string) { t.Channel = id })
		}
		if name, ok := nameOfPerson(t.User); ok {
			add(path, t.Platform, name, func(id string) { t.User = id })
		}
	}
	entry := func(path, text string, set func(string)) {
		e, ok := ask.ParseEntry(text)
		if _, known := namers[e.Platform]; !ok || !known {
			return
		}
		use := func(id string) {
			e.ID = id
			set(e.String())
		}
		if channel, ok := strings.CutPrefix(e.ID, "#"); ok && e.Kind == "" && !anID.MatchString(channel) {
			add(path, e.Platform, Name{ChannelName, channel}, use)
			return
		}
		name, ok := nameOfPerson(e.ID)
		if !ok {
			return
		}
		if e.Kind != "" {
			name.Kind = GroupName
		}
		add(path, e.Platform, name, use)
	}
	walk("", reflect.ValueOf(c).Elem(), target, entry)
	slices.SortStableFunc(all, func(a, b reading) int {
		x, y := c.found[a.Path], c.found[b.Path]
		return cmp.Or(x.line-y.line, x.column-y.column)
	})
	return all
}

// nameOfPerson reads "@dana" or "dana@example.com".
func nameOfPerson(text string) (Name, bool) {
	if name, ok := strings.CutPrefix(text, "@"); ok {
		return Name{PersonName, name}, name != "" && !anID.MatchString(name)
	}
	before, after, ok := strings.Cut(text, "@")
	return Name{PersonName, text}, ok && before != "" && strings.Contains(after, ".")
}

// walk calls target for each place, and entry for each text in a list.
func walk(path string, v reflect.Value, target func(string, *Target), entry func(path, text string, set func(string))) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			walk(path, v.Elem(), target, entry)
		}
	case reflect.Struct:
		if t, ok := reflect.TypeAssert[*Target](v.Addr()); ok {
			target(path, t)
			return
		}
		for key, index := range fields(v.Type()) {
			walk(join(path, key), v.FieldByIndex(index), target, entry)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			item := reflect.New(v.Type().Elem()).Elem() // Values of a map cannot be set.
			item.Set(v.MapIndex(key))
			at := join(path, key.String())
			if item.Kind() == reflect.String {
				entry(at, item.String(), func(s string) { item.SetString(s); v.SetMapIndex(key, item) })
				continue
			}
			walk(at, item, target, entry) // The lists in a copy are those of the original.
		}
	case reflect.Slice:
		for i := range v.Len() {
			at := fmt.Sprintf("%s[%d]", path, i)
			if item := v.Index(i); item.Kind() == reflect.String {
				entry(at, item.String(), func(s string) { item.SetString(s) })
			} else {
				walk(at, item, target, entry)
			}
		}
	}
}

// resolve replaces the names in the settings by IDs. Without a lookup it uses sample IDs, so that everything else
// can be checked.
func (c *Config) resolve(sections map[string]any, lookup bool, p *problems) {
	namers := map[string]Namer{}
	for name, section := range sections {
		if n, ok := section.(Namer); ok && c.set(name) {
			namers[name] = n
		}
	}
	found := c.names(namers)
	byPlatform := map[string][]Name{}
	for _, r := range found {
		if !slices.Contains(byPlatform[r.Platform], r.Name) {
			byPlatform[r.Platform] = append(byPlatform[r.Platform], r.Name)
		}
	}
	known := map[string]map[Name]Found{}
	if lookup {
		for _, platform := range slices.Sorted(maps.Keys(byPlatform)) {
			ctx, cancel := context.WithTimeout(context.Background(), lookupTime)
			all, err := namers[platform].FindNames(ctx, byPlatform[platform])
			cancel()
			if err != nil {
				p.add(c.place(platform), platform, "cannot look up names: %s", err)
				continue
			}
			known[platform] = all
		}
	}
	for _, r := range found {
		n := slices.Index(byPlatform[r.Platform], r.Name)
		r.ID = namers[r.Platform].SampleID(r.Kind, n)
		if all, ok := known[r.Platform]; ok {
			f := all[r.Name]
			if wrong := f.wrong(r.Name); wrong != "" {
				p.add(c.found[r.Path], r.Path, "%s", wrong)
			} else {
				r.ID = f.IDs[0]
			}
		}
		r.set(r.ID)
		c.Names = append(c.Names, r.Named)
	}
}

// wrong says what keeps a name from being used; empty for nothing.
func (f Found) wrong(name Name) string {
	switch {
	case f.Err != nil:
		return fmt.Sprintf("%s cannot be looked up: %s", name, f.Err)
	case len(f.IDs) > 1:
		return fmt.Sprintf("%s is the name of several: %s; use the ID of one", name, strings.Join(f.IDs, ", "))
	case len(f.IDs) == 1:
		return ""
	}
	text := fmt.Sprintf("there is no %s %s that the bot can see", name.Kind, name)
	if near := spelling.Nearest(name.Text, f.Near); near != "" {
		text += fmt.Sprintf("; did you mean %s?", Name{name.Kind, near})
	}
	return text
}
