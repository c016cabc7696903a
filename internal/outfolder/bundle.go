package outfolder

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ibperf/ibperf/internal/atomicfile"
)

// SumsName is the name of the file in a bundle that has the SHA-256 of every other one, as sha256sum -c reads it.
const SumsName = "SHA256SUMS"

// CheckBundle returns an error unless the bundle can be written. An empty path is no bundle.
func CheckBundle(path string) error {
	if path == "" {
		return nil
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("write bundle %s: it exists and is not a regular file", path)
	}
	if err := atomicfile.Check(path); err != nil {
		return fmt.Errorf("write bundle %s: %w", path, err)
	}
	return nil
}

// Pack packs files of the folder dir into a .tar.gz file, below a folder top, with their sums. Their time is that of
// the work that wrote them.
func Pack(path, top, dir string, names []string, at time.Time) error {
	var b bytes.Buffer
	compressed := gzip.NewWriter(&b)
	archive := tar.NewWriter(compressed)
	if err := packFiles(archive, top, dir, names, at); err != nil {
		return fmt.Errorf("pack %s: %w", path, err)
	}
	if err := archive.Close(); err != nil {
		return fmt.Errorf("pack %s: %w", path, err)
	}
	if err := compressed.Close(); err != nil {
		return fmt.Errorf("pack %s: %w", path, err)
	}
	if err := atomicfile.Write(path, b.Bytes()); err != nil {
		return fmt.Errorf("write bundle %s: %w", path, err)
	}
	return nil
}

func packFiles(archive *tar.Writer, top, dir string, names []string, at time.Time) error {
	var sums strings.Builder
	add := func(name string, data []byte) error {
		head := &tar.Header{Name: top + "/" + name, Mode: 0o644, Size: int64(len(data)), ModTime: at}
		if err := archive.WriteHeader(head); err != nil {
			return err
		}
		_, err := archive.Write(data)
		return err
	}
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		if err := add(name, data); err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(data), name)
	}
	return add(SumsName, []byte(sums.String()))
}
