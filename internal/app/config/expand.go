package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/askbridge/askbridge/internal/textinput"
)

// maxFile limits the size of a referenced file.
const maxFile = 64 << 10

// reference is a ${…} in a scalar; $${ is a literal ${.
var (
	reference = regexp.MustCompile(`\$\$\{|\$\{[^}]*\}?`)
	variable  = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// surroundings resolves references.
type surroundings struct {
	env  func(name string) (string, bool)
	open func(name string) (io.ReadCloser, error)
	// preview limits what is read, see [Preview].
	preview bool
	// lookup allows to look up names on the platforms.
	lookup bool
}

func realWorld() surroundings {
	return surroundings{
		env:  os.LookupEnv,
		open: func(name string) (io.ReadCloser, error) { return os.Open(name) },
	}
}

// expand replaces the references in a scalar. It does not expand the results. Foreign reports whether
// part of the value comes from outside the file.
func (w surroundings) expand(text string) (value string, foreign bool, err error) {
	var failed []error
	value = reference.ReplaceAllStringFunc(text, func(ref string) string {
		if ref == "$${" {
			return "${"
		}
		foreign = true
		got, err := w.resolve(ref)
		if err != nil {
			failed = append(failed, err)
		}
		return got
	})
	return value, foreign, errors.Join(failed...)
}

func (w surroundings) resolve(ref string) (string, error) {
	inner, closed := strings.CutSuffix(strings.TrimPrefix(ref, "${"), "}")
	if !closed {
		return "", errors.New("has a ${ without }; write $${ for a literal one")
	}
	if name, ok := strings.CutPrefix(inner, "file:"); ok {
		return w.read(name)
	}
	name, fallback, optional := strings.Cut(inner, ":-")
	if !variable.MatchString(name) {
		return "", errors.New("has an invalid reference; use ${NAME}, ${NAME:-default} or ${file:/path}, or $${ for a literal ${")
	}
	if got, _ := w.env(name); got != "" {
		return got, nil
	}
	if optional {
		return fallback, nil
	}
	return "", fmt.Errorf("the environment variable %s is not set", name)
}

func (w surroundings) read(name string) (string, error) {
	f, err := w.open(name)
	if err != nil {
		if reason := errors.Unwrap(err); reason != nil {
			err = reason
		}
		return "", fmt.Errorf("cannot read the file %s: %w", name, err)
	}
	defer func() { _ = f.Close() }() // It was only read.
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("cannot read the file %s: %w", name, err)
	case len(data) > maxFile:
		return "", fmt.Errorf("the file %s is larger than %d kB", name, maxFile>>10)
	}
	if data, err = textinput.UTF8(data); err != nil {
		return "", fmt.Errorf("cannot read the file %s: %w", name, err)
	}
	text := strings.TrimRight(string(data), "\r\n")
	if text == "" {
		return "", fmt.Errorf("the file %s is empty", name)
	}
	return text, nil
}
