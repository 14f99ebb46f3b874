{{- define "askbridge.labels" -}}
app.kubernetes.io/name: askbridge
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}
