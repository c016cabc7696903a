package compare

import (
	"github.com/ibperf/ibperf/internal/outfolder"
	"github.com/ibperf/ibperf/option"
)

// Bundle packs all written files except the plots into one .tar.gz file.
func (f *Folder) Bundle(path string) error {
	return outfolder.Pack(path, option.CompareProgram, f.dir, f.files, f.begun)
}
