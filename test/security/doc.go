// Package security holds the list of what the program promises against people who
// mean harm, and the tests that hold each promise. Its own test sees to it that
// every test named here exists, and writes the tables of docs/security.md; and it does the same for
// what the founding documents say, in docs/founding.md.
package security
