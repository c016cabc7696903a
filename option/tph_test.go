package option

import (
	"strings"
	"testing"
)

// A hint may be alone; a steering tag takes all three options, as in perftest (perftest_parameters.c, under
// HAVE_REG_MR_EX), which also has the spellings.
func TestHintsTogether(t *testing.T) {
	for given, says := range map[string]string{
		"ph=0":                             "",
		"ph=3 cpu_id=0 tph_mem=vm":         "",
		"ph=3 cpu_id=0 tph_mem=Persistent": "",
		"tph_mem=pm ph=1":                  "--tph_mem needs --cpu_id",
		"cpu_id=1 ph=1":                    "--cpu_id needs --tph_mem",
		"cpu_id=1 tph_mem=VOLATILE":        "--cpu_id needs --ph",
		"ph=1 odp=true":                    "--ph and --odp exclude each other",
		"ph=1 use_cuda=0":                  "--ph and --use_cuda 0 exclude each other",
		"ph=4":                             "0 to 3 are possible",
		"tph_mem=ram":                      "choose vm or pm",
	} {
		s := New(Test{OpSend, KindLatency})
		var err error
		for _, word := range strings.Fields(given) {
			name, value, _ := strings.Cut(word, "=")
			if err == nil {
				err = Find(name).Set(&s, value)
			}
		}
		if err == nil {
			_, err = s.Resolve()
		}
		if says == "" && err != nil || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%s: %v, want %q", given, err, says)
		}
		if m := s.Own.TPHMemory; strings.Contains(given, "Persistent") && m != TPHPersistent || strings.Contains(given, "VOLATILE") && m != TPHVolatile {
			t.Errorf("%s: memory %q", given, m)
		}
	}
}
