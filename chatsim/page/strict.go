package page

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// parameters lists the documented query parameters of each call, by pattern, as in "GET
// /api/sees".
var parameters = sync.OnceValue(func() map[string][]string {
	var doc struct {
		Paths map[string]map[string]struct {
			Parameters []struct{ Name string }
		}
	}
	if err := json.Unmarshal(document, &doc); err != nil {
		panic("page: openapi.json: " + err.Error())
	}
	all := map[string][]string{}
	for path, methods := range doc.Paths {
		for method, call := range methods {
			pattern := strings.ToUpper(method) + " " + path
			all[pattern] = nil
			for _, p := range call.Parameters {
				all[pattern] = append(all[pattern], p.Name)
			}
		}
	}
	return all
})

// strictly rejects unknown query parameters: without the misspelled one the call would do
// something else, and a test could pass by accident.
func strictly(pattern string, do http.HandlerFunc) http.HandlerFunc {
	known := parameters()[pattern]
	return func(w http.ResponseWriter, r *http.Request) {
		for _, name := range slices.Sorted(maps.Keys(r.URL.Query())) {
			if !slices.Contains(known, name) {
				http.Error(w, "Unknown parameter "+strconv.Quote(name)+"; GET api/openapi.json lists the parameters.", http.StatusBadRequest)
				return
			}
		}
		do(w, r)
	}
}
