package faults

// newer is a future version: its records have a member that this version does not know. It is written when a
// request is created and again when it ends.
var newer = &Variant{Name: "newer", Edits: []Edit{
	{"bridge/record/record.go", "	Attempts int\n\n", "	Attempts int\n	Quorum   int\n\n"},
	{"store/internal/codec/stored.go", "`json:\"at,omitempty\"`\n}\n\ntype storedRef", "`json:\"at,omitempty\"`\n	Quorum int `json:\"quorum,omitempty\"`\n}\n\ntype storedRef"},
	{"store/internal/codec/encode.go", "	if r.Webhook != nil {\n", "	o.SomeNumber(\"quorum\", int64(r.Quorum))\n	if r.Webhook != nil {\n"},
	{"store/internal/codec/stored.go", "Webhook: (*record.Webhook)(s.Webhook),", "Quorum: s.Quorum, Webhook: (*record.Webhook)(s.Webhook),"},
	{"bridge/intake.go", "len(to)), Revision: 1,", "len(to)), Revision: 1, Quorum: 3,"},
	{"bridge/record/end.go", "	r.Outcome, r.Held = o, nil\n", "	r.Outcome, r.Held, r.Quorum = o, nil, max(r.Quorum, 3)\n"},
}}
