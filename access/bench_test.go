package access

import (
	"fmt"
	"testing"
)

// BenchmarkIdentify measures the identification of a caller among few agents and among many.
func BenchmarkIdentify(b *testing.B) {
	for _, many := range []int{1, 100, 10_000} {
		b.Run(fmt.Sprintf("%d tenants", many), func(b *testing.B) {
			agents := make([]Agent, many)
			for n := range agents {
				name := fmt.Sprintf("agent-%d", n)
				agents[n] = Agent{Name: name, Tenant: name, Token: "token of " + name}
			}
			g, err := New(nil, &Options{Agents: agents})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				a := &agents[n%many]
				if who, err := g.Identify(b.Context(), a.Token, ""); err != nil || who.Name != a.Name {
					b.Fatalf("%s is taken for %+v, %v", a.Name, who, err)
				}
			}
		})
	}
}
