// Package strictjson reads JSON that a person decides about. The card must show what the host will
// do, whichever JSON libraries the bridge and the host use.
//
// [Decode] rejects duplicate members, as [ask.CheckMembers] does, and matches names exactly, where
// encoding/json accepts "Command" for "command". [Alike] finds names that other readers could
// confuse. [Show] formats JSON for people without hidden characters.
package strictjson

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	jsonv2 "github.com/go-json-experiment/json"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/askbridge/askbridge/ask"
)

// Decode is [json.Unmarshal], except that it rejects duplicate members and matches names exactly.
func Decode(data []byte, v any) error {
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		return err
	}
	if err := ask.CheckMembers(data); err != nil {
		return err
	}
	err := jsonv2.Unmarshal(data, v, jsonv1.DefaultOptionsV1(), jsonv2.MatchCaseInsensitiveNames(false))
	if e, ok := errors.AsType[*jsonv1.UnmarshalTypeError](err); ok {
		return fmt.Errorf("%s: cannot unmarshal %s into %s", cmp.Or(e.Field, "value"), e.Value, e.Type)
	}
	return err
}

// maxDepth is how deeply values may be nested.
const maxDepth = 50

// Alike rejects an object with members that differ only in case, and values that are nested too
// deeply to follow. The caller has rejected duplicate members.
func Alike(data []byte) error {
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	return alike(v, maxDepth)
}

func alike(v any, depth int) error {
	if depth == 0 {
		return fmt.Errorf("nested more than %d values deep", maxDepth)
	}
	switch v := v.(type) {
	case []any:
		for n, item := range v {
			if err := alike(item, depth-1); err != nil {
				return fmt.Errorf("[%d]: %w", n, err)
			}
		}
	case map[string]any:
		seen := make(map[string]string, len(v))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if other, twice := seen[fold(name)]; twice {
				return fmt.Errorf("the members %q and %q differ only in case", other, name)
			}
			seen[fold(name)] = name
			if err := alike(v[name], depth-1); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return nil
}

// fold maps names to one text if some readers, such as encoding/json, treat them as equal.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return least
	}, name)
}
