package keyvalue

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/askbridge/askbridge/bridge/storage"
)

// Files stores the texts of request files until they are uploaded. It implements [storage.Files] on any
// [Store]. A text is split into values under the digest of the whole text, so that a read returns the complete
// text or an error:
//
//	file/<tenant>/<request>/<SHA-256>/<number>
type Files struct{ Store Store }

const (
	fileKind = "file"
	// maxPieces is the number of values read at once.
	maxPieces = 64
)

func filePiece(tenant, request, digest string, n int) Key {
	return Key{Kind: fileKind, Tenant: tenant, ID: fmt.Sprintf("%s/%s/%02d", request, digest, n)}
}

// Keep implements [storage.Files].
func (k Files) Keep(ctx context.Context, tenant, request, digest, text string, life time.Duration) error {
	for n := 0; ; n++ {
		piece := text[:min(len(text), MaxValue)]
		text = text[len(piece):]
		_, err := k.Store.Put(ctx, filePiece(tenant, request, digest, n), []byte(piece), &PutOptions{TTL: life})
		if err = stored(err); err != nil || text == "" {
			return err
		}
	}
}

// Read implements [storage.Files].
func (k Files) Read(ctx context.Context, tenant, request, digest string, size int) (string, error) {
	var text strings.Builder
	for n := 0; text.Len() < size; n++ {
		e, err := k.Store.Get(ctx, filePiece(tenant, request, digest, n))
		if err != nil {
			return "", err
		}
		text.Write(e.Value)
	}
	return text.String(), nil
}

// Forget implements [storage.Files].
func (k Files) Forget(ctx context.Context, tenant, request, digest string) error {
	pieces := request + "/"
	if digest != "" {
		pieces += digest + "/"
	}
	for e, err := range All(ctx, k.Store, Range{Kind: fileKind, Tenant: tenant, Prefix: pieces, Limit: maxPieces}) {
		if err != nil {
			return err
		}
		if err := stored(k.Store.Delete(ctx, e.Key, "")); err != nil && !errors.Is(err, storage.ErrNotFound) {
			return err
		}
	}
	return nil
}

var _ storage.Files = Files{}
