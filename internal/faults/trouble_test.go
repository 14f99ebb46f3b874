//go:build faults

package faults

func trouble() []row { return nil }
