// Package config reads the configuration file: one strict YAML document, decoded into plain structs.
//
// Everything that is not understood is an error with line and column: an unknown key, a duplicate key,
// a number instead of
// text. All errors are reported at once. Any scalar may take its value from elsewhere, so that the file
// needs no secrets:
//
//	bot_token: ${SLACK_BOT_TOKEN}             the environment
//	level: ${LOG_LEVEL:-info}                 the environment, or this
//	password: ${file:/run/secrets/redis}      a file, without the line break at its end
//
// References are expanded in single scalars after parsing, so no value can add a key. Errors never
// quote values, and a
// [Secret] always prints as [redacted].
package config
