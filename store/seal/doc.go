// Package seal encrypts stored data with keys that the store does not have.
//
//	keys:  k2          seals, and opens data that it has sealed
//	       k1          opens data that it has sealed
//	       plain       allows reading unencrypted data
//
// The first line seals all new data; all lines together determine what can be read. To replace a key, add
// the new one at the end, move it to the front, and remove the old one when no data is sealed with it.
// To start encryption, plain goes last; to end it, first. Without the line plain, unencrypted data is
// rejected, so someone who can write to the store cannot forge an answer.
//
// # Format
//
// Each record and each value is encrypted with AES-256-GCM. HKDF-SHA256 derives its key from the
// store's key, the kind of data, the store and the ID; a random nonce precedes the ciphertext. So no
// derived key is used often enough for nonce collisions, and data that was changed, or moved to another
// ID, prefix or tenant, does not open. Restoring an older version of the same data is not detected.
//
// The name of a key is the first eight hexadecimal digits of its hash, so a name cannot refer to the
// wrong key.
package seal
