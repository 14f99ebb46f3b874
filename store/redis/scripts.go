package redis

import (
	"embed"

	goredis "github.com/redis/go-redis/v9"
)

//go:embed scripts/*.lua
var sources embed.FS

// Each script accesses one slot of a Cluster and gets every key as an argument. Running it twice
// because the first reply was lost does no harm.
var (
	swapScript   = script("swap")
	claimScript  = script("claim")
	forgetScript = script("forget")
	pageScript   = script("page")
	trimScript   = script("trim")
	mendScript   = script("mend")
	putScript    = script("put")
	deleteScript = script("delete")
	dropScript   = script("drop")
	rightsScript = script("rights")
)

func script(name string) *goredis.Script {
	source, err := sources.ReadFile("scripts/" + name + ".lua")
	if err != nil {
		panic(err) // It is embedded.
	}
	return goredis.NewScript(string(source))
}
