// Package idp is a strict double of an OpenID provider for tests: it refuses what providers refuse, signs ID tokens
// with RSA and ECDSA keys of its own, and misbehaves on request. It shares no code with the library that it
// judges.
//
// Its rules are those of https://openid.net/specs/openid-connect-core-1_0.html and, for PKCE,
// https://www.rfc-editor.org/rfc/rfc7636.
package idp
