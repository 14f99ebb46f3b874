// Package index says where a record stands in each of the indexes of a store.
package index
