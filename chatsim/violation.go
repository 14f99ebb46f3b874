package chatsim

import (
	"fmt"
	"slices"
	"sync"
)

// Violation is one rule of the platform that the program under test broke.
type Violation struct {
	// Rule is the stable name of the rule, such as "button.text".
	Rule string `json:"rule"`
	// Where says in which call and at which place of it.
	Where string `json:"where"`
	// Detail says what was found and what is allowed.
	Detail string `json:"detail"`
	// Doc is the page of the platform that states the rule.
	Doc string `json:"doc,omitempty"`
}

// String tells the violation on one line.
func (v Violation) String() string {
	text := fmt.Sprintf("%s at %s: %s", v.Rule, v.Where, v.Detail)
	if v.Doc != "" {
		text += " (" + v.Doc + ")"
	}
	return text
}

// Ledger records violations and which of them a test expects. The zero value is empty and ready.
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

// Clear forgets what was broken and what was expected to be.
func (l *Ledger) Clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen, l.expected = nil, nil
}

// All returns every violation so far, in order.
func (l *Ledger) All() []Violation {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.seen)
}

// Unexpected returns the violations of rules that no test declared.
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

// Missing returns the rules that were expected to be broken and were not.
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
