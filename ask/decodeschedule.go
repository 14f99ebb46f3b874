package ask

import (
	"encoding/json"
	"fmt"
	"time"
)

// schedule reads what happens while nobody answers.
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
	d.rest(path, m)
	return s
}

func (d *decoder) step(path string, data json.RawMessage) Step {
	var s Step
	m, ok := d.object(path, data)
	if !ok {
		return s
	}
	text := d.text(path+".after", m.take("after"))
	var err error
	if s.After, err = time.ParseDuration(text); err != nil {
		d.add(path+".after", ErrSchedule, "%q is not a time such as \"30m\"", shorten(text))
	}
	s.Do = StepKind(d.text(path+".do", m.take("do")))
	s.To = d.targets(path+".to", m.take("to"))
	s.Responders = d.entries(path+".responders", m.take("responders"))
	s.Notify = NormalNotify(d.entries(path+".notify", m.take("notify")))
	d.rest(path, m)
	return s
}
