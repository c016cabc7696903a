package compare

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ibperf/ibperf/internal/atomicfile"
)

// Bundle packs all that was written into one .tar.gz file, in a folder of the file's name.
func (f *Folder) Bundle(path string) error {
	var b bytes.Buffer
	compressed := gzip.NewWriter(&b)
	archive := tar.NewWriter(compressed)
	for _, name := range f.files {
		if err := f.pack(archive, name); err != nil {
			return fmt.Errorf("pack %s: %w", path, err)
		}
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

// pack adds a file of the folder.
func (f *Folder) pack(archive *tar.Writer, name string) error {
	data, err := os.ReadFile(filepath.Join(f.dir, name))
	if err != nil {
		return err
	}
	head := &tar.Header{Name: "ib_compare/" + name, Mode: 0o644, Size: int64(len(data)), ModTime: f.begun}
	if err := archive.WriteHeader(head); err != nil {
		return err
	}
	_, err = archive.Write(data)
	return err
}
