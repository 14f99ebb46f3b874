// Package arch holds the rules about who may import whom, as a test.
//
//	ask  <-  render  <-  bridge  <-  { store, slack, discord, api, mcpserver, webhook }  <-  internal/app  <-  cmd/askbridge
//
// The vocabulary is a leaf, platforms and stores know the bridge and never
// each other, and every SDK stays in the one or two packages that speak it.
// The rules are the tables in table_test.go; plain "go test ./..." guards
// them. A new package needs a row there, which is the moment to think about
// where it stands.
package arch
