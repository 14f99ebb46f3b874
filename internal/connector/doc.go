// Package connector is what the connectors of all platforms do in the same way:
// dealing with what people do in the time they have, taking signed requests,
// making calls and waiting between tries. It knows no platform; what one of them
// calls a thing, and how it answers, stays in its own package.
package connector
