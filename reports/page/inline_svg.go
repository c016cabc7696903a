package page

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/internal/atomicfile"
)

// styles collects the styles of all drawings on a page, each once, since drawings repeat few styles
// thousands of times.
type styles struct {
	class map[string]string // by declarations
	order []string          // declarations
}

var (
	styleAttribute = regexp.MustCompile(`style="([^"{}<>]*)"`)
	spots          = regexp.MustCompile(`(?s)<g class="spots".*?</g>\n?`)
	mirror         = []byte(` transform="scale(1, -1)"`) // of each text, which page.css has once for all
	hexColor       = regexp.MustCompile(`#[0-9A-Fa-f]{6}`)
)

// inline reads a drawing, drops its XML declaration, which HTML does not allow, and replaces the
// styles of its elements by classes.
func (s *styles) inline(f Figure) (drawing, error) {
	data, err := os.ReadFile(f.SVG)
	if err != nil {
		return drawing{}, fmt.Errorf("read figure %s: %w", f.SVG, atomicfile.Cause(err))
	}
	d := drawing{Title: f.Title}
	if d.SVG, err = s.drawn(data); err != nil {
		return d, fmt.Errorf("read figure %s: %w", f.SVG, err)
	}
	if f.Narrow != nil { // its points are too small for a pointer
		if d.Narrow, err = s.drawn(spots.ReplaceAll(f.Narrow, nil)); err != nil {
			return d, fmt.Errorf("figure %s for narrow screens: %w", f.Name, err)
		}
	}
	return d, nil
}

// drawn returns a drawing as HTML. Package chart has escaped all text in it.
func (s *styles) drawn(data []byte) (template.HTML, error) {
	at := bytes.Index(data, []byte("<svg"))
	if at < 0 {
		return "", errors.New("no drawing in it")
	}
	data = bytes.ReplaceAll(data[at:], mirror, nil)
	return template.HTML(styleAttribute.ReplaceAllStringFunc(string(data), func(attribute string) string {
		return `class="` + s.classOf(styleAttribute.FindStringSubmatch(attribute)[1]) + `"`
	})), nil
}

func (s *styles) classOf(declarations string) string {
	if s.class == nil {
		s.class = map[string]string{}
	}
	class := s.class[declarations]
	if class == "" {
		class = "f" + strconv.Itoa(len(s.order))
		s.class[declarations] = class
		s.order = append(s.order, declarations)
	}
	return class
}

// sheet returns the style sheet of all drawings: named colors for light and dark pages, and the
// classes that use them.
func (s *styles) sheet() string {
	var light, dark, classes strings.Builder
	seen := map[string]bool{}
	for i, declarations := range s.order {
		named := hexColor.ReplaceAllStringFunc(declarations, func(hex string) string {
			hex = strings.ToUpper(hex)
			inDark, known := Dark(hex)
			if !known {
				return hex
			}
			name := "--c" + hex[1:]
			if !seen[hex] {
				seen[hex] = true
				fmt.Fprintf(&light, "%s:%s;", name, hex)
				fmt.Fprintf(&dark, "%s:%s;", name, inDark)
			}
			return "var(" + name + ")"
		})
		fmt.Fprintf(&classes, ".f%d{%s}\n", i, named)
	}
	return fmt.Sprintf(":root{%s}\n@media screen and (prefers-color-scheme:dark){:root{%s}}\n%s", &light, &dark, &classes)
}
