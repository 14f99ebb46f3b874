package redis

import "strings"

// Rights returns the permissions that a Redis user needs, as ACL SETUSER takes
// them, and no others: our own tests run as such a user. [Open] names those that
// are missing. Only +client|setname, which names connections, and +info, which
// [Store.Advice] uses, are optional. An empty prefix is the default one. To make
// the user:
//
//	ACL SETUSER askbridge on >secret <the rights>
//
// The user sees no keys but ours, cannot list, flush or configure anything, and
// works on a single server, behind Sentinel and in a Cluster of Redis 7.0 or
// newer. Sentinels have users of their own; there it needs
//
//	-@all +auth +hello +ping +client|setname +sentinel +subscribe &*
func Rights(prefix string) []string {
	if prefix == "" {
		prefix = "ab"
	}
	return append([]string{"resetkeys", "resetchannels", "~" + prefix + ":*", "&" + prefix + ":*", "-@all"}, strings.Fields(needed)...)
}

// needed are the commands that we run, by hand or in scripts.
const needed = `
	+hello +auth +ping +select +client|setname
	+time +get +mget +set +del +exists
	+zadd +zrem +zmscore +zcount +zrange
	+eval +evalsha +wait
	+publish +subscribe
	+hsetnx +hget +info
	+command +cluster|slots +asking`
