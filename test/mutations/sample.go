package main

import "math/rand/v2"

// sample returns the mutants in the order in which they are run: functions are shuffled, and one mutant of
// each is taken in turn until all are taken.
func sample(all []mutant, seed uint64) []mutant {
	random := rand.New(rand.NewPCG(seed, 0))
	var functions [][]mutant
	at := map[string]int{}
	for _, m := range all {
		id := m.path + m.function
		i, ok := at[id]
		if !ok {
			i = len(functions)
			at[id] = i
			functions = append(functions, nil)
		}
		functions[i] = append(functions[i], m)
	}
	random.Shuffle(len(functions), func(i, j int) { functions[i], functions[j] = functions[j], functions[i] })
	for _, f := range functions {
		random.Shuffle(len(f), func(i, j int) { f[i], f[j] = f[j], f[i] })
	}
	ordered := make([]mutant, 0, len(all))
	for round := 0; len(ordered) < len(all); round++ {
		for _, f := range functions {
			if round < len(f) {
				ordered = append(ordered, f[round])
			}
		}
	}
	return ordered
}
