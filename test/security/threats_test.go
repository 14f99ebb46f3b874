package security

// threats are who might want what, and what stands against it.
func threats() []promise {
	return []promise{
		{"an agent that wants to approve itself", "It names no approvers beyond what its token and route allow, and never its requester where that is excluded", []proof{{"mcpserver", "TestWhoAsksIsNotTheAgentsToSay"}}, "A token without a floor lets its agent name whoever the operator's defaults allow."},
	}
}
