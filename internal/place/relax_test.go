package place

import "testing"

func TestRelaxations(t *testing.T) {
	defer SetRelaxation(RelaxNone)
	names := map[string]bool{}
	for r := range Relaxation(Relaxations) {
		SetRelaxation(r)
		if n := testing.AllocsPerRun(100, Relax); n != 0 {
			t.Errorf("%v allocates %v times", r, n)
		}
		names[r.String()] = true
	}
	if len(names) != Relaxations {
		t.Errorf("names are %v", names)
	}
}

func BenchmarkRelax(b *testing.B) {
	defer SetRelaxation(RelaxNone)
	for r := range Relaxation(Relaxations) {
		b.Run(r.String(), func(b *testing.B) {
			SetRelaxation(r)
			for b.Loop() {
				Relax()
			}
		})
	}
}
