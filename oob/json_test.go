package oob

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/result"
)

func TestPeerTextIsOneLine(t *testing.T) {
	mine := Promise{Side: result.Side{
		Host: "host\nib_write_lat: done", CPU: "größer 終わり", Libraries: map[string]string{"a\r": "\x1b[2J\u202e"},
		Device: result.Device{Name: "mlx\x1b[2K\r", GID: `"\`}, Order: result.Order{Query: "ask\u2028me"},
	}}
	a, b := Pipe()
	defer endAll(a, b)
	go func() { _, _ = NewPeer(a).Promise(mine) }()
	theirs, err := NewPeer(b).Promise(Promise{})
	if err != nil {
		t.Fatal(err)
	}
	want := mine
	want.Side.Host, want.Side.Libraries = "host ib_write_lat: done", map[string]string{"a ": "\ufffd[2J\ufffd"}
	want.Side.Device.Name, want.Side.Order.Query = "mlx\ufffd[2K ", "ask me"
	if !reflect.DeepEqual(theirs, want) {
		t.Errorf("%+v\nwant %+v", theirs, want)
	}
}

// Decode decodes what package json does, with all strings clean, also those of raw messages.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"a\n":["\ud83d\ude00\u001b\u202e", "größer", "\"\\", 1e3, true, {"":null}]}`))
	f.Add([]byte(`{"a":"unended`))
	f.Add([]byte("[\"\u009b\xff\"]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var plain, got, again any
		wanted, err := json.Unmarshal(data, &plain), Decode(data, &got)
		if (wanted == nil) != (err == nil) {
			t.Fatalf("Decode of %q: %v, package json: %v", data, err, wanted)
		}
		if err != nil {
			return
		}
		var raw json.RawMessage
		if err := Decode(data, &raw); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(raw, &again); err != nil {
			t.Fatal(err)
		}
		clash := false
		if want := allClean(plain, &clash); clash {
			return // any of several members with one name may stay
		} else if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(again, want) {
			t.Errorf("Decode of %q is %#v and raw %#v, want %#v", data, got, again, want)
		}
	})
}

// allClean cleans the strings of a value of package json, and sets clash if two members have one name
// afterwards.
func allClean(v any, clash *bool) any {
	switch v := v.(type) {
	case string:
		return printable.Clean(v)
	case []any:
		for i := range v {
			v[i] = allClean(v[i], clash)
		}
	case map[string]any:
		clean := map[string]any{}
		for name, member := range v {
			clean[printable.Clean(name)] = allClean(member, clash)
		}
		*clash = *clash || len(clean) < len(v)
		return clean
	}
	return v
}
