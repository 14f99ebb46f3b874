package page

import (
	"mime"
	"net/http"
	"slices"

	"github.com/askbridge/askbridge/chatsim"
)

// file serves a file's content as a download, never inline, because the uploader is not
// trusted. The query contains platform and id.
func (h *handler) file(w http.ResponseWriter, r *http.Request) {
	c := h.chat(r.URL.Query().Get("platform"))
	if c == nil {
		http.Error(w, "No such platform.", http.StatusNotFound)
		return
	}
	all := c.Files()
	i := slices.IndexFunc(all, func(f chatsim.File) bool { return f.ID == r.URL.Query().Get("id") })
	if i < 0 {
		http.Error(w, "No such file.", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": all[i].Name}))
	_, _ = w.Write(all[i].Content) // The browser may have disconnected.
}
