// Package chaos runs many request life-cycles at once over three replicas while
// everything fails: replicas are killed, Redis fails over, subscriptions are cut,
// and the platforms rate limit, lose replies and deliver twice. At the end it
// verifies from the view of people and of agents that nothing was lost, duplicated
// or invented. A history checker judges the decisions.
//
//	make storm N=10000
package chaos
