package bench

import (
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

// The picture must match the table.
func TestChartMatchesTable(t *testing.T) {
	t.Parallel()
	figures := []Figure{
		atMost("cpu", "processor, Slack", 1.954, "× floor", 2, "").in("processor", "Slack", ours, 0),
		Figure{Key: "bolt", Name: "processor, Slack, Bolt", Value: 6.2, Unit: "× floor"}.in("processor", "Slack", "Bolt <5>", 0),
		{Key: "rate", Name: "not drawn", Value: 77.7},
		Figure{Key: "w1", Name: "memory", Value: 30, Unit: "MiB"}.in("waiting", "memory", "agents waiting", 1000),
		atMost("w2", "memory", 871, "MiB", 900, "").in("waiting", "memory", "agents waiting", 100_000),
	}
	charts := Charts(figures)
	if len(charts) != 2 || charts[0].File() != "performance/processor.svg" || charts[1].File() != "performance/waiting.svg" {
		t.Fatalf("pictures: %+v", charts)
	}
	drawn := 0
	for _, c := range charts {
		words := texts(t, c.SVG())
		for _, f := range c.Figures {
			drawn++
			value := number(f.Value) + " " + f.Unit
			if !slices.Contains(words, value) || !slices.Contains(words, f.Place.Series) {
				t.Errorf("%s shows neither %q of %q: %q", c.Name, value, f.Place.Series, words)
			}
			if !strings.Contains(f.Row(), "| "+value+" |") {
				t.Errorf("table: %s, chart: %s", f.Row(), value)
			}
		}
		if slices.Contains(words, "77.7 ") {
			t.Error("a figure without a place is drawn")
		}
	}
	if drawn != 4 {
		t.Errorf("%d figures are drawn, want 4", drawn)
	}
	if words := texts(t, charts[0].SVG()); !slices.Contains(words, "1 × floor") || !slices.Contains(words, "Slack (asked for: ≤ 2)") {
		t.Errorf("floor or limit is missing: %q", words)
	}
	if words := texts(t, charts[1].SVG()); !slices.Contains(words, "100000") {
		t.Errorf("the curve does not say over what: %q", words)
	}
}

// texts are the words in a picture, which has to be well-formed.
func texts(t *testing.T, svg string) (words []string) {
	t.Helper()
	within, reader := "", xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := reader.Token()
		if errors.Is(err, io.EOF) {
			return words
		}
		if err != nil {
			t.Fatalf("%v in:\n%s", err, svg)
		}
		switch token := token.(type) {
		case xml.StartElement:
			within = token.Name.Local
		case xml.CharData:
			if within == "text" {
				words = append(words, string(token))
			}
		case xml.EndElement:
			within = ""
		}
	}
}
