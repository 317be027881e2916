{{- /* What the injector adds: the same that charts include. */ -}}
{{- define "hopwatch.fragment" -}}
labels:
  {{- include "hopwatch.pod.labels" . | nindent 2 }}
annotations:
  {{- include "hopwatch.pod.annotations" . | nindent 2 }}
{{- with .Values.images.architectures }}
architectures: {{ toJson . }}
{{- end }}
application:
  pythonpath: {{ include "hopwatch.application.pythonpath" . }}
  env:
    {{- include "hopwatch.application.variables" . | nindent 4 }}
  volumeMounts:
    {{- include "hopwatch.application.volumeMounts" . | nindent 4 }}
volumes:
  {{- include "hopwatch.pod.volumes" . | nindent 2 }}
initContainers:
  {{- include "hopwatch.pod.initContainers" . | nindent 2 }}
{{- with .Values.images.pullSecrets }}
imagePullSecrets:
  {{- include "hopwatch.pullSecrets" . | trim | nindent 2 }}
{{- end }}
{{- with include "hopwatch.pod.containers" . }}
containers:
  {{- . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "hopwatch.injector.secret" -}}
{{- $source := .Values.injector.certificates.source -}}
{{- if eq $source "secret" -}}
{{- .Values.injector.certificates.secret -}}
{{- else -}}
{{- /* what one of the two leaves behind, the other could not take over */ -}}
{{- include "hopwatch.injector.name" . }}-{{ ternary "tls" "issued" (eq $source "helm") }}
{{- end -}}
{{- end -}}

{{- define "hopwatch.injector.host" -}}
{{- include "hopwatch.injector.name" . }}.{{ .Release.Namespace }}.svc
{{- end -}}
