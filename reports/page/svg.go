package page

import (
	"bytes"
	"fmt"
	"html/template"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/internal/atomicfile"
)

// styles are those of the elements of all drawings on a page, each once: drawings repeat
// few styles thousands of times.
type styles struct {
	class map[string]string // by declarations
	order []string          // declarations
}

var (
	styleAttribute = regexp.MustCompile(`style="([^"{}<>]*)"`)
	hexColor       = regexp.MustCompile(`#[0-9A-Fa-f]{6}`)
)

// inline reads a drawing without its XML declaration, which has no place inside HTML, and
// gives classes to its elements in place of styles.
func (s *styles) inline(f Figure) (drawing, error) {
	data, err := os.ReadFile(f.SVG)
	if err != nil {
		return drawing{}, fmt.Errorf("read figure %s: %w", f.SVG, atomicfile.Cause(err))
	}
	at := bytes.Index(data, []byte("<svg"))
	if at < 0 {
		return drawing{}, fmt.Errorf("read figure %s: no drawing in it", f.SVG)
	}
	svg := styleAttribute.ReplaceAllStringFunc(string(data[at:]), func(attribute string) string {
		return `class="` + s.classOf(styleAttribute.FindStringSubmatch(attribute)[1]) + `"`
	})
	return drawing{f.Title, template.HTML(svg)}, nil // who drew it has escaped all text in it
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

// sheet is the style sheet of all drawings: colours by name, light and dark, and the
// classes made of them.
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
