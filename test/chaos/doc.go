// Package chaos plays many whole lives of questions at once, over three
// replicas, while everything fails: replicas are killed, Redis fails over,
// subscriptions are cut, the platforms limit, lose replies and deliver twice.
// In the end it proves from both sides, people's and agents', that nothing was
// lost, doubled or invented; a history checker judges the decisions.
//
//	make storm N=10000
package chaos
