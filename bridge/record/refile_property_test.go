package record

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/askbridge/askbridge/ask"
)

// long is a context that needs a file. All of them begin the same.
func long(n int) string {
	return strings.Repeat("It went down twice this week.\n", 100) + fmt.Sprint(n)
}

// An agent revises the context, long and short, while replicas upload files in any order, fail and die. Every answer
// must come from a card with the full newest context below it.
func TestAnswersNeedNewestFile(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := openRecord(singleQ())
		if rapid.Bool().Draw(t, "with a file of its own") {
			r.Files = []ask.Attachment{{Name: "change.diff", Bytes: 1, SHA256: "ab"}}
		}
		var (
			context string
			begun   [][]ask.Attachment // Uploads in flight, one entry for each message.
			below   []ask.Attachment   // All files ever posted.
		)
		for n := range rapid.IntRange(1, 30).Draw(t, "steps") {
			now := start.Add(time.Duration(n) * time.Second)
			switch rapid.IntRange(0, 4).Draw(t, "what") {
			case 0:
				next := rapid.SampledFrom([]string{"short", long(1), long(2)}).Draw(t, "context")
				if err := r.Revise(ask.Revision{Context: &next, Files: true}, nil, now); err == nil {
					context = next
				} else if context != next {
					t.Fatalf("revised: %v", err)
				}
			case 1:
				if Uploading.Wants(r, r.Copies[0], rapid.Bool().Draw(t, "claimed")) {
					_ = begin(Uploading, r, now)
					begun = append(begun, r.Files)
				}
			case 2, 3:
				if len(begun) == 0 {
					continue
				}
				at := rapid.IntRange(0, len(begun)-1).Draw(t, "which")
				files := begun[at]
				begun = slices.Delete(begun, at, at+1)
				var result Result = FilesFailed{Files: files, Failure: Failure{Why: "w"}}
				if rapid.IntRange(0, 3).Draw(t, "posted") > 0 {
					result, below = FilesPosted{files}, append(below, files...)
				}
				_, _ = r.ApplyReport(Report{Copies: []Result{result}}, now)
			case 4:
				a := by("U1", int64(n+1), ask.Choose, 0, 0).of(r.Revised - rapid.IntRange(0, min(1, r.Revised)).Draw(t, "older by"))
				if d, _ := r.judged(a, DraftMode{}, now); d.Verdict != Completed {
					continue
				}
				if a.Action.Revised != r.Revised {
					t.Fatal("a press on an older card counts")
				}
				want := slices.Clone(r.Files)
				if digest := (ask.File{Text: context}).Attachment().SHA256; len(context) > ask.MaxShown && (len(want) == 0 || want[len(want)-1].SHA256 != digest) {
					t.Fatalf("the card names %+v, and the newest context is %s", want, digest)
				}
				for _, f := range want {
					if !slices.Contains(below, f) {
						t.Fatalf("approved without %s, with these below it: %+v", f.Name, below)
					}
				}
				return
			}
		}
	})
}

func TestOutdatedFileAllowsNoAnswer(t *testing.T) {
	t.Parallel()
	r := openRecord(singleQ())
	revise := func(context string) {
		t.Helper()
		if err := r.Revise(ask.Revision{Context: &context, Files: true}, nil, start); err != nil {
			t.Fatal(err)
		}
	}
	presses := func(want Verdict) {
		t.Helper()
		next := r.Clone()
		if d, _ := next.judged(by("U1", 1, ask.Choose, 0, 0).of(r.Revised), DraftMode{}, start); d.Verdict != want {
			t.Errorf("a press after revision %d is %s, want %s", r.Revised, d.Verdict, want)
		}
	}
	upload := func() []ask.Attachment {
		if err := begin(Uploading, r, start); err != nil {
			t.Fatal(err)
		}
		return r.Files
	}
	report := func(result Result) { _, _ = r.ApplyReport(Report{Copies: []Result{result}}, start) }

	revise(long(1))
	presses(Unshown)
	first := upload()
	revise(long(2))
	if len(r.Files) != 1 || r.Files[0] == first[0] || r.Files[0].Name != "context-3.txt" || r.Context != beginningOf(long(1)) {
		t.Errorf("the card names %+v, and %q", r.Files, r.Context)
	}
	second := upload()
	report(FilesPosted{first})
	report(FilesGivenUp{first, "they are gone"})
	report(FilesFailed{Files: first})
	presses(Unshown)
	report(FilesPosted{second})
	presses(Completed)
	if again := long(2); !errors.Is(r.Revise(ask.Revision{Context: &again, Files: true}, nil, start), ErrUnchanged) {
		t.Error("the same context again is another revision")
	}
	revise("short")
	presses(Completed)
	if r.Files != nil || r.Context != "short" {
		t.Errorf("the card names %+v", r.Files)
	}
	revise(long(2)) // Its file is an older message and does not count.
	presses(Unshown)
}

// beginningOf returns the part of a long context that the card shows.
func beginningOf(context string) string {
	shown, _ := ask.Revision{Context: &context, Files: true}.EncloseContext(0)
	return shown
}
