package main

import (
	"strings"
	"testing"
)

func TestSubjectProblem(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, subject, want string }{
		{"plain", "slack: release the posting slot", ""},
		{"several areas", "api,client: accept a list", ""},
		{"path", "store/redis: count round trips", ""},
		{"no area", "Release the posting slot", "does not begin with an area"},
		{"capital area", "Slack: release the posting slot", "does not begin with an area"},
		{"no summary", "slack: ", "does not begin with an area"},
		{"72 characters", "api: " + strings.Repeat("é", 67), ""},
		{"73 characters", "api: " + strings.Repeat("é", 68), "has 73 characters, limit 72"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := subjectProblem(tt.subject); (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("subjectProblem(%q) = %q, want %q in it", tt.subject, got, tt.want)
			}
		})
	}
}
