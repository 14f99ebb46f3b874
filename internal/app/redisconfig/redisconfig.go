// Package redisconfig turns the settings of the Redis store into its options, for the program and for its doctor.
package redisconfig

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/store/redis"
)

// Options returns the options for the settings of a store of type redis. It fails if the URL is invalid, or if the
// file of trusted certificates cannot be read or contains none. The caller adds keys, secret and logger.
func Options(c config.Store) (redis.Options, error) {
	r := c.Redis
	o := redis.Options{
		Addrs: r.Addrs, Master: r.Master, Cluster: r.Cluster, DB: r.DB,
		Username: r.Username, Password: r.Password.Reveal(),
		SentinelUsername: r.SentinelUsername, SentinelPassword: r.SentinelPassword.Reveal(),
	}
	if r.URL.Set() {
		var err error
		if o, err = redis.ParseURL(r.URL.Reveal()); err != nil {
			return o, err
		}
	}
	if o.TLS == nil && r.TLS {
		o.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	if r.TLSCA != "" && o.TLS != nil {
		roots, err := authorities(r.TLSCA)
		if err != nil {
			return o, fmt.Errorf("store.redis.tls_ca: %w", err)
		}
		o.TLS.RootCAs = roots
	}
	o.Prefix, o.Retention = r.Prefix, time.Duration(c.Retention)
	o.Replicas, o.ReplicaWait = r.Replicas, time.Duration(r.ReplicaWait)
	return o, nil
}

// authorities reads the trusted certificates.
func authorities(path string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return nil, errors.New(path + " contains no certificate")
	}
	return roots, nil
}
