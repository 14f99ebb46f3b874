package connector_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/internal/connector"
)

// part is whatever kinds of members the payloads of platforms have.
type part struct {
	ID       string                     `json:"id"`
	Type     int                        `json:"type"`
	Order    int64                      `json:"order"`
	Wait     float64                    `json:"wait"`
	Bot      bool                       `json:"bot"`
	Value    *string                    `json:"value"`
	Values   []string                   `json:"values"`
	One      *part                      `json:"one"`
	Parts    []part                     `json:"parts"`
	State    map[string]map[string]part `json:"state"`
	Data     json.RawMessage            `json:"data"`
	Resolved struct {
		Users map[string]part `json:"users"`
	} `json:"resolved"`
}

func FuzzPayloadsAreReadAsTheStandardLibraryReadsThem(f *testing.F) {
	for _, seed := range []string{
		`{"id":"a","type":3,"order":1299999999999999999,"wait":0.5,"bot":true,"value":null,"values":["0","1"]}`,
		`{"ID":"other case","Id":"again","id":7,"type":"3","type":3.5,"order":1e30,"bot":"yes"}`,
		`{"one":{"one":{"value":"x"}},"one":{"values":[1,"2",null]},"parts":[{"id":"a"},7,{"id":"b"}],"parts":[{"type":2}]}`,
		`{"state":{"b":{"a":{"value":"x"}}},"state":{"b":{"a":7,"c":{}}},"resolved":{"users":{"1":{"bot":true},"1":{}}},"data":{"d": [1, 2]}}`,
		"{\"id\":\"\xff\\ud800\\u0000\",\"\\u0069d\":\"spelled\"}", `{"values":null,"one":null,"parts":{}}`, `[]`, `null`, ` {"id":"a"} `, `{"id":"a"`, `{"id":"a"}x`, `{"id":"a",}`,
		`{"resolved":[],"data":nul}`, `{"type":-0,"order":9223372036854775808,"wait":1e999}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var got, want part
		err, standard := connector.ReadLoosely(raw, &got), json.Unmarshal(raw, &want)
		if _, odd := errors.AsType[*json.UnmarshalTypeError](standard); odd {
			standard = nil
		}
		if (err == nil) != (standard == nil) {
			t.Fatalf("read with %v, by the standard library with %v", err, standard)
		}
		if err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("read %+v, by the standard library %+v", got, want)
		}
	})
}

func BenchmarkReadingAPress(b *testing.B) {
	raw := []byte(`{"id":"1299999999999999999","type":3,"order":7,"bot":false,"value":null,"values":["0"],"state":{"b":{"a":{"value":"x"}}},
		"message":{"text":"deploy-bot asks","blocks":[` + strings.Repeat(`{"type":"section","text":{"type":"plain_text","text":"Which database should the new ledger use?","emoji":false}},`, 10) + `{}]}}`)
	for _, read := range []struct {
		name string
		from func([]byte, any) error
	}{{"ours", connector.ReadLoosely}, {"standard library", json.Unmarshal}} {
		b.Run(read.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var p part
				if err := read.from(raw, &p); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
