package api

import (
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/internal/spelling"
)

const (
	// maxUnknown is the number of unknown parameters reported.
	maxUnknown = 20
	// maxParameter is longer than any known parameter, in bytes.
	maxParameter = 32
	unknownHere  = "a query parameter is not known here"
)

// queryOf lists the query parameters of an operation, from its type in openapi.go.
func queryOf[Params any]() []string {
	var names []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Params]()) {
		if tag := f.Tag.Get("query"); tag != "" {
			name, _, _ := strings.Cut(tag, ",")
			names = append(names, name)
		}
	}
	return names
}

// enumOf lists the values of a query parameter of an operation.
func enumOf[Params any](name string) []string {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Params]()) {
		if f.Tag.Get("query") == name {
			return strings.Split(f.Tag.Get("enum"), ",")
		}
	}
	panic("api: no query parameter is " + name)
}

// checkQuery rejects unknown query parameters. Ignoring them would be dangerous: if responders
// is misspelled, anyone may answer.
func (x *exchange) checkQuery() error {
	if x.route.open || x.r.URL.RawQuery == "" {
		return nil
	}
	p := problem(http.StatusUnprocessableEntity, unknownHere)
	query, err := url.ParseQuery(x.r.URL.RawQuery)
	if err != nil {
		p.Detail = "the query cannot be read"
		return p.at("query", "%s", err)
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if !slices.Contains(x.route.query, name) && len(p.Errors) < maxUnknown {
			p = x.unknown(p, name)
		}
	}
	if len(p.Errors) > 0 {
		return p
	}
	return nil
}

// unknown reports an unknown parameter, with a suggestion.
func (x *exchange) unknown(p *failure, name string) *failure {
	if len(name) > maxParameter {
		name = strings.ToValidUTF8(name[:maxParameter], "") + "…"
	}
	meant := spelling.Nearest(name, x.route.query)
	switch {
	case meant != "":
		return p.at(name, "is no parameter of this call; did you mean %s?", meant)
	case len(x.route.query) == 0:
		return p.at(name, "is no parameter of this call, which takes none")
	}
	return p.at(name, "is no parameter of this call; there are %s", strings.Join(slices.Sorted(slices.Values(x.route.query)), ", "))
}
