package redis

import "strings"

// Rights returns the minimal permissions of a Redis user, in the syntax of ACL SETUSER. The tests run as
// such a user, and [Open] names missing permissions. Only +client|setname, which names connections,
// and +info, which [Store.Advice] uses, are optional. An empty prefix is the default one. To create
// the user:
//
//	ACL SETUSER askbridge on >secret <the rights>
//
// The user can access only the keys with the prefix, cannot list, flush or configure anything, and
// works on a single server, behind Sentinel and in a Cluster. Sentinels have their own users, which
// need
//
//	-@all +auth +hello +ping +client|setname +sentinel +subscribe &*
func Rights(prefix string) []string {
	if prefix == "" {
		prefix = "ab"
	}
	return append([]string{"resetkeys", "resetchannels", "~" + prefix + ":*", "&" + prefix + ":*", "-@all"}, strings.Fields(needed)...)
}

// needed are the commands that the store and its scripts run.
const needed = `
	+hello +auth +ping +select +client|setname
	+time +get +mget +set +del +exists
	+zadd +zrem +zmscore +zcount +zrange
	+eval +evalsha +wait
	+publish +subscribe
	+hsetnx +hget +info
	+command +cluster|slots +asking`
