// Package index computes the place of a record in each index of a store.
package index
