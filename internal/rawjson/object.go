package rawjson

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"
)

// Object writes objects member by member, as encoding/json does without the escapes that only HTML
// needs. It is for what is written so often that reflection shows.
type Object struct {
	// JSON is what is written so far.
	JSON []byte
	// Err is the first error, of a value that cannot be written.
	Err error
}

// Open begins an object.
func (o *Object) Open() { o.JSON = append(o.JSON, '{') }

// Shut ends an object.
func (o *Object) Shut() { o.JSON = append(o.JSON, '}') }

// Item begins an object in a list.
func (o *Object) Item() { o.JSON = append(AppendComma(o.JSON), '{') }

// Name begins a member, whose value has to follow.
func (o *Object) Name(name string) { o.JSON = AppendName(o.JSON, name) }

// Text writes a text.
func (o *Object) Text(name, text string) {
	o.Name(name)
	o.JSON = AppendText(o.JSON, text)
}

// Number writes a whole number.
func (o *Object) Number(name string, n int64) {
	o.Name(name)
	o.JSON = strconv.AppendInt(o.JSON, n, 10)
}

// Flag writes true or false.
func (o *Object) Flag(name string, is bool) {
	o.Name(name)
	o.JSON = strconv.AppendBool(o.JSON, is)
}

// Time writes a moment, which has to be of a year with four digits.
func (o *Object) Time(name string, t time.Time) {
	o.Name(name)
	text, err := t.AppendText(append(o.JSON, '"'))
	if err != nil {
		o.fail(err)
		text = append(o.JSON, '"')
	}
	o.JSON = append(text, '"')
}

// Texts writes a list of texts; nil is null.
func (o *Object) Texts(name string, all []string) {
	List(o, name, all, func(text string) { o.JSON = AppendText(AppendComma(o.JSON), text) })
}

// List writes a list of what write writes, such as an [Object.Item]; nil is null.
func List[T any](o *Object, name string, all []T, write func(T)) {
	o.Name(name)
	if all == nil {
		o.JSON = append(o.JSON, "null"...)
		return
	}
	o.JSON = append(o.JSON, '[')
	for _, one := range all {
		write(one)
	}
	o.JSON = append(o.JSON, ']')
}

// Append has write append the value of a member.
func (o *Object) Append(name string, write func(dst []byte) ([]byte, error)) {
	o.Name(name)
	written, err := write(o.JSON)
	if err != nil {
		o.fail(err)
		return
	}
	o.JSON = written
}

// Any has encoding/json write a value.
func (o *Object) Any(name string, v any) {
	o.Name(name)
	o.value(v)
}

// AnyItem has encoding/json write a value in a list.
func (o *Object) AnyItem(v any) {
	o.JSON = AppendComma(o.JSON)
	o.value(v)
}

func (o *Object) value(v any) {
	buf := bytes.NewBuffer(o.JSON)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		o.fail(err)
		return
	}
	o.JSON = bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
}

func (o *Object) fail(err error) {
	if o.Err == nil {
		o.Err = err
	}
}

// SomeText is Text, and leaves out what is empty.
func (o *Object) SomeText(name, text string) {
	if text != "" {
		o.Text(name, text)
	}
}

// SomeNumber is Number, and leaves out zero.
func (o *Object) SomeNumber(name string, n int64) {
	if n != 0 {
		o.Number(name, n)
	}
}

// SomeFlag writes true, and leaves out false.
func (o *Object) SomeFlag(name string, is bool) {
	if is {
		o.Flag(name, is)
	}
}

// SomeTime is Time, and leaves out the zero moment.
func (o *Object) SomeTime(name string, t time.Time) {
	if !t.IsZero() {
		o.Time(name, t)
	}
}

// SomeTexts is Texts, and leaves out a list without items.
func (o *Object) SomeTexts(name string, all []string) {
	if len(all) > 0 {
		o.Texts(name, all)
	}
}
