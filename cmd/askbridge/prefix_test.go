package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/client"
)

func TestUniquePrefixNamesRequest(t *testing.T) {
	t.Parallel()
	const first, second, old = "paaaabbbbccccddddeeeeffffgg", "paaaazzzzccccddddeeeeffffgg", "qaaaabbbbccccddddeeeeffffgg"
	bridge := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		q := r.URL.Query()
		switch {
		case q.Get("state") == "open" && q.Get("cursor") == "":
			fmt.Fprintf(w, `{"requests": [{"id": %q, "state": "open"}], "next": "2"}`, first)
		case q.Get("state") == "open":
			fmt.Fprintf(w, `{"requests": [{"id": %q, "state": "open"}, {"id": "short", "state": "open"}, {"id": "short2", "state": "open"}]}`, second)
		default:
			if since, err := time.Parse(time.RFC3339, q.Get("since")); err != nil || time.Since(since) < prefixAge-time.Minute {
				t.Errorf("asks for the ended ones since %q", q.Get("since"))
			}
			fmt.Fprintf(w, `{"requests": [{"id": %q, "state": "answered"}]}`, old)
		}
	}))
	t.Cleanup(bridge.Close)
	c, err := client.New(bridge.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ named, want, fails string }{
		{named: "paaaab", want: first},
		{named: "qaaa", want: old},
		{named: "qaa", want: "qaa"},     // too short
		{named: "short", want: "short"}, // a whole ID, and a prefix of another
		{named: "nobody", want: "nobody"},
		{named: first, want: first},
		{named: "paaaa", fails: `2 requests begin with "paaaa": ` + first + ", " + second},
	} {
		got, err := findRequest(t.Context(), c, tt.named)
		if got != tt.want || (err == nil) != (tt.fails == "") || err != nil && !strings.Contains(err.Error(), tt.fails) {
			t.Errorf("%s: %q, %v", tt.named, got, err)
		}
	}
}
