// Package packaging builds the packages and tries them (make trials): in a clean Debian root, in emulation, in
// a container, and in shells. A test that this machine cannot run is skipped, with what it lacks.
package packaging
