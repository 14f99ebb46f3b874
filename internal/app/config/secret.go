package config

import (
	"fmt"
	"io"
	"log/slog"
)

// redacted is what a secret prints as.
const redacted = "[redacted]"

// Secret is text that must not be displayed. It prints as [redacted] with every fmt verb, in JSON, YAML
// and logs; only Reveal returns the text. The zero value is empty.
type Secret struct {
	// A pointer, since fmt calls no methods on unexported fields of other structs and would print a
	// string.
	text *string
}

// NewSecret wraps text; empty text is not a secret.
func NewSecret(text string) Secret {
	if text == "" {
		return Secret{}
	}
	return Secret{text: &text}
}

// Reveal returns the text.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// Set reports whether there is any text.
func (s Secret) Set() bool { return s.text != nil }

// String returns [redacted], or nothing if empty.
func (s Secret) String() string {
	if s.text == nil {
		return ""
	}
	return redacted
}

// Format is [Secret.String] for all verbs.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// MarshalText is [Secret.String], for JSON, YAML and the rest.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LogValue is [Secret.String], for logs.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

func (s *Secret) scan(text string) error {
	*s = NewSecret(text)
	return nil
}
