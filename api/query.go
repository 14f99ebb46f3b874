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
	// maxUnknown is how many unknown parameters are named.
	maxUnknown = 20
	// maxParameter is more than the length of any known one, in bytes.
	maxParameter = 32
	unknownHere  = "a query parameter is not known here"
)

// queryOf lists the query parameters of an operation: those of its parameters in openapi.go.
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

// enumOf lists the values that a query parameter of an operation can have.
func enumOf[Params any](name string) []string {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Params]()) {
		if f.Tag.Get("query") == name {
			return strings.Split(f.Tag.Get("enum"), ",")
		}
	}
	panic("api: no query parameter is " + name)
}

// checkQuery refuses parameters that the operation does not know. What is passed over in
// silence says nothing: without a misspelt responders, anybody may answer.
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

// unknown names a parameter, and what may have been meant.
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
