package discordsim_test

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/chatsim/discordsim"
)

// long is a text of n characters.
func long(n int) string { return strings.Repeat("x", n) }

func many(n int, each func(i int) any) list {
	out := list{}
	for i := range n {
		out = append(out, each(i))
	}
	return out
}

func options(n int) list {
	return many(n, func(i int) any { return obj{"label": fmt.Sprint(i), "value": fmt.Sprint(i)} })
}

// defaulting is a select of people, roles or channels with preselected values.
func defaulting(kind int, holds string, ids ...string) obj {
	values := list{}
	for _, id := range ids {
		values = append(values, obj{"id": id, "type": holds})
	}
	return obj{"type": kind, "custom_id": "a", "default_values": values}
}

func picture(link string) obj { return obj{"media": obj{"url": link}} }

func gallery(n int) obj {
	return obj{"type": 12, "items": many(n, func(int) any { return picture("https://example.org/x.png") })}
}

// files is a form field for files.
func files(more ...any) obj { return with(obj{"type": 19, "custom_id": "log"}, more...) }

func without(o obj, name string) obj {
	out := maps.Clone(o)
	delete(out, name)
	return out
}

func TestInvalidComponents(t *testing.T) {
	t.Parallel()
	texts := func(n int) list { return many(n, func(int) any { return words("x") }) }
	pick := choice("pick", "EU", "US")
	tests := map[string]struct {
		part any
		rule string // "" if accepted
		at   string // under components.0
	}{
		"text of 4,000 characters":          {words(long(4000)), "", ""},
		"text of 4,001 characters":          {words(long(4001)), "text_display.content message.text", "content"},
		"no text":                           {words(""), "field.empty", "content"},
		"text that is a number":             {obj{"type": 10, "content": 1}, "field.kind", "content"},
		"a text input in a message":         {row(input("a")), "component.type", "components.0.type"},
		"a gallery":                         {gallery(10), "", ""},
		"a gallery of nothing":              {gallery(0), "field.empty", "items"},
		"a gallery of eleven":               {gallery(11), "media_gallery.items", "items"},
		"a picture described by nothing":    {obj{"type": 12, "items": list{with(picture("https://example.org/x.png"), "description", "")}}, "field.empty", "items.0.description"},
		"a picture at 2,049 characters":     {obj{"type": 12, "items": list{picture("https://" + long(2041))}}, "media.url", "items.0.media.url"},
		"a picture of another protocol":     {obj{"type": 12, "items": list{picture("ftp://example.org/x.png")}}, "media.reference", "items.0.media.url"},
		"a picture that did not come along": {obj{"type": 12, "items": list{picture("attachment://x.png")}}, "media.reference", "items.0.media.url"},
		"a file that did not come along":    {obj{"type": 13, "file": obj{"url": "attachment://x.txt"}}, "media.reference", "file.url"},
		"a file at an address":              {obj{"type": 13, "file": obj{"url": "https://example.org/x.txt"}}, "media.reference", "file.url"},
		"a field for files in a message":    {obj{"type": 19, "custom_id": "a"}, "component.type", "type"},
		"a radio group in a message":        {obj{"type": 21, "custom_id": "a", "options": options(2)}, "component.type", "type"},
		"a checkbox group in a message":     {obj{"type": 22, "custom_id": "a", "options": options(2)}, "component.type", "type"},
		"a checkbox in a message":           {obj{"type": 23, "custom_id": "a"}, "component.type", "type"},
		"a select of people":                {row(obj{"type": 5, "custom_id": "a"}), "", ""},
		"two selects of people in a row":    {row(obj{"type": 5, "custom_id": "a"}, obj{"type": 6, "custom_id": "b"}), "row.width", "components.1"},
		"a role among people":               {row(defaulting(5, "role", dana)), "select.default_values.type", "components.0.default_values.0.type"},
		"people and roles that are to ring": {row(with(defaulting(7, "user", dana), "max_values", 2)), "", ""},
		"a person among channels":           {row(defaulting(8, "user", dana)), "select.default_values.type", "components.0.default_values.0.type"},
		"an emoji in letters":               {row(with(button("a", "Go"), "emoji", obj{"name": "rocket"})), "emoji", "components.0.emoji.name"},
		"an emoji that is nothing":          {row(with(button("a", "Go"), "emoji", obj{})), "emoji", "components.0.emoji.name"},
		"two default people for one value":  {row(defaulting(5, "user", dana, sam)), "select.default_values.count", "components.0.default_values"},
		"one default person for two values": {row(with(defaulting(5, "user", dana), "min_values", 2, "max_values", 3)), "select.default_values.count", "components.0.default_values"},
		"26 default people":                 {row(with(defaulting(5, "user", strings.Split(strings.Repeat(dana+" ", 26), " ")[:26]...), "max_values", 25)), "select.default_values", "components.0.default_values"},
		"a default person without an id":    {row(obj{"type": 5, "custom_id": "a", "default_values": list{obj{"type": "user"}}}), "field.required", "components.0.default_values.0.id"},
		"a button outside of a row":         {button("a", "Yes"), "component.type", "type"},
		"a container in a container":        {box(box(words("x"))), "component.type", "components.0.type"},
		"an empty container":                {box(), "field.empty", "components"},
		"an empty row":                      {row(), "field.empty", "components"},
		"five buttons":                      {obj{"type": 1, "components": many(5, func(i int) any { return button(fmt.Sprint(i), "x") })}, "", ""},
		"six buttons":                       {obj{"type": 1, "components": many(6, func(i int) any { return button(fmt.Sprint(i), "x") })}, "row.buttons", "components"},
		"a select and a button in a row":    {row(pick, button("a", "Yes")), "row.width", "components.1"},
		"two selects in a row":              {row(pick, choice("more", "EU")), "row.width", "components.1"},
		"a custom_id of 100 characters":     {row(button(long(100), "Yes")), "", ""},
		"a custom_id of 101 characters":     {row(button(long(101), "Yes")), "custom_id", "components.0.custom_id"},
		"no custom_id":                      {row(obj{"type": 2, "style": 1, "label": "Yes"}), "button.either", "components.0.custom_id"},
		"the same custom_id twice":          {row(button("a", "Yes"), with(button("a", "No"), "disabled", true)), "custom_id.unique", "components.1.custom_id"},
		"the same id twice":                 {box(with(words("x"), "id", 7), with(words("y"), "id", 7)), "component.id.unique", "components.1.id"},
		"a button of 80 characters":         {row(button("a", long(80))), "", ""},
		"a button of 81 characters":         {row(button("a", long(81))), "button.label", "components.0.label"},
		"40 emoji of two units on a button": {row(button("a", strings.Repeat("😀", 41))), "button.label", "components.0.label"},
		"a link to nowhere":                 {row(obj{"type": 2, "style": 5, "label": "Open", "url": "example.org"}), "button.url.scheme", "components.0.url"},
		"a link that runs a script":         {row(obj{"type": 2, "style": 5, "label": "Open", "url": "javascript:alert(1)"}), "button.url.scheme", "components.0.url"},
		"a link into the app":               {row(obj{"type": 2, "style": 5, "label": "Open", "url": "discord://-/channels/@me"}), "", ""},
		"a button of white space":           {row(button("a", " \u00a0")), "button.face", "components.0.label"},
		"an option of white space":          {row(choice("a", " ")), "field.empty", "components.0.options.0.label"},
		"a button without a face":           {row(obj{"type": 2, "style": 1, "custom_id": "a"}), "button.face", "components.0.label"},
		"a button with an emoji alone":      {row(obj{"type": 2, "style": 1, "custom_id": "a", "emoji": obj{"name": "👍"}}), "", ""},
		"a button without a style":          {row(obj{"type": 2, "custom_id": "a", "label": "Yes"}), "field.required", "components.0.style"},
		"a button of style 7":               {row(with(button("a", "Yes"), "style", 7)), "style", "components.0.style"},
		"a link":                            {row(obj{"type": 2, "style": 5, "label": "Docs", "url": "https://example.org"}), "", ""},
		"a link without an address":         {row(obj{"type": 2, "style": 5, "label": "Docs"}), "button.either", "components.0.url"},
		"a link with a custom_id":           {row(obj{"type": 2, "style": 5, "label": "Docs", "url": "https://example.org", "custom_id": "a"}), "button.either", "components.0.custom_id"},
		"a link of 513 characters":          {row(obj{"type": 2, "style": 5, "label": "Docs", "url": "https://" + long(505)}), "button.url", "components.0.url"},
		"disabled that is a word":           {row(with(button("a", "Yes"), "disabled", "yes")), "field.kind", "components.0.disabled"},
		"25 options":                        {row(with(pick, "options", options(25))), "", ""},
		"26 options":                        {row(with(pick, "options", options(26))), "select.options", "components.0.options"},
		"no options":                        {row(with(pick, "options", list{})), "field.empty", "components.0.options"},
		"an option of 101 characters":       {row(with(pick, "options", list{obj{"label": long(101), "value": "x"}})), "option.label", "components.0.options.0.label"},
		"a description of 101 characters":   {row(with(pick, "options", list{obj{"label": "x", "value": "x", "description": long(101)}})), "option.description", "components.0.options.0.description"},
		"a value of 101 characters":         {row(with(pick, "options", list{obj{"label": "x", "value": long(101)}})), "option.value", "components.0.options.0.value"},
		"an option without a value":         {row(with(pick, "options", list{obj{"label": "x"}})), "field.required", "components.0.options.0.value"},
		"the same value twice":              {row(choice("pick", "EU", "EU")), "option.value.unique", "components.0.options.1.value"},
		"more values than options":          {row(with(pick, "max_values", 3)), "select.values", "components.0.max_values"},
		"26 values":                         {row(with(pick, "max_values", 26)), "select.values", "components.0.max_values"},
		"min_values over max_values":        {row(with(pick, "min_values", 2)), "range", "components.0.min_values"},
		"min_values of 0":                   {row(with(pick, "min_values", 0, "max_values", 2)), "", ""},
		"two defaults for one value":        {row(with(pick, "options", list{obj{"label": "x", "value": "x", "default": true}, obj{"label": "y", "value": "y", "default": true}})), "select.default", "components.0.options"},
		"a placeholder of 151 characters":   {row(with(pick, "placeholder", long(151))), "select.placeholder", "components.0.placeholder"},
		"a section":                         {obj{"type": 9, "components": texts(3), "accessory": button("a", "Yes")}, "", ""},
		"a section of four texts":           {obj{"type": 9, "components": texts(4), "accessory": button("a", "Yes")}, "section.components", "components"},
		"a section without an accessory":    {obj{"type": 9, "components": texts(1)}, "field.required", "accessory"},
		"a section with a select":           {obj{"type": 9, "components": texts(1), "accessory": pick}, "component.type", "accessory.type"},
		"a thumbnail":                       {obj{"type": 9, "components": texts(1), "accessory": obj{"type": 11, "media": obj{"url": "https://example.org/x.png"}}}, "", ""},
		"a spacing of 3":                    {obj{"type": 14, "spacing": 3}, "style", "spacing"},
		"a colour beyond white":             {with(box(words("x")), "accent_color", 0x1000000), "container.accent_color", "accent_color"},
		"a label in a message":              {label("x", input("a")), "component.type", "type"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := discordsim.Start(t, nil)
			if tc.rule != "" {
				sim.Expect(strings.Fields(tc.rule)...)
			}
			a := ask(t, sim, "POST", "/channels/"+deploys+"/messages", once(message(tc.part), 1))
			at := ""
			if tc.rule != "" {
				at = strings.TrimSuffix("components.0."+tc.at, ".")
			}
			wantErrors(t, a, at)
		})
	}
}

func TestMessageTotals(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		parts  list
		status int
		rule   string
	}{
		"40 components":            {list{box(many(39, func(int) any { return words("x") })...)}, 200, ""},
		"41 components":            {list{box(many(40, func(int) any { return words("x") })...)}, 400, "message.components"},
		"4,000 characters in two":  {list{words(long(2000)), words(long(2000))}, 200, ""},
		"4,001 characters in two":  {list{words(long(2000)), words(long(2001))}, 400, "message.text"},
		"3,386 Chinese characters": {list{words(strings.Repeat("界", 3386))}, 200, ""},
		"3,387 Chinese characters": {list{words(strings.Repeat("界", 3387))}, 500, "message.bytes"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := discordsim.Start(t, nil)
			if tc.rule != "" {
				sim.Expect(strings.Fields(tc.rule)...)
			}
			a := ask(t, sim, "POST", "/channels/"+deploys+"/messages", once(message(tc.parts...), 1))
			if a.status != tc.status {
				t.Errorf("the answer is %d %v", a.status, a.body)
			}
		})
	}
}

func TestInvalidModals(t *testing.T) {
	t.Parallel()
	field := label("Why?", input("why"))
	pick := choice("pick", "EU", "US")
	radio := with(choice("pick", "EU", "US"), "type", 21)
	delete(radio, "placeholder")
	checks := with(radio, "type", 22)
	tests := map[string]struct {
		change obj
		rule   string
		at     string // under data; "" if accepted
	}{
		"a title of 45 characters":            {obj{"title": long(45)}, "", ""},
		"a title of 46 characters":            {obj{"title": long(46)}, "modal.title", "title"},
		"no title":                            {obj{"title": nil}, "field.required", "title"},
		"a custom_id of 101 characters":       {obj{"custom_id": long(101)}, "custom_id", "custom_id"},
		"five parts":                          {obj{"components": list{field, words("a"), words("b"), words("c"), words("d")}}, "", ""},
		"six parts":                           {obj{"components": list{field, words("a"), words("b"), words("c"), words("d"), words("e")}}, "modal.components", "components"},
		"no parts":                            {obj{"components": list{}}, "field.empty", "components"},
		"a bare text input":                   {obj{"components": list{input("why")}}, "component.type", "components.0.type"},
		"a row with a text input":             {obj{"components": list{row(with(input("why"), "label", "Why?"))}}, "", ""},
		"a row whose text input has no label": {obj{"components": list{row(input("why"))}}, "text_input.label", "components.0.components.0.label"},
		"a row with a button":                 {obj{"components": list{row(button("a", "Yes"))}}, "component.type", "components.0.components.0.type"},
		"a label of white space":              {obj{"components": list{label(" ", input("why"))}}, "field.empty", "components.0.label"},
		"a label of 46 characters":            {obj{"components": list{label(long(46), input("why"))}}, "label.label", "components.0.label"},
		"a description of 101 characters":     {obj{"components": list{with(field, "description", long(101))}}, "label.description", "components.0.description"},
		"a label in a text input in a Label":  {obj{"components": list{label("Why?", with(input("why"), "label", ""))}}, "text_input.label", "components.0.component.label"},
		"a text input of 4,001 characters":    {obj{"components": list{label("Why?", with(input("why"), "max_length", 4001))}}, "text_input.length", "components.0.component.max_length"},
		"a text longer than its field":        {obj{"components": list{label("Why?", with(input("why"), "max_length", 3, "value", "four"))}}, "range", "components.0.component.value"},
		"a text of 4,001 characters":          {obj{"components": list{label("Why?", with(input("why"), "value", long(4001)))}}, "text_input.value range", "components.0.component.value"},
		"a minimum over the maximum":          {obj{"components": list{label("Why?", with(input("why"), "max_length", 3, "min_length", 4))}}, "range", "components.0.component.min_length"},
		"a placeholder of 101 characters":     {obj{"components": list{label("Why?", with(input("why"), "placeholder", long(101)))}}, "text_input.placeholder", "components.0.component.placeholder"},
		"the same custom_id twice":            {obj{"components": list{field, field}}, "custom_id.unique", "components.1.component.custom_id"},
		"a select":                            {obj{"components": list{label("Where?", pick)}}, "", ""},
		"an optional select":                  {obj{"components": list{label("Where?", with(pick, "required", false, "min_values", 0))}}, "", ""},
		"min_values 0 in a required select":   {obj{"components": list{label("Where?", with(pick, "min_values", 0))}}, "modal.optional", "components.0.component.min_values"},
		"a disabled select":                   {obj{"components": list{label("Where?", with(pick, "disabled", true))}}, "modal.disabled", "components.0.component.disabled"},
		"a radio group":                       {obj{"components": list{label("Where?", radio)}}, "", ""},
		"a radio group of one":                {obj{"components": list{label("Where?", with(radio, "options", options(1)))}}, "radio_group.options", "components.0.component.options"},
		"a radio group of eleven":             {obj{"components": list{label("Where?", with(radio, "options", options(11)))}}, "radio_group.options", "components.0.component.options"},
		"a checkbox group":                    {obj{"components": list{label("Where?", with(checks, "max_values", 2))}}, "", ""},
		"eleven values of a checkbox group":   {obj{"components": list{label("Where?", with(checks, "options", options(10), "max_values", 11))}}, "checkbox_group.values", "components.0.component.max_values"},
		"a checkbox group of eleven":          {obj{"components": list{label("Where?", with(checks, "options", options(11)))}}, "checkbox_group.options", "components.0.component.options"},
		"a checkbox":                          {obj{"components": list{label("Sure?", obj{"type": 23, "custom_id": "sure"})}}, "", ""},
		"a field for files":                   {obj{"components": list{label("Log?", files("max_values", 10, "file_types", list{"image", ".PDF"}))}}, "", ""},
		"a field for eleven files":            {obj{"components": list{label("Log?", files("max_values", 11))}}, "file_upload.values", "components.0.component.max_values"},
		"eleven types of files":               {obj{"components": list{label("Log?", files("file_types", many(11, func(int) any { return ".log" })))}}, "file_upload.file_types", "components.0.component.file_types"},
		"a type of files without its dot":     {obj{"components": list{label("Log?", files("file_types", list{"log"}))}}, "file_upload.type", "components.0.component.file_types.0"},
		"no file where one is required":       {obj{"components": list{label("Log?", files("min_values", 0))}}, "modal.optional", "components.0.component.min_values"},
		"more files at least than at most":    {obj{"components": list{label("Log?", files("min_values", 3, "max_values", 2))}}, "range", "components.0.component.min_values"},
		"a field for files on its own":        {obj{"components": list{files()}}, "component.type", "components.0.type"},
		"a radio group without options":       {obj{"components": list{label("Where?", without(radio, "options"))}}, "field.required", "components.0.component.options"},
		"a checkbox group without options":    {obj{"components": list{label("Where?", without(checks, "options"))}}, "field.required", "components.0.component.options"},
		"max_values below min_values":         {obj{"components": list{label("Where?", with(pick, "min_values", 2, "max_values", 1))}}, "range", "components.0.component.min_values"},
		"a button in a Label":                 {obj{"components": list{label("Where?", button("a", "Yes"))}}, "component.type", "components.0.component.type"},
		"a section":                           {obj{"components": list{obj{"type": 9, "components": list{words("x")}, "accessory": button("a", "Yes")}}}, "component.type", "components.0.type"},
		"a gallery":                           {obj{"components": list{gallery(1)}}, "component.type", "components.0.type"},
		"a file":                              {obj{"components": list{obj{"type": 13, "file": obj{"url": "attachment://x"}}}}, "component.type", "components.0.type"},
		"a separator":                         {obj{"components": list{obj{"type": 14}}}, "component.type", "components.0.type"},
		"26 default people":                   {obj{"components": list{label("Who?", with(defaulting(5, "user", strings.Split(strings.Repeat(dana+" ", 26), " ")[:26]...), "max_values", 25))}}, "select.default_values", "components.0.component.default_values"},
		"a container":                         {obj{"components": list{box(words("x"))}}, "component.type", "components.0.type"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := discordsim.Start(t, nil)
			if tc.rule != "" {
				sim.Expect(strings.Fields(tc.rule)...)
			}
			i := pressedFor(t, sim)
			data := obj{"custom_id": "form", "title": "Other", "components": list{field}}
			maps.Copy(data, tc.change)
			at := ""
			if tc.at != "" {
				at = "data." + tc.at
			}
			wantErrors(t, i.respond(t, obj{"type": 9, "data": data}), at)
			if open := sim.Seat(dana).Form() != nil; open != (tc.at == "") {
				t.Errorf("the form is open: %v", open)
			}
			if tc.at != "" {
				i.respond(t, obj{"type": 6}) // A refused response can be corrected in time.
			}
		})
	}
}

func TestOptionalChoiceNeedsBothFields(t *testing.T) {
	t.Parallel()
	sim := discordsim.Start(t, nil)
	sim.Expect("modal.optional")
	i := pressedFor(t, sim)
	pick := with(choice("pick", "EU"), "required", false)
	a := i.respond(t, obj{"type": 9, "data": obj{"custom_id": "form", "title": "Other", "components": list{label("Where?", pick)}}})
	if a.status != http.StatusNoContent {
		t.Errorf("the answer is %d %v", a.status, a.body)
	}
}

func TestRulesAreCovered(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("*_test.go")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	var all strings.Builder
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(raw)
	}
	for _, r := range discordsim.Coverage().Rules {
		if !regexp.MustCompile(`["\s]` + regexp.QuoteMeta(r.Name) + `["\s]`).MatchString(all.String()) {
			t.Errorf("no test names the rule %q", r.Name)
		}
	}
}

func TestRuleTable(t *testing.T) {
	t.Parallel()
	var names []string
	for _, r := range discordsim.Coverage().Rules {
		if slices.Contains(names, r.Name) {
			t.Errorf("%s is listed twice", r.Name)
		}
		names = append(names, r.Name)
		if !strings.HasPrefix(r.Doc, "https://") || r.Note == "" {
			t.Errorf("%s has the page %q and the text %q", r.Name, r.Doc, r.Note)
		}
	}
	for _, m := range discordsim.Coverage().Methods {
		if !slices.Contains([]string{"done", "partly", "not yet"}, m.State) {
			t.Errorf("%s is %q", m.Name, m.State)
		}
	}
}
