// Package seal encrypts what a store keeps, with keys that the store does not have.
//
//	keys:  k2          seals, and opens what it has sealed
//	       k1          opens what was sealed before
//	       plain       lets what stands in clear be read
//
// The first line says how everything is written from now on, all lines together what can
// be read. One rule makes every change a change of lines: a new key goes last, then first;
// an old one goes when nothing is left that it has sealed; plain goes last to begin with
// encryption, and first to end it. Without the line plain, what stands in clear is refused,
// so whoever can write to the store cannot pass off an answer of their own.
//
// # The form
//
// Each record and each value is sealed with AES-256-GCM under a key that HKDF-SHA256 makes
// of the store's key, what it is, where it stands and its id, with a random nonce before it.
// So no key is ever used often enough for nonces to matter, and what is put under another
// id, under another prefix of the same Redis, or into the place of another tenant's does
// not open. Bytes that were changed do not either. What is put back as it was before does:
// nobody but a second store could tell.
//
// A key is known by the first eight hexadecimal digits of a hash of it, so a name can never
// be put to the wrong key.
package seal
