{{- define "askbridge.labels" -}}
app.kubernetes.io/name: askbridge
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- /* The port of an address of the configuration; 8080 where a variable says it. */}}
{{- define "askbridge.port" -}}
{{- regexFind "[0-9]+$" . | default "8080" -}}
{{- end }}

{{- /* Where platforms post: an address of their own, if they have one. */}}
{{- define "askbridge.callbacks" -}}
{{- with (.Values.config.callbacks | default dict).listen -}}
{{- include "askbridge.port" . -}}
{{- end }}
{{- end }}

{{- /* The configuration, with the address of the metrics where they are wanted. */}}
{{- define "askbridge.config" -}}
{{- $config := deepCopy .Values.config }}
{{- if .Values.metrics.enabled }}
{{- $_ := set $config "metrics" (dict "listen" (printf "0.0.0.0:%d" (int .Values.metrics.port))) }}
{{- end }}
{{- toYaml $config }}
{{- end }}
