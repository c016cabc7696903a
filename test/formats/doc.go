// Package formats reads what ibperf writes with libraries of other projects: result files
// with a JSON Schema validator, the Go benchmark format with the parser of benchstat, and metrics with the
// parser of Prometheus.
package formats
