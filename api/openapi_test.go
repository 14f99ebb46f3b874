package api

import (
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/go-cmp/cmp"
)

func TestTheDocumentTellsEveryRoute(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *world) {
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
		var told, served []string
		for path, methods := range doc.Paths {
			for method, op := range methods {
				told = append(told, strings.ToUpper(method)+" "+path)
				if op.OperationID == "" || op.Summary == "" || len(op.Responses) == 0 {
					t.Errorf("%s %s is told poorly", method, path)
				}
			}
		}
		for _, rt := range routes() {
			served = append(served, rt.method+" "+rt.path)
			if (doc.Paths[rt.path][strings.ToLower(rt.method)].Security == nil) != rt.open {
				t.Errorf("%s %s: security", rt.method, rt.path)
			}
		}
		slices.Sort(told)
		slices.Sort(served)
		if diff := cmp.Diff(served, told); diff != "" {
			t.Errorf("served and told (-want +got):\n%s", diff)
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
					t.Errorf("%s.%s is not told", name, member)
				}
			}
		}
		if diff := cmp.Diff([]string{"questions"}, schemas["NewRequest"].Required); diff != "" {
			t.Errorf("required of a new request: %s", diff)
		}
	})
}

func TestTheExampleOfTheContractFitsTheDocument(t *testing.T) {
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

// What is promised in doc.go must be served.
func TestThePackageCommentNamesEveryRoute(t *testing.T) {
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
