package api

import (
	"reflect"
	"regexp"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/spelling"
)

// misspelt returns the unknown members of a request that are probably misspellings of known
// ones: without the intended member the request could be different, such as one that anyone may
// answer. Other unknown members are ignored and reported in [client.Request.Ignored].
func misspelt(ignored []string) (all []ask.Problem) {
	for _, path := range ignored {
		around, name := "", path
		if dot := strings.LastIndexByte(path, '.'); dot >= 0 {
			around, name = path[:dot], path[dot+1:]
		}
		if meant := spelling.Slip(name, membersAt(reflect.TypeFor[client.NewRequest](), around)); meant != "" {
			all = append(all, ask.Problem{Path: path, Detail: "is no member of a request; did you mean " + meant + "?", Kind: ask.ErrSyntax})
		}
	}
	return all
}

var indices = regexp.MustCompile(`\[\d+\]`)

// membersAt lists the members of the type at a path below a type, such as "schedule.steps[0]".
func membersAt(t reflect.Type, path string) []string {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	next, rest, _ := strings.Cut(indices.ReplaceAllString(path, ""), ".")
	var names []string
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if path != "" && name == next {
			return membersAt(f.Type, rest)
		}
		names = append(names, name)
	}
	if path != "" {
		return nil
	}
	return names
}
