package result

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/ibperf/ibperf/option"
)

// SchemaID is the $id of the schema, and the address of docs/result.schema.json.
const SchemaID = "https://raw.githubusercontent.com/ibperf/ibperf/main/docs/result.schema.json"

// Schema returns the JSON Schema (2020-12) of result files of [FormatVersion], made from the types
// of this package and the definitions of their fields. If closed is set the schema allows no other
// members, which later releases may add, and has no $id. Tests write docs/result.schema.json with it
// and check result files against it; programs do not call it.
func Schema(closed bool) []byte {
	about := map[string]string{}
	for _, kind := range []option.Kind{option.KindBandwidth, option.KindLatency} {
		for field, text := range DefinitionsFor(kind, option.OpWrite) {
			if unit := UnitsFor(kind)[field]; unit != "" {
				text += " (" + unit + ")"
			}
			about[field] = text
		}
	}
	s := schema{closed: closed, about: about, header: FileHeader()}
	return s.document(reflect.TypeFor[File](), "Result file of ibperf", SchemaID)
}

// SchemaOf returns the JSON Schema of another document that begins with a header, as [Schema] does for result files.
// The tag "about" of a member describes it.
func SchemaOf(document reflect.Type, header Header, title, id string, closed bool) []byte {
	s := schema{closed: closed, header: header}
	return s.document(document, title, id)
}

// document returns the schema of a document.
func (s *schema) document(t reflect.Type, title, id string) []byte {
	top := s.object(t, "file")
	top["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	top["title"] = title
	if !s.closed {
		top["$id"] = id
	}
	data, err := json.MarshalIndent(top, "", "  ")
	if err != nil {
		panic(err) // maps and texts can be encoded
	}
	return append(data, '\n')
}

// schema makes the parts of a schema. Paths are those of definitions: paths of rows begin at the
// row.
type schema struct {
	closed bool
	about  map[string]string // definition and unit, by path
	header Header
}

// words lists the values that texts may have, by the field's path.
var words = map[string][]string{
	"file.kind": texts(option.KindLatency, option.KindBandwidth), "file.role": {"client", "server"},
	"file.comparison.sweep": {SweepQPs, SweepGap, SweepRate}, "mode": texts(ModeOrder...), "variant": texts(option.RowVariants()...),
}

// texts returns typed constants as plain strings.
func texts[T ~string](all ...T) (plain []string) {
	for _, v := range all {
		plain = append(plain, string(v))
	}
	return plain
}

// schemaOf returns the schema of a type.
func (s *schema) schemaOf(t reflect.Type, path string) map[string]any {
	switch {
	case t == reflect.TypeFor[Parameters]():
		return s.parameters()
	case t == reflect.TypeFor[time.Time]():
		return map[string]any{"type": "string", "format": "date-time"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return s.schemaOf(t.Elem(), path)
	case reflect.Struct:
		return s.object(t, path)
	case reflect.Slice:
		return map[string]any{"type": []string{"array", "null"}, "items": s.schemaOf(t.Elem(), path)}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": s.schemaOf(t.Elem(), path)}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.String:
		if w := words[path]; w != nil {
			return map[string]any{"type": "string", "enum": w}
		}
		return map[string]any{"type": "string"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	}
	return map[string]any{"type": "integer"}
}

// object returns the schema of a struct.
func (s *schema) object(t reflect.Type, path string) map[string]any {
	members, required := map[string]any{}, []string{}
	for i := range t.NumField() {
		if t.Field(i).Type == reflect.TypeFor[Header]() {
			members["format"], members["version"] = map[string]any{"const": s.header.Format}, map[string]any{"const": s.header.Version}
			required = append(required, "format", "version")
			continue
		}
		name, options, tagged := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if !t.Field(i).IsExported() || name == "" && !tagged && t.Field(i).Type != reflect.TypeFor[Parameters]() {
			continue
		}
		at := s.memberPath(path, name)
		member := s.schemaOf(t.Field(i).Type, at)
		if text := cmp.Or(t.Field(i).Tag.Get("about"), s.about[strings.TrimPrefix(at, "devices.")]); text != "" {
			member["description"] = text
		}
		members[name] = member
		if options != "omitempty" && options != "omitzero" && !(t == reflect.TypeFor[Latency]() && !alwaysThere[name]) {
			required = append(required, name)
		}
	}
	return s.close(map[string]any{"type": "object", "properties": members, "required": required})
}

// alwaysThere lists the members of a latency that has only the mean.
var alwaysThere = map[string]bool{"n": true, "mean_ns": true, "factor": true}

// memberPath returns the path of a member. The paths of rows and of build have no prefix, as in
// definitions.
func (s *schema) memberPath(path, name string) string {
	switch {
	case path == "file" && name == "rows" || path == "":
		return strings.TrimPrefix(name, "rows")
	case path == "file" && name == "build":
		return name
	case path == "file":
		return "file." + name
	}
	return path + "." + name
}

// parameters returns the schema of the plan's options and the extent of the run.
func (s *schema) parameters() map[string]any {
	object := s.object(reflect.TypeFor[Extent](), "parameters")
	members, required := object["properties"].(map[string]any), object["required"].([]string)
	plain := option.Defaults(option.Test{Op: option.OpWrite, Kind: option.KindLatency})
	data, err := plain.Encode()
	var values map[string]any
	if err == nil {
		err = json.Unmarshal(data, &values)
	}
	if err != nil {
		panic(err) // every run encodes a plan
	}
	for name, value := range values {
		kind := map[reflect.Kind]string{reflect.Bool: "boolean", reflect.Float64: "number", reflect.String: "string", reflect.Slice: "array"}[reflect.ValueOf(value).Kind()]
		members[name] = map[string]any{"type": kind, "description": s.about["parameters."+name]}
		required = append(required, name)
	}
	slices.Sort(required)
	object["required"] = required
	return object
}

// close disallows other members if the schema is closed.
func (s *schema) close(object map[string]any) map[string]any {
	if s.closed {
		object["additionalProperties"] = false
	}
	return object
}
