// Package signin signs people in at the console with OpenID Connect, and knows them again by a cookie.
//
//	browser            askbridge                     provider
//	   │ /console/sign-in  │                             │
//	   ├──────────────────▶│ state, nonce, PKCE verifier │
//	   │◀──────────────────┤ in a sealed cookie          │
//	   ├─────────────── authorize ──────────────────────▶│
//	   │◀────────────── code, state ─────────────────────┤
//	   │ /console/callback │                             │
//	   ├──────────────────▶│ code, verifier ────────────▶│
//	   │                   │◀──────────────── ID token ──┤
//	   │◀──────────────────┤ session cookie              │
//
// The flow is the authorization code flow with PKCE (S256):
// https://openid.net/specs/openid-connect-core-1_0.html#CodeFlowAuth and
// https://www.rfc-editor.org/rfc/rfc9700. A sign-in is bound to the browser that began it, counts once, and
// ends at one fixed address.
//
// # Guarantees
//
// Both cookies are encrypted and authenticated with a key that the replicas share through the key-value store.
// They are HttpOnly and SameSite=Lax and, over https, Secure with the prefix __Host-, so no other host can
// set them. A session ends when its time is over, when the person signs out, or when a restart changes the
// settings of the sign-in. It is not prolonged.
//
// # Non-guarantees
//
// Roles are read at sign-in: a person who loses a role keeps it until the session ends. Tokens of the provider
// are not kept.
package signin
