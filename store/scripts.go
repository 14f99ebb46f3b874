package store

import (
	_ "embed"

	"github.com/redis/go-redis/v9"
)

// Each script touches one slot of a Cluster, is given every key it touches, and
// does no harm when it runs twice because its reply was lost.
var (
	//go:embed scripts/swap.lua
	swapSource string
	swapScript = redis.NewScript(swapSource)

	//go:embed scripts/claim.lua
	claimSource string
	claimScript = redis.NewScript(claimSource)

	//go:embed scripts/forget.lua
	forgetSource string
	forgetScript = redis.NewScript(forgetSource)

	//go:embed scripts/page.lua
	pageSource string
	pageScript = redis.NewScript(pageSource)

	//go:embed scripts/trim.lua
	trimSource string
	trimScript = redis.NewScript(trimSource)

	//go:embed scripts/mend.lua
	mendSource string
	mendScript = redis.NewScript(mendSource)

	//go:embed scripts/drop.lua
	dropSource string
	dropScript = redis.NewScript(dropSource)
)
