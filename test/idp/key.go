package idp

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
)

// key signs tokens: https://www.rfc-editor.org/rfc/rfc7518
type key struct {
	id, alg string
	rsa     *rsa.PrivateKey
	ecdsa   *ecdsa.PrivateKey
}

func newKey(alg string) *key {
	k := &key{id: rand.Text(), alg: alg}
	var err error
	if alg == "ES256" {
		k.ecdsa, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	} else {
		k.rsa, err = rsa.GenerateKey(rand.Reader, 2048)
	}
	if err != nil {
		panic(err)
	}
	return k
}

func encoded(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }

// public returns the key as a JSON Web Key.
func (k *key) public() map[string]any {
	out := map[string]any{"kid": k.id, "alg": k.alg, "use": "sig"}
	if k.ecdsa != nil {
		point, err := k.ecdsa.PublicKey.Bytes()
		if err != nil {
			panic(err)
		}
		out["kty"], out["crv"], out["x"], out["y"] = "EC", "P-256", encoded(point[1:33]), encoded(point[33:])
		return out
	}
	out["kty"], out["n"], out["e"] = "RSA", encoded(k.rsa.N.Bytes()), encoded(big.NewInt(int64(k.rsa.E)).Bytes())
	return out
}

// sign returns a token in the compact form.
func (k *key) sign(t *Token) string {
	header, err := json.Marshal(t.Header)
	if err != nil {
		panic(err)
	}
	claims, err := json.Marshal(t.Claims)
	if err != nil {
		panic(err)
	}
	text := encoded(header) + "." + encoded(claims)
	if t.Unsigned {
		return text + "."
	}
	sum := sha256.Sum256([]byte(text))
	if k.ecdsa == nil {
		signature, err := rsa.SignPKCS1v15(rand.Reader, k.rsa, crypto.SHA256, sum[:])
		if err != nil {
			panic(err)
		}
		return text + "." + encoded(signature)
	}
	r, s, err := ecdsa.Sign(rand.Reader, k.ecdsa, sum[:])
	if err != nil {
		panic(err)
	}
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	return text + "." + encoded(signature)
}
