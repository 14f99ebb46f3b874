package api

import (
	"github.com/danielgtaylor/huma/v2"

	"github.com/askbridge/askbridge/access"
)

// route is one operation: its handler, and its documentation in openapi.go.
type route struct {
	method, path string
	// scope is required of the token; open routes need none.
	scope access.Scope
	open  bool
	// console routes serve the console, and so also people who have signed in there.
	console bool
	// whose are the requests that the operation may change.
	whose access.Whose
	// quiet calls are logged at debug level.
	quiet bool
	// poll calls are repeated by waiting agents. Like reads, they are logged at debug level unless they fail.
	poll  bool
	serve func(*exchange) error
	// query are the known query parameters.
	query []string

	// The remaining members are for the OpenAPI document.
	id, tag, summary, about string
	describe                describer
	errors                  []int
}

// describer adds an operation to the document.
type describer func(api huma.API, op huma.Operation)
