// Package security holds the list of what the program promises against people who
// mean harm, and the tests that hold each promise. Its own test sees to it that
// every test named here exists, and writes the tables of docs/security.md.
package security
