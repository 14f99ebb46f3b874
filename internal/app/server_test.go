package app

import "testing"

func TestConnectionLimitLeavesFileDescriptors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what  string
		files uint64
		want  int
	}{
		{"a shell's usual limit", 1024, 512},
		{"hardly any", 256, 128},
		{"a small container", 20_000, 19_488},
		{"no limit", 1 << 63, mostConns},
	} {
		if got := connsWithin(c.files); got != c.want {
			t.Errorf("%s: %d connections, want %d", c.what, got, c.want)
		}
	}
	if n := connsWithin(openFiles()); n < 1 {
		t.Errorf("%d connections here", n)
	}
}
