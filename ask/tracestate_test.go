package ask_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
)

func TestTraceState(t *testing.T) {
	t.Parallel()
	many := func(n, value int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf("k%02d=%s", i, strings.Repeat("v", value)))
		}
		return strings.Join(all, ",")
	}
	for name, tt := range map[string]struct {
		sent []string
		want string
	}{
		"of one vendor":                        {[]string{"congo=t61rcWkgMzE"}, "congo=t61rcWkgMzE"},
		"of two, in their order":               {[]string{"rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"}, "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"},
		"in two headers, in their order":       {[]string{"rojo=1", "congo=2"}, "rojo=1,congo=2"},
		"with spaces around":                   {[]string{" rojo=1 ,\tcongo=2\t"}, "rojo=1,congo=2"},
		"with members that are empty":          {[]string{"rojo=1,,", "", " ,congo=2"}, "rojo=1,congo=2"},
		"of a tenant":                          {[]string{"fw529a3039@dt=FfffffeC"}, "fw529a3039@dt=FfffffeC"},
		"of a tenant that begins with a digit": {[]string{"0a@dt=1"}, "0a@dt=1"},
		"with spaces inside a value":           {[]string{"rojo=a b"}, "rojo=a b"},
		"with 32 members":                      {[]string{many(32, 1)}, many(32, 1)},
		"with 33 members":                      {[]string{many(33, 1)}, ""},
		"with a key twice":                     {[]string{"rojo=1,congo=2,rojo=3"}, ""},
		"with no value":                        {[]string{"rojo="}, ""},
		"with no key":                          {[]string{"=1"}, ""},
		"with no equals sign":                  {[]string{"rojo"}, ""},
		"with two equals signs":                {[]string{"rojo=1=2"}, ""},
		"with a capital in a key":              {[]string{"Rojo=1"}, ""},
		"with a key that begins with a digit":  {[]string{"0rojo=1"}, ""},
		"with a system that is a digit":        {[]string{"a@0=1"}, ""},
		"of a tenant without a system":         {[]string{"a@=1"}, ""},
		"of a system without a tenant":         {[]string{"@a=1"}, ""},
		"with two at signs":                    {[]string{"a@b@c=1"}, ""},
		"of a tenant that is too long":         {[]string{strings.Repeat("a", 242) + "@b=1"}, ""},
		"of a system that is too long":         {[]string{"a@" + strings.Repeat("b", 15) + "=1"}, ""},
		"with a key that is too long":          {[]string{strings.Repeat("a", 257) + "=1"}, ""},
		"with a value that is too long":        {[]string{"a=" + strings.Repeat("1", 257)}, ""},
		"with a letter beyond ASCII":           {[]string{"rojo=\u00e9"}, ""},
		"with a line break":                    {[]string{"rojo=1\nX-Evil: 2"}, ""},
		"one that is bad spoils all":           {[]string{"rojo=1", "Congo=2"}, ""},
		"of 512 bytes":                         {[]string{many(4, 120) + ",z9=" + strings.Repeat("v", 9)}, many(4, 120) + ",z9=" + strings.Repeat("v", 9)},
		"of 513 bytes":                         {[]string{many(4, 120) + ",z9=" + strings.Repeat("v", 10)}, many(4, 120)},
		"longer: the last ones are let go of":  {[]string{many(5, 120)}, many(4, 120)},
		"longer: the long ones are let go of":  {[]string{"long=" + strings.Repeat("v", 200) + "," + many(4, 100)}, many(4, 100)},
		"absent":                               {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := ask.TraceState(tt.sent...)
			if got != tt.want {
				t.Errorf("parsing %q = %q, want %q", tt.sent, got, tt.want)
			}
			if again := ask.TraceState(got); again != got {
				t.Errorf("parsing %q again = %q", got, again)
			}
		})
	}
}
