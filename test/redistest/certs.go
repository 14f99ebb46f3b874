package redistest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// StartTLS runs a server that accepts only TLS, with a new certificate. Its TLS field trusts the authority that
// signed it, which no other server shares.
func StartTLS(tb testing.TB, settings ...string) *Server {
	tb.Helper()
	s := &Server{tb: tb, Dir: tb.TempDir()}
	roots := certify(tb, s.Dir)
	s.TLS = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	tb.Cleanup(s.Kill)
	s.serve(func(port string) []string {
		return append([]string{
			"--port", "0", "--tls-port", port, "--bind", "127.0.0.1", "--dir", s.Dir,
			"--tls-cert-file", filepath.Join(s.Dir, certFile), "--tls-key-file", filepath.Join(s.Dir, keyFile),
			"--tls-ca-cert-file", filepath.Join(s.Dir, authorityFile), "--tls-auth-clients", "no",
			"--appendonly", "yes", "--appendfsync", "no", "--save", "",
		}, settings...)
	})
	return s
}

const (
	certFile      = "server.crt"
	keyFile       = "server.key"
	authorityFile = "authority.crt"
)

// certify creates an authority and a server certificate for 127.0.0.1 in dir, and returns the pool that trusts
// them.
func certify(tb testing.TB, dir string) *x509.CertPool {
	tb.Helper()
	begin := time.Now().Add(-time.Hour)
	authority := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "redistest authority"},
		NotBefore: begin, NotAfter: begin.AddDate(1, 0, 0),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	server := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "redistest"},
		NotBefore: begin, NotAfter: begin.AddDate(1, 0, 0),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	authorityKey, serverKey := newKey(tb), newKey(tb)
	signed := sign(tb, authority, authority, authorityKey, authorityKey)
	write(tb, filepath.Join(dir, authorityFile), "CERTIFICATE", signed)
	write(tb, filepath.Join(dir, certFile), "CERTIFICATE", sign(tb, server, authority, serverKey, authorityKey))
	private, err := x509.MarshalPKCS8PrivateKey(serverKey)
	if err != nil {
		tb.Fatal(err)
	}
	write(tb, filepath.Join(dir, keyFile), "PRIVATE KEY", private)
	trusted, err := x509.ParseCertificate(signed)
	if err != nil {
		tb.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(trusted)
	return roots
}

func newKey(tb testing.TB) *ecdsa.PrivateKey {
	tb.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	return key
}

func sign(tb testing.TB, cert, by *x509.Certificate, key, byKey *ecdsa.PrivateKey) []byte {
	tb.Helper()
	der, err := x509.CreateCertificate(rand.Reader, cert, by, &key.PublicKey, byKey)
	if err != nil {
		tb.Fatal(err)
	}
	return der
}

func write(tb testing.TB, path, kind string, der []byte) {
	tb.Helper()
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		tb.Fatal(err)
	}
}
