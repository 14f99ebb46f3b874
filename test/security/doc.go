// Package security lists the security promises and the tests that hold each of them. Its own test checks that every
// named test exists and writes the tables of docs/security.md. It does the same for the founding documents in
// docs/founding.md.
package security
