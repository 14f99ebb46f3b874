// Package cases carries a choice of the golden cards inside a program, for the gallery of the simulator.
package cases

import "embed"

// Files are golden cards, one txtar archive each: the kinds of cards that people meet, and all that docs/gallery.md
// shows. All of them together would be a megabyte more; askbridge sim --gallery render/testdata/cases shows those.
//
//go:embed answered_choice.txtar answered_several.txtar answered_typed.txtar cancelled_by_person.txtar claim.txtar
//go:embed context.txtar expired.txtar files.txtar held.txtar held_vote.txtar joined.txtar links.txtar markdown.txtar
//go:embed multi.txtar option_styles.txtar optional_several.txtar options_many.txtar pass.txtar permission.txtar
//go:embed permission_allowed.txtar permission_expired.txtar plain.txtar receipt_taken.txtar replied.txtar
//go:embed responders_groups.txtar revised.txtar risk.txtar risk_answered.txtar several.txtar single.txtar
//go:embed source.txtar steps.txtar superseded.txtar text_only.txtar vote_answered.txtar vote_new.txtar
//go:embed vote_open.txtar vote_several.txtar yes_no.txtar
var Files embed.FS

// Names are what people, roles and channels of the cards are called, by the ids that a platform would look up.
var Names = map[string]string{
	"U0000001": "Ana", "U0000002": "Ben", "U0000003": "Cleo", "U0000004": "Dev", "U0000005": "Eli", "U0000006": "Fay",
	"300000000000000001": "Ana", "300000000000000002": "Ben", "300000000000000003": "Cleo", "80351110224678912": "Ana",
	"400000000000000001": "deployers", "S1": "deployers", "S0000001": "deployers", "100000000000000001": "Gus", "C1": "deploys", "200000000000000001": "deploys",
}
