package chatsim

import (
	"fmt"
	"slices"
	"sync"
)

// Violation is one platform rule that the program under test broke.
type Violation struct {
	// Rule is the stable name of the rule, such as "button.text".
	Rule string `json:"rule"`
	// Where is the call and the position in it.
	Where string `json:"where"`
	// Detail describes what was found and what is allowed.
	Detail string `json:"detail"`
	// Doc is the platform's page for the rule.
	Doc string `json:"doc,omitempty"`
}

// String describes the violation on one line.
func (v Violation) String() string {
	text := fmt.Sprintf("%s at %s: %s", v.Rule, v.Where, v.Detail)
	if v.Doc != "" {
		text += " (" + v.Doc + ")"
	}
	return text
}

// Ledger records violations and those that a test expects. The zero value is empty and ready to
// use.
type Ledger struct {
	mu       sync.Mutex
	seen     []Violation
	expected []string
}

// Record adds a violation.
func (l *Ledger) Record(v Violation) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen = append(l.seen, v)
}

// Expect declares that the test breaks these rules on purpose.
func (l *Ledger) Expect(rules ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.expected = append(l.expected, rules...)
}

// Clear removes all violations and expectations.
func (l *Ledger) Clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen, l.expected = nil, nil
}

// All returns all violations, in order.
func (l *Ledger) All() []Violation {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.seen)
}

// Unexpected returns the violations of rules that were not expected.
func (l *Ledger) Unexpected() []Violation {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []Violation
	for _, v := range l.seen {
		if !slices.Contains(l.expected, v.Rule) {
			out = append(out, v)
		}
	}
	return out
}

// Missing returns the expected rules that were not broken.
func (l *Ledger) Missing() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []string
	for _, rule := range l.expected {
		if !slices.ContainsFunc(l.seen, func(v Violation) bool { return v.Rule == rule }) {
			out = append(out, rule)
		}
	}
	return out
}
