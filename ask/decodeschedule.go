package ask

import (
	"encoding/json"
	"fmt"
	"time"
)

// schedule parses a [Schedule].
func (d *decoder) schedule(path string, data json.RawMessage) Schedule {
	var s Schedule
	data = d.unquote(path, data)
	if empty(data) {
		return s
	}
	m, ok := d.object(path, data)
	if !ok {
		return s
	}
	if steps := m.take("steps"); !empty(steps) {
		items, ok := d.array(path+".steps", steps, "a list of steps")
		if !ok {
			return s
		}
		for n, item := range items {
			s.Steps = append(s.Steps, d.step(fmt.Sprintf("%s.steps[%d]", path, n), item))
		}
	}
	s.Hours = d.hours(path+".hours", m.take("hours"))
	s.ClaimFor = d.span(path+".claim_for", m.take("claim_for"))
	s.PassOn = d.flag(path+".pass_on", m.take("pass_on"))
	d.rest(path, m)
	return s
}

// span parses a duration such as "30m"; zero if absent.
func (d *decoder) span(path string, data json.RawMessage) time.Duration {
	text := d.text(path, data)
	if text == "" {
		return 0
	}
	span, err := time.ParseDuration(text)
	if err != nil {
		d.add(path, ErrSchedule, "%q is not a time such as \"30m\"", shorten(text))
	}
	return span
}

func (d *decoder) step(path string, data json.RawMessage) Step {
	var s Step
	m, ok := d.object(path, data)
	if !ok {
		return s
	}
	s.After = d.span(path+".after", m.take("after"))
	s.Do = StepKind(d.text(path+".do", m.take("do")))
	s.To = d.targets(path+".to", m.take("to"))
	s.Responders = d.entries(path+".responders", m.take("responders"))
	s.Notify = NormalNotify(d.entries(path+".notify", m.take("notify")))
	d.rest(path, m)
	return s
}
