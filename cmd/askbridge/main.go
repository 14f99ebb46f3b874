package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // Working hours are in time zones that an image without them knows too.
)

func main() {
	ctx, end := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		// The first signal asks for an orderly end. The second one ends the program at
		// once, from before anybody can see that it is ending.
		signal.Stop(signals)
		end()
	}()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}
