package freshstack

import "testing"

func TestAPanicIsTheCallers(t *testing.T) {
	t.Parallel()
	defer func() {
		if p := recover(); p != "broken" {
			t.Errorf("recovered %v", p)
		}
	}()
	ran := false
	Run(func() { ran = true })
	if !ran {
		t.Error("it returned before all was done")
	}
	Run(func() { panic("broken") })
}
