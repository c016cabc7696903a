package oob

import (
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
)

// Program is a group of programs whose servers serve each other's clients. Proofs of a secret cover it.
type Program string

// The programs. Every server of tests serves every test.
const (
	Tests   Program = "tests"
	Conform Program = "ib_conform"
	Cluster Program = "ib_cluster"
)

// ErrSecret is matched by the error of a connection whose sides do not have the same secret.
var ErrSecret = errors.New("does not share a secret with this side")

// The errors of two sides without the same secret.
var (
	errNoneHere  = fmt.Errorf("%w: this side has none; start it with the peer's --secret-file", ErrSecret)
	errNoneThere = fmt.Errorf("%w: the peer has none; start it with this side's --secret-file", ErrSecret)
	errDiffer    = fmt.Errorf("%w: the two differ, or one side runs %s and the other does not, or another host relays the connection; "+
		"give both sides the same --secret-file", ErrSecret, Conform)
)

const (
	keyingSize = 32          // exported keying material of a TLS connection
	proofSize  = sha256.Size // payload of a proof frame
)

// classSecret is the class of an abort that refuses a proof.
const classSecret = "secret"

// checkSecret refuses an empty secret, which any peer could prove to have, and a secret for no program.
func checkSecret(secret []byte, p Program) error {
	switch {
	case secret != nil && len(secret) == 0:
		return errors.New("the secret is empty; write one into the --secret-file, such as 32 random bytes")
	case secret != nil && p == "":
		return errors.New("the secret is for no program")
	}
	return nil
}

// checkHave returns an error if only one side has a secret.
func checkHave(mine, theirs hello) error {
	switch {
	case mine.secret && !theirs.secret:
		return errNoneThere
	case theirs.secret && !mine.secret:
		return errNoneHere
	}
	return nil
}

// proofOf returns the proof that a side of a role has the secret. It covers the program and the keying material
// of the TLS connection: the proof is of no use in another role, program or connection.
func proofOf(secret []byte, r role, p Program, keying []byte) []byte {
	mac := hmac.New(sha256.New, secret)
	fmt.Fprintf(mac, "ibperf %d %v %s\n", version, r, p)
	mac.Write(keying)
	return mac.Sum(nil)
}
