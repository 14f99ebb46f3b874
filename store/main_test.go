package store_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/askbridge/askbridge/store/redis"
)

func TestMain(m *testing.M) {
	redis.Log(nil)
	goleak.VerifyTestMain(m)
}
