package cli

import (
	"bytes"
	"fmt"
	"os"

	"github.com/ibperf/ibperf/internal/atomicfile"
)

// Limits of a file with a secret.
const (
	minSecret = 16 // bytes
	maxSecret = 4096
)

// readSecret reads the secret of --secret-file; nil without a file. A line break at its end is no
// part of the secret.
func readSecret(path string) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("read secret file %s: %w", path, atomicfile.Cause(err))
	case !info.Mode().IsRegular() || info.Size() > maxSecret:
		return nil, fmt.Errorf("read secret file %s: it must be a regular file of at most %d bytes", path, maxSecret)
	case info.Mode().Perm()&0o077 != 0:
		return nil, fmt.Errorf("read secret file %s: others may read or write it: chmod 600 it", path)
	}
	secret, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read secret file %s: %w", path, atomicfile.Cause(err))
	}
	if secret = bytes.TrimRight(secret, "\r\n"); len(secret) < minSecret {
		return nil, fmt.Errorf("read secret file %s: it has %d bytes, and %d are needed: openssl rand -hex 32 makes a secret",
			path, len(secret), minSecret)
	}
	return secret, nil
}

// channel returns how the control channel is protected, for output and result file.
func channel(secret bool) string {
	if secret {
		return "TLS 1.3, closed by a secret"
	}
	return "open to all"
}
