{{- define "askbridge.labels" -}}
app.kubernetes.io/name: askbridge
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- /* The configuration, with the address of the metrics where they are wanted. */}}
{{- define "askbridge.config" -}}
{{- $config := deepCopy .Values.config }}
{{- if .Values.metrics.enabled }}
{{- $_ := set $config "metrics" (dict "listen" (printf "0.0.0.0:%d" (int .Values.metrics.port))) }}
{{- end }}
{{- toYaml $config }}
{{- end }}
