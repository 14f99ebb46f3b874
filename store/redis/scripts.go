package redis

import (
	_ "embed"

	goredis "github.com/redis/go-redis/v9"
)

// Each script touches one slot of a Cluster, is given every key it touches, and
// does no harm when it runs twice because its reply was lost.
var (
	//go:embed scripts/swap.lua
	swapSource string
	swapScript = goredis.NewScript(swapSource)

	//go:embed scripts/claim.lua
	claimSource string
	claimScript = goredis.NewScript(claimSource)

	//go:embed scripts/forget.lua
	forgetSource string
	forgetScript = goredis.NewScript(forgetSource)

	//go:embed scripts/page.lua
	pageSource string
	pageScript = goredis.NewScript(pageSource)

	//go:embed scripts/trim.lua
	trimSource string
	trimScript = goredis.NewScript(trimSource)

	//go:embed scripts/mend.lua
	mendSource string
	mendScript = goredis.NewScript(mendSource)

	//go:embed scripts/put.lua
	putSource string
	putScript = goredis.NewScript(putSource)

	//go:embed scripts/delete.lua
	deleteSource string
	deleteScript = goredis.NewScript(deleteSource)

	//go:embed scripts/drop.lua
	dropSource string
	dropScript = goredis.NewScript(dropSource)

	//go:embed scripts/rights.lua
	rightsSource string
	rightsScript = goredis.NewScript(rightsSource)
)
