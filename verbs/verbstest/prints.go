package verbstest

import (
	"fmt"
	"strings"

	"github.com/ibperf/ibperf/verbs"
)

// longestLine is the maximum length in bytes of an object's text.
const longestLine = 99

// prints checks that an object prints as one short line that begins with the device's name, with
// every formatting verb. The members of an object would be long, and include registered memory.
// It checks only the objects of a device that is a fmt.Stringer.
func (e *env) prints(object any) {
	e.Helper()
	if _, ok := e.target.Device.(fmt.Stringer); !ok {
		return
	}
	if _, ok := object.(*verbs.Buffer); ok {
		return
	}
	if _, ok := object.(fmt.Stringer); !ok {
		e.Errorf("%T has no String method", object)
		return
	}
	name, _, _ := strings.Cut(e.target.Device.Name(), ":") // without parameters
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		text := fmt.Sprintf(format, object)
		if len(text) > longestLine || strings.Contains(text, "\n") || !strings.HasPrefix(text, name) {
			e.Errorf("%T prints by %s as %.200q: want a line of at most %d bytes that begins with %s", object, format, text, longestLine, name)
		}
	}
}
