package words_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/internal/words"
)

// texts calls f with every text of a language, made from arguments where it has parameters,
// and with those of them that are texts.
func texts(w *words.Words, f func(name, text string, args []string)) {
	var walk func(name string, v reflect.Value)
	walk = func(name string, v reflect.Value) {
		switch v.Kind() {
		case reflect.String:
			f(name, v.String(), nil)
		case reflect.Func:
			for _, number := range []int{1, 2, 3, 90} {
				if v.IsNil() {
					f(name, "", nil)
					return
				}
				var args []reflect.Value
				var given []string
				for n := range v.Type().NumIn() {
					switch in := v.Type().In(n); {
					case in == reflect.TypeFor[time.Duration]():
						args = append(args, reflect.ValueOf(time.Duration(number)*time.Second))
					case in.Kind() == reflect.Int:
						args = append(args, reflect.ValueOf(number))
					default:
						given = append(given, words.Slot(n))
						args = append(args, reflect.ValueOf(words.Slot(n)))
					}
				}
				f(name, v.Call(args)[0].String(), given)
			}
		case reflect.Struct:
			for i := range v.NumField() {
				walk(strings.TrimPrefix(name+"."+v.Type().Field(i).Name, "."), v.Field(i))
			}
		}
	}
	walk("", reflect.ValueOf(*w))
}

func TestNoLanguageLacksAText(t *testing.T) {
	t.Parallel()
	for _, language := range append(words.Languages(), words.Pseudo) {
		w := words.In(language)
		if w.Language != language {
			t.Errorf("the words of %s are those of %q", language, w.Language)
		}
		texts(w, func(name, text string, args []string) {
			if strings.TrimSpace(text) == "" || strings.TrimSpace(text) != text && !strings.HasPrefix(name, "Vote.Takes") {
				t.Errorf("%s: %s is %q", language, name, text)
			}
			for _, arg := range args {
				if strings.Count(text, arg) != 1 {
					t.Errorf("%s: %s says %q, where one of what it was given is missing or stands twice", language, name, text)
				}
			}
			if strings.Contains(text, "%!") {
				t.Errorf("%s: %s says %q", language, name, text)
			}
		})
	}
}

func TestALocaleAsksForItsLanguage(t *testing.T) {
	t.Parallel()
	for locale, want := range map[string]string{
		"en": "en", "en-US": "en", "en-GB": "en", "EN_us": "en", "": "", "tlh": "", "english": "", words.Pseudo: words.Pseudo,
	} {
		if got := words.Known(locale); got != want {
			t.Errorf("%q asks for %q, want %q", locale, got, want)
		}
	}
	for _, language := range append([]string{""}, words.Languages()...) {
		if err := words.Check(language); err != nil {
			t.Error(err)
		}
	}
	if err := words.Check("tlh"); err == nil || !strings.Contains(err.Error(), words.Default) {
		t.Errorf("no language: %v", err)
	}
}

func TestATextIsCutAtItsSlots(t *testing.T) {
	t.Parallel()
	var parts []string
	text := words.In(words.Default).Schedule.Claim(words.Slot(0), words.Slot(1), words.Slot(2))
	for {
		before, slot, after, found := words.Cut(text)
		parts = append(parts, before)
		if !found {
			break
		}
		parts, text = append(parts, string(rune('0'+slot))), after
	}
	if want := []string{"", "0", " since ", "1", ", until ", "2", ""}; !slices.Equal(parts, want) {
		t.Errorf("%q, want %q", parts, want)
	}
}

func TestOneThingUsesSingular(t *testing.T) {
	t.Parallel()
	for _, language := range words.Languages() {
		w := words.In(language)
		for what, count := range map[string]func(n int) string{
			"choices": w.Vote.MoreChoices, "characters": w.Files.Unshown, "bytes": w.Files.Size,
		} {
			if one, two := count(1), count(2); strings.Replace(two, "2 ", "1 ", 1) == one {
				t.Errorf("%s: one of %s is told as %q, and two as %q", language, what, one, two)
			}
		}
	}
}
