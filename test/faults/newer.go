package faults

// newer is a future version: its records have a member that this version does not know. It is written when a
// request is created and again when it ends.
var newer = &Variant{Name: "newer", Edits: []Edit{
	{"bridge/record/record.go", "	Attempts int\n\n", "	Attempts int\n	Quorum   int\n\n"},
	{
		"store/internal/codec/record.go", "	optional(\"cb\", ",
		"	field(\"quorum\", func(r *record.Record) any { return &r.Quorum }),\n	optional(\"cb\", ",
	},
	{"bridge/internal/intake/intake.go", "Revision: 1, Fallback:", "Revision: 1, Quorum: 3, Fallback:"},
	{"bridge/record/end.go", "	r.Outcome, r.Held = o, nil\n", "	r.Outcome, r.Held, r.Quorum = o, nil, max(r.Quorum, 3)\n"},
}}
