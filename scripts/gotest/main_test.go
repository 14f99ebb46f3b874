package main

import (
	"strings"
	"testing"
	"time"
)

func TestReportCountsResults(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		events         string
		passed, failed int
		want           []string
		doesNotSay     []string
	}{
		"a passing test is silent": {
			events: `
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"chatter\n"}
{"Action":"pass","Package":"p","Test":"TestA","Elapsed":0.1}
{"Action":"pass","Package":"p","Elapsed":0.2}`,
			passed: 1, want: []string{"ok   p", "1 passed, 0 failed"}, doesNotSay: []string{"chatter"},
		},
		"a failing test shows its output": {
			events: `
{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"a_test.go:1: wrong\n"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"fail","Package":"p"}`,
			failed: 1, want: []string{"a_test.go:1: wrong", "FAIL p TestA", "0 passed, 1 failed"}, doesNotSay: []string{"RUN"},
		},
		"a skipped test counts as failed": {
			events: `
{"Action":"output","Package":"p","Test":"TestA","Output":"no redis here\n"}
{"Action":"skip","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p"}`,
			failed: 1, want: []string{"no redis here", "counts as failed", "FAIL p"},
		},
		"a package that does not build counts once": {
			events: `
{"ImportPath":"p","Action":"build-output","Output":"p.go:3: undefined: x\n"}
{"Action":"output","Package":"p","Output":"FAIL\tp [build failed]\n"}
{"Action":"fail","Package":"p","FailedBuild":"p"}`,
			failed: 1, want: []string{"undefined: x", "build failed", "0 passed, 1 failed"},
		},
		"a panic shows what the unfinished test printed": {
			events: `
{"Action":"output","Package":"p","Test":"TestA","Output":"panic: boom\n"}
{"Action":"fail","Package":"p"}`,
			failed: 1, want: []string{"panic: boom", "FAIL p"},
		},
		"a package without tests is not mentioned": {
			events: `{"Action":"skip","Package":"quiet"}`,
			want:   []string{"no test ran"}, doesNotSay: []string{"quiet"},
		},
		"a line that is no event is passed on": {
			events: "go: downloading something",
			want:   []string{"go: downloading something"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			r := newReport(&out)
			if err := r.read(strings.NewReader(strings.TrimPrefix(tt.events, "\n"))); err != nil {
				t.Fatal(err)
			}
			r.close(time.Second)
			if r.passed != tt.passed || r.failed != tt.failed {
				t.Errorf("%d passed, %d failed; want %d and %d", r.passed, r.failed, tt.passed, tt.failed)
			}
			for _, want := range tt.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("report does not say %q:\n%s", want, out.String())
				}
			}
			for _, no := range tt.doesNotSay {
				if strings.Contains(out.String(), no) {
					t.Errorf("report contains %q:\n%s", no, out.String())
				}
			}
		})
	}
}
