// Package codec turns records into what is stored and back, and one version of a
// record into the next. All stores keep the same.
package codec
