package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/test/golden"
)

func TestDocumentListsEveryRoute(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		r := w.call("", "GET", "/openapi.json", "").want(t, http.StatusOK)
		var doc struct {
			OpenAPI string `json:"openapi"`
			Paths   map[string]map[string]struct {
				OperationID string                     `json:"operationId"`
				Summary     string                     `json:"summary"`
				Responses   map[string]json.RawMessage `json:"responses"`
				Security    []any                      `json:"security"`
			} `json:"paths"`
			Components struct {
				Schemas map[string]struct {
					Required   []string                   `json:"required"`
					Properties map[string]json.RawMessage `json:"properties"`
				} `json:"schemas"`
			} `json:"components"`
		}
		if err := json.Unmarshal([]byte(r.body), &doc); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(doc.OpenAPI, "3.1.") {
			t.Errorf("OpenAPI %s", doc.OpenAPI)
		}
		var documented, served []string
		for path, methods := range doc.Paths {
			for method, op := range methods {
				documented = append(documented, strings.ToUpper(method)+" "+path)
				if op.OperationID == "" || op.Summary == "" || len(op.Responses) == 0 {
					t.Errorf("%s %s is not fully documented", method, path)
				}
			}
		}
		for _, rt := range routes() {
			served = append(served, rt.method+" "+rt.path)
			if security := doc.Paths[rt.path][strings.ToLower(rt.method)].Security; security == nil || (len(security) == 0) != rt.open {
				t.Errorf("%s %s: security is %v", rt.method, rt.path, security)
			}
		}
		slices.Sort(documented)
		slices.Sort(served)
		if diff := cmp.Diff(served, documented); diff != "" {
			t.Errorf("served and documented routes (-want +got):\n%s", diff)
		}
		schemas := doc.Components.Schemas
		for name, members := range map[string]string{
			"Request":    "id state expires_at questions delivery tool_call_id session agent created_at advice ignored answers text reason by ended_at webhook",
			"Delivery":   "platform channel thread user message state detail queue retry_at",
			"Answer":     "index question header selected other by at",
			"NewRequest": "questions to route responders expires_in tool_call_id session agent context idempotency_key supersedes webhook",
			"Problem":    "title status detail errors request_id call_id",
		} {
			for member := range strings.FieldsSeq(members) {
				if schemas[name].Properties[member] == nil {
					t.Errorf("%s.%s is not documented", name, member)
				}
			}
		}
		if diff := cmp.Diff([]string{"questions"}, schemas["NewRequest"].Required); diff != "" {
			t.Errorf("required of a new request: %s", diff)
		}
	})
}

func TestContractExampleMatchesDocument(t *testing.T) {
	t.Parallel()
	body := with(oneQuestion, `"tool_call_id":"toolu_01","session":"s1","agent":"deploy-bot","context":"Deploying 4.2","responders":["slack:U0000001"],"expires_in":"30m"`)
	var v any
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		t.Fatal(err)
	}
	doc := describe()
	s := doc.Paths["/v1/requests"].Post.RequestBody.Content["application/json"].Schema
	var result huma.ValidateResult
	huma.Validate(doc.Components.Schemas, s, huma.NewPathBuffer([]byte{}, 0), huma.ModeWriteToServer, v, &result)
	for _, err := range result.Errors {
		t.Error(err)
	}
}

func TestDocumentedParametersMatch(t *testing.T) {
	t.Parallel()
	doc := newDocument("1.2.3", routes())
	for _, rt := range routes() {
		item := doc.Paths[rt.path]
		var documented []string
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Patch} {
			for _, p := range parametersOf(op, rt.id) {
				documented = append(documented, p.Name)
			}
		}
		taken := slices.Sorted(slices.Values(rt.query))
		slices.Sort(documented)
		if diff := cmp.Diff(documented, taken); diff != "" {
			t.Errorf("%s %s: parameters (-documented +accepted):\n%s", rt.method, rt.path, diff)
		}
	}
}

// parametersOf returns the query parameters of an operation.
func parametersOf(op *huma.Operation, id string) []*huma.Param {
	if op == nil || op.OperationID != id {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(op.Parameters), func(p *huma.Param) bool { return p.In != "query" })
}

func TestPageSizeIsDocumented(t *testing.T) {
	t.Parallel()
	all := newDocument("1.2.3", routes()).Paths["/v1/requests"].Get.Parameters
	limit := all[slices.IndexFunc(all, func(p *huma.Param) bool { return p.Name == "limit" })].Schema
	if limit.Default != defaultPage || *limit.Maximum != maxPage {
		t.Errorf("documented default %v, maximum %v", limit.Default, *limit.Maximum)
	}
}

// Clients are generated from the copy in the repository, and people read it first.
func TestOpenAPIDocumentIsUpToDate(t *testing.T) {
	t.Parallel()
	w := newFixture(t, anonymous())
	r := w.call("", "GET", "/openapi.json", "").want(t, http.StatusOK)
	var text bytes.Buffer
	if err := json.Indent(&text, []byte(r.body), "", "  "); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "../docs/reference/openapi.json", text.String()+"\n")
}

func TestDocumentIsFullyDescribed(t *testing.T) {
	t.Parallel()
	doc := newDocument("1.2.3", routes())
	missing := func(where, text string) {
		if text == "" {
			t.Errorf("%s has no description", where)
		}
	}
	missing("the API", doc.Info.Description)
	named := map[string]bool{}
	for _, tag := range doc.Tags {
		missing("tag "+tag.Name, tag.Description)
		named[tag.Name] = true
	}
	for name, s := range doc.Components.Schemas.Map() {
		missing("schema "+name+" (see aboutSchemas)", s.Description)
		for member, m := range s.Properties {
			missing(name+"."+member+" (give the field a doc tag)", m.Description)
		}
	}
	if len(doc.Servers) == 0 || len(doc.Webhooks) == 0 {
		t.Errorf("%d servers and %d webhooks are documented", len(doc.Servers), len(doc.Webhooks))
	}
	for path, op := range operations(doc) {
		if op.Security == nil {
			t.Errorf("%s does not document its security", path)
		}
		if op.RequestBody != nil && len(op.RequestBody.Content["application/json"].Examples) == 0 {
			t.Errorf("%s has a body without an example (see bodyExamples)", path)
		}
		missing(path, op.Description)
		missing(path, op.Summary)
		if len(op.Tags) != 1 || !named[op.Tags[0]] {
			t.Errorf("%s has the tags %v", path, op.Tags)
		}
		for _, p := range op.Parameters {
			missing(path+", parameter "+p.Name, p.Description)
		}
		for code, r := range op.Responses {
			missing(path+", "+code, r.Description)
			for name, h := range r.Headers {
				missing(path+", "+code+", "+name, h.Description)
			}
		}
	}
}

// operations returns all operations of the document by method and path.
func operations(doc *huma.OpenAPI) map[string]*huma.Operation {
	all := map[string]*huma.Operation{}
	for _, paths := range []map[string]*huma.PathItem{doc.Paths, doc.Webhooks} {
		for path, item := range paths {
			for method, op := range map[string]*huma.Operation{"GET": item.Get, "POST": item.Post, "DELETE": item.Delete, "PUT": item.Put, "PATCH": item.Patch} {
				if op != nil {
					all[method+" "+path] = op
				}
			}
		}
	}
	return all
}

func TestExamplesMatchSchemas(t *testing.T) {
	t.Parallel()
	doc, seen := newDocument("", routes()), 0
	fits := func(where string, mode huma.ValidateMode, content map[string]*huma.MediaType) {
		for kind, media := range content {
			for name, e := range media.Examples {
				seen++
				var v any
				data, err := json.Marshal(e.Value)
				if err == nil {
					err = json.Unmarshal(data, &v)
				}
				if err != nil {
					t.Fatal(err)
				}
				var result huma.ValidateResult
				huma.Validate(doc.Components.Schemas, media.Schema, huma.NewPathBuffer([]byte{}, 0), mode, v, &result)
				for _, err := range result.Errors {
					t.Errorf("%s, %s, example %s: %v", where, kind, name, err)
				}
			}
		}
	}
	for path, op := range operations(doc) {
		if op.RequestBody != nil {
			fits(path, huma.ModeWriteToServer, op.RequestBody.Content)
		}
		for code, r := range op.Responses {
			fits(path+" "+code, huma.ModeReadFromServer, r.Content)
		}
	}
	if seen < 10 {
		t.Errorf("the document has %d examples", seen)
	}
}

// Readers need one example of each body. Errors are exempt since they share one type.
func TestBodiesHaveExamples(t *testing.T) {
	t.Parallel()
	for path, op := range operations(newDocument("", routes())) {
		bodies := map[string]map[string]*huma.MediaType{}
		if op.RequestBody != nil {
			bodies["request"] = op.RequestBody.Content
		}
		for code, r := range op.Responses {
			bodies[code] = r.Content
		}
		for where, content := range bodies {
			for kind, media := range content {
				documented := kind == "application/problem+json" || kind == "text/event-stream" || kind == "application/openapi+json"
				if !documented && len(media.Examples) == 0 {
					t.Errorf("%s, %s, %s has no example", path, where, kind)
				}
			}
		}
	}
}

// Documented examples must be accepted by the bridge.
func TestAskExamplesAreAccepted(t *testing.T) {
	t.Parallel()
	for _, e := range askExamples() {
		data, err := json.Marshal(e.value())
		if err != nil {
			t.Fatal(err)
		}
		r, ignored, err := ask.DecodeRequest(data)
		if err == nil {
			err = r.Validate(nil)
		}
		if err != nil || len(ignored) > 0 {
			t.Errorf("%s: %v, ignored %v", e.name, err, ignored)
		}
	}
}

// Routes promised in doc.go must be served.
func TestPackageCommentListsRoutes(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, rt := range routes() {
		if !strings.Contains(string(text), rt.path) {
			t.Errorf("doc.go does not name %s", rt.path)
		}
	}
}
