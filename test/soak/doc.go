// Package soak loads the embedded device for a given time, through the API of package verbs
// alone, and checks every byte that arrives.
//
//	soak_test.go       TestSoak: rounds of concurrent sessions, stops and kills
//	process_test.go    the other processes
//	session_test.go    one session, from opening to closing
//	plan_test.go       parameters of a session, from its seed
//	side_test.go connect_test.go line_test.go  objects, connection, control channel
//	work_test.go post_test.go operations_test.go request_test.go complete_test.go  the traffic
//	message_test.go    headers and payloads
//	resources_test.go  samples, and what may not grow
package soak
