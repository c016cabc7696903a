package oob

import (
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
)

// ErrSecret is matched by the error of a connection whose sides do not have the same secret.
var ErrSecret = errors.New("does not share a secret with this side")

// What is wrong with the peer's secret and this side's.
var (
	errNoneHere  = fmt.Errorf("%w: this side has none; start it with the peer's --secret-file", ErrSecret)
	errNoneThere = fmt.Errorf("%w: the peer has none; start it with this side's --secret-file", ErrSecret)
	errDiffer    = fmt.Errorf("%w: the two differ; give both sides the same --secret-file", ErrSecret)
)

// proofSize is the payload of a proof frame.
const proofSize = sha256.Size

// classSecret is the class of an abort that refuses a proof.
const classSecret = "secret"

// checkSecret refuses a secret that is given and is empty: it would keep nobody out.
func checkSecret(secret []byte) error {
	if secret != nil && len(secret) == 0 {
		return errors.New("the secret is empty; write one into the --secret-file, such as 32 random bytes")
	}
	return nil
}

// checkHave finds out that only one side has a secret.
func checkHave(mine, theirs hello) error {
	switch {
	case mine.secret && !theirs.secret:
		return errNoneThere
	case theirs.secret && !mine.secret:
		return errNoneHere
	}
	return nil
}

// proofOf returns what only a side with the secret can say, in its role and in answer to these
// two nonces.
func proofOf(secret []byte, r role, client, server hello) []byte {
	mac := hmac.New(sha256.New, secret)
	fmt.Fprintf(mac, "ibperf %d %v", version, r)
	mac.Write(client.nonce[:])
	mac.Write(server.nonce[:])
	return mac.Sum(nil)
}
