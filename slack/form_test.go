package slack

import (
	"net/url"
	"testing"
)

func FuzzFormField(f *testing.F) {
	for _, form := range []string{
		"payload=%7B%22type%22%3A%22block_actions%22%7D", "payload=a+b%20c&payload=second", "token=x&payload=%e2%82%ac&x", "payload=", "payload",
		"payload=%", "payload=%7", "payload=%7g", "payload=%g7", "payload=%77", "payload=a;b=c", "x=%zz&payload=1", "&&=payload&payload==", "paylo%61d=1", "",
	} {
		f.Add([]byte(form))
	}
	f.Fuzz(func(t *testing.T, form []byte) {
		got, ok := field(form, "payload")
		all, err := url.ParseQuery(string(form))
		want, there := all["payload"]
		if err == nil && ok != there {
			t.Errorf("%q: read %v, by the standard library %v", form, ok, there)
		}
		if ok && (!there || string(got) != want[0]) {
			t.Errorf("%q: read %q, by the standard library %q", form, got, want)
		}
	})
}

func BenchmarkFormField(b *testing.B) {
	form := []byte(url.Values{"payload": {string(payloadFile(b, "button"))}}.Encode())
	b.Run("ours", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, ok := field(form, "payload"); !ok {
				b.Fatal("nothing is read")
			}
		}
	})
	b.Run("standard library", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			all, err := url.ParseQuery(string(form))
			if err != nil || len([]byte(all.Get("payload"))) == 0 {
				b.Fatal(err)
			}
		}
	})
}
