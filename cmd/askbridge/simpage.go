package main

import (
	"net/http"

	"github.com/askbridge/askbridge/chatsim/slacksim"
)

func pageHandler(sim *slacksim.Server) http.Handler { return http.NotFoundHandler() }
