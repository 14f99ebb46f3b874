// Package platform defines what a chat platform must implement so that the
// bridge can ask people there.
//
// A connector implements [Platform] and any of the optional interfaces in
// abilities.go that its platform supports:
//
//	bridge ── Post, Update ──▶ Platform ──▶ card in a channel
//	bridge ◀── Handler ─────── Interaction ◀── button, form or message
//	bridge ── Responder ─────▶ reply to that interaction, within three seconds
//
// A connector never decides who may answer and never retries. It checks that an
// interaction is genuine, decodes it, and reports failures as an [*Error] whose
// [Kind] is what the bridge acts on.
//
// # Installations
//
// An installation is the scope of a platform's IDs: a Slack workspace or
// organization, or a Discord server. [ask.Place.Installation] names it for every
// call that posts or searches, and [ask.MessageRef] for every call about
// a posted message. It is empty where a connector serves a single installation,
// which is what the connectors of this module do: they leave it out of message
// references, so nothing they store or send contains it. An [Interaction] carries
// the installation in its Message.
//
// [github.com/askbridge/askbridge/bridge/bridgetest.TestPlatform] tests an
// implementation of this package.
package platform
