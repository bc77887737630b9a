{{- define "tollgate.labels" -}}
app.kubernetes.io/name: tollgate
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "tollgate.selector" -}}
app.kubernetes.io/name: tollgate
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "tollgate.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- /* Settings, and where the secrets lie. The image names SQLite, which several pods cannot share. */}}
{{- define "tollgate.env" -}}
- { name: NODE_ENV, value: production }
- { name: HOST, value: 0.0.0.0 }
- { name: PORT, value: "8080" }
- { name: METRICS_PORT, value: "9464" }
- { name: SPOOL_DIR, value: /data/spool }
{{- if has "DATABASE_URL" .Values.secrets.keys }}
- { name: DATABASE_URL, value: "" }
{{- end }}
{{- range $name, $value := .Values.settings }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- range .Values.secrets.keys }}
- { name: {{ . }}_FILE, value: /run/secrets/tollgate/{{ . }} }
{{- end }}
{{- end }}

{{- define "tollgate.security" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
runAsUser: 1000
capabilities: { drop: [ALL] }
seccompProfile: { type: RuntimeDefault }
{{- end }}
