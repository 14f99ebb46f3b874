package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// fileFlags are the files of a question in words, each given as "PATH" or "NAME=PATH". The
// path - is standard input.
type fileFlags []string

// read returns the files, or an [*ask.InvalidError] with all that is wrong with them.
func (f fileFlags) read(in io.Reader) ([]ask.File, error) {
	if len(f) == 0 {
		return nil, nil
	}
	var problems []ask.Problem
	var files []ask.File
	first := -1
	for n, given := range f {
		name, path := partsOf(given)
		var text []byte
		var err error
		if path == "-" && first >= 0 {
			err = fmt.Errorf("is standard input, which --file[%d] has taken", first)
		} else {
			text, err = readFile(in, path)
		}
		if path == "-" && first < 0 {
			first = n
		}
		if len(text) > ask.MaxFileText {
			err = fmt.Errorf("has more than %d bytes, which is how long all files may be together", ask.MaxFileText)
		}
		if err != nil {
			problems = append(problems, ask.Problem{Path: fmt.Sprintf("--file[%d]", n), Detail: err.Error(), Kind: ask.ErrFiles})
			text = []byte("?") // So that its name is judged, and nothing else.
		}
		files = append(files, ask.File{Name: name, Text: string(text)})
	}
	if problems = slices.Concat(problems, ask.CheckFiles("--file", files)); len(problems) > 0 {
		return nil, &ask.InvalidError{Problems: problems}
	}
	return files, nil
}

// partsOf is what a file is called below the card, and where it is.
func partsOf(given string) (name, path string) {
	if name, path, ok := strings.Cut(given, "="); ok && name == filepath.Base(name) {
		return name, path
	}
	if given == "-" {
		return "stdin.txt", given
	}
	return filepath.Base(given), given
}
