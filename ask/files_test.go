package ask_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
)

func TestValidateFiles(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", ask.MaxFileText)
	tests := map[string]struct {
		files []ask.File
		want  string
	}{
		"a diff":                      {[]ask.File{{Name: "change.diff", Text: "-a\n+b\n"}}, ""},
		"the most there can be":       {[]ask.File{{Name: "a", Text: long[:ask.MaxFileText-4]}, {Name: "b", Text: "b"}, {Name: "c", Text: "c"}, {Name: "d", Text: "d"}, {Name: "e", Text: "e"}}, ""},
		"one byte more":               {[]ask.File{{Name: "a", Text: long}, {Name: "b", Text: "b"}}, "files: have 524289 bytes together; at most 524288"},
		"one file more":               {[]ask.File{{Name: "a", Text: "a"}, {Name: "b", Text: "b"}, {Name: "c", Text: "c"}, {Name: "d", Text: "d"}, {Name: "e", Text: "e"}, {Name: "f", Text: "f"}}, "files: has 6 files; at most 5"},
		"no name":                     {[]ask.File{{Text: "a"}}, "files[0].name: must be a plain name"},
		"a path":                      {[]ask.File{{Name: "../a", Text: "a"}}, "files[0].name: must be a plain name"},
		"a name that is hidden":       {[]ask.File{{Name: ".a", Text: "a"}}, "files[0].name: must be a plain name"},
		"a name with a break":         {[]ask.File{{Name: "a\n", Text: "a"}}, "files[0].name: must be a plain name"},
		"a name that formats":         {[]ask.File{{Name: "a*b", Text: "a"}}, "files[0].name: must be a plain name"},
		"a name that Discord changes": {[]ask.File{{Name: "a b", Text: "a"}}, "files[0].name: must be a plain name"},
		"a long name":                 {[]ask.File{{Name: strings.Repeat("a", 61), Text: "a"}}, "files[0].name: has 61 characters; at most 60"},
		"the same name twice":         {[]ask.File{{Name: "a", Text: "a"}, {Name: "a", Text: "b"}}, "files[1].name: is that of files[0] too"},
		"no text":                     {[]ask.File{{Name: "a"}}, "files[0].text: must not be empty"},
		"bytes that are no text":      {[]ask.File{{Name: "a", Text: "\xff"}}, "files[0].text: must be UTF-8"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := ask.Request{Questions: []ask.Question{ask.YesNo("Go?")}, Files: tt.files}
			err := r.Validate(nil)
			if tt.want == "" {
				if err != nil {
					t.Errorf("unexpected error: %v", err)
				}
				return
			}
			if !errors.Is(err, ask.ErrFiles) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

func TestDecodeFileKeepsBytes(t *testing.T) {
	t.Parallel()
	r, ignored, err := ask.DecodeRequest([]byte(`{"questions": [{"question": "Go?"}], "files": [{"name": "a.txt", "text": " \t<&>\r\n\u0000\u202e ", "mime": "x"}]}`))
	if err != nil || len(r.Files) != 1 || r.Files[0].Text != " \t<&>\r\n\x00\u202e " || len(ignored) != 1 || ignored[0] != "files[0].mime" {
		t.Fatalf("decoded %+v, ignored %v, error %v", r.Files, ignored, err)
	}
	// echo -n abc | sha256sum
	if a := (ask.File{Name: "abc", Text: "abc"}).Attachment(); a.Bytes != 3 || a.SHA256 != "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" {
		t.Errorf("attachment: %+v", a)
	}
}
