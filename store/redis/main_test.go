package redis

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	Log(nil)
	goleak.VerifyTestMain(m)
}
