package faults

import (
	"strings"
	"testing"
)

// A field of a record moved to another file, and only the whole fault suite noticed that the newer version no longer
// compiled.
func TestVariantsApply(t *testing.T) {
	t.Parallel()
	for _, v := range []*Variant{newer, clocked(t)} {
		if err := Compile(Edited(t, v.Edits)); err != nil {
			t.Errorf("%s: %v", v.Name, err)
		}
	}
}

// Two mutants no longer compiled, one over a missing constant and one over an unused variable, although their texts
// still matched.
func TestVariantCompileErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		edit Edit
		want string
	}{
		"a name that is gone":         {Edit{"webhook/guard.go", "return errInside", "return errOutside"}, "undefined: errOutside"},
		"a variable that is not used": {Edit{"webhook/guard.go", "if !public(at.Addr()) {", "if false {"}, "declared and not used: at"},
		"an import that is not used":  {Edit{"webhook/guard.go", `fmt.Errorf("webhook: %w", err)`, "err"}, `"fmt" imported and not used`},
		"no Go at all":                {Edit{"webhook/guard.go", "return errInside", "return ("}, "expected operand"},
		"a name used in another file": {Edit{"bridge/record/record.go", "type Webhook struct {", "type Hook struct {"}, "undefined: Webhook"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := Compile(Edited(t, []Edit{c.edit})); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error = %v, want %q", err, c.want)
			}
		})
	}
}
