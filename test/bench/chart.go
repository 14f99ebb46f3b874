package bench

import (
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Place is the position of a figure in a chart: a bar, or a point of a curve if At is set.
type Place struct {
	// Chart names the chart, Group the figures drawn together, and Series the program that was measured.
	Chart, Group, Series string
	// At is the x value of a point, such as the number of waiting agents.
	At float64
}

// in assigns the figure to a chart.
func (f Figure) in(chart, group, series string, at float64) Figure {
	f.Place = Place{chart, group, series, at}
	return f
}

// Chart is a drawing of several figures.
type Chart struct {
	Name    string
	Figures []Figure
}

// Charts returns the charts of all figures that have a place in one.
func Charts(figures []Figure) []Chart {
	var all []Chart
	for _, f := range figures {
		if f.Place.Chart == "" {
			continue
		}
		at := slices.IndexFunc(all, func(c Chart) bool { return c.Name == f.Place.Chart })
		if at < 0 {
			at, all = len(all), append(all, Chart{Name: f.Place.Chart})
		}
		all[at].Figures = append(all[at].Figures, f)
	}
	return all
}

// File returns the path of the chart, relative to the page that shows it.
func (c Chart) File() string { return "performance/" + strings.ReplaceAll(c.Name, " ", "-") + ".svg" }

// The colors work on light and on dark pages.
const style = `<style>text{font:13px system-ui,sans-serif;fill:#24292f}.h{font-weight:600}.bar{fill:#8c959f}.ours{fill:#0969da}.line{fill:none;stroke:#0969da;stroke-width:2}` +
	`.axis{stroke:#8c959f}.asked{stroke:#cf222e;stroke-dasharray:4 3}` +
	`@media(prefers-color-scheme:dark){text{fill:#e6edf3}.ours{fill:#4493f8}.line{stroke:#4493f8}.bar{fill:#6e7681}.asked{stroke:#f85149}}</style>`

const (
	width = 720
	left  = 160 // Where bars begin.
	right = 570 // Where the longest bar may end, followed by its value.
	step  = 24
)

// SVG draws the chart as bars or curves.
func (c Chart) SVG() string {
	d := &drawing{y: 8}
	for _, group := range groups(c.Figures) {
		if group[0].Place.At > 0 {
			d.curve(group)
		} else {
			d.bars(group)
		}
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img"><title>%s</title>%s`+"\n%s</svg>\n",
		width, d.y+8, escaped(c.Name), style, d.b.String())
}

// groups returns the figures that are drawn together, in order.
func groups(figures []Figure) [][]Figure {
	var all [][]Figure
	for _, f := range figures {
		at := slices.IndexFunc(all, func(g []Figure) bool { return g[0].Place.Group == f.Place.Group })
		if at < 0 {
			at, all = len(all), append(all, nil)
		}
		all[at] = append(all[at], f)
	}
	return all
}

// drawing is a chart that grows downwards.
type drawing struct {
	b strings.Builder
	y int
}

func (d *drawing) text(x, y int, class, text string) {
	fmt.Fprintf(&d.b, `<text x="%d" y="%d" class="%s">%s</text>`+"\n", x, y, class, escaped(text))
}

// heading writes the name of a group and its limit, if it has one.
func (d *drawing) heading(group []Figure) {
	words := group[0].Place.Group
	if n := slices.IndexFunc(group, func(f Figure) bool { return f.Asked }); n >= 0 {
		words += fmt.Sprintf(" (asked for: ≤ %s)", number(group[n].Limit))
	}
	d.y += step
	d.text(8, d.y-7, "h", words)
}

// bars draws one bar per figure, after one for the floor if the figures are multiples of it.
func (d *drawing) bars(group []Figure) {
	const floor = "× floor"
	if group[0].Unit == floor {
		group = append([]Figure{{Value: 1, Unit: floor, Place: Place{Group: group[0].Place.Group, Series: "floor"}}}, group...)
	}
	d.heading(group)
	most := 0.0
	for _, f := range group {
		most = max(most, f.Value, f.Limit)
	}
	across := func(v float64) int { return left + int(math.Round(v/max(most, 1e-9)*(right-left))) }
	for _, f := range group {
		class := "bar"
		if strings.HasPrefix(f.Place.Series, ours) {
			class = "ours"
		}
		fmt.Fprintf(&d.b, `<rect x="%d" y="%d" width="%d" height="%d" rx="2" class="%s"/>`+"\n", left, d.y+3, max(across(f.Value)-left, 1), step-6, class)
		d.text(24, d.y+step-7, "", f.Place.Series)
		d.text(max(across(f.Value), across(f.Limit))+8, d.y+step-7, "", number(f.Value)+" "+f.Unit)
		if f.Asked {
			fmt.Fprintf(&d.b, `<line x1="%d" x2="%[1]d" y1="%d" y2="%d" class="asked"/>`+"\n", across(f.Limit), d.y, d.y+step)
		}
		d.y += step
	}
}

// curve draws figures over a logarithmic axis.
func (d *drawing) curve(group []Figure) {
	const high = 130
	d.heading(group)
	first, last, most := group[0].Place.At, group[len(group)-1].Place.At, 0.0
	for _, f := range group {
		most = max(most, f.Value)
	}
	bottom := d.y + 18 + high
	var points []string
	for _, f := range group {
		x := left
		if last > first {
			x += int(math.Round(math.Log(f.Place.At/first) / math.Log(last/first) * (right - left)))
		}
		y := bottom - int(math.Round(f.Value/max(most, 1e-9)*high))
		points = append(points, fmt.Sprintf("%d,%d", x, y))
		fmt.Fprintf(&d.b, `<circle cx="%d" cy="%d" r="3.5" class="ours"/>`+"\n", x, y)
		d.text(x-20, y-9, "", number(f.Value)+" "+f.Unit)
		d.text(x-20, bottom+18, "", number(f.Place.At))
	}
	fmt.Fprintf(&d.b, `<polyline points="%s" class="line"/><line x1="%d" x2="%d" y1="%d" y2="%[4]d" class="axis"/>`+"\n",
		strings.Join(points, " "), left-20, right+60, bottom)
	d.text(24, bottom+18, "", group[0].Place.Series)
	d.y = bottom + 28
}

// ours is the series of the product, and the prefix of its variants.
const ours = "askbridge"

func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // Writing to a strings.Builder never fails.
	return b.String()
}
