{{- /* An authority that outlives the certificates it signs: what the API server trusts does not change with each of them. */ -}}
{{- define "hopwatch.injector.authority" -}}
{{- $name := include "hopwatch.injector.name" . }}
apiVersion: cert-manager.io/v1
kind: Issuer
metadata:
  name: {{ $name }}-itself
  namespace: {{ .Release.Namespace | quote }}
  labels:
    {{- include "hopwatch.labels" (list . "injector") | nindent 4 }}
spec:
  selfSigned: {}
---
apiVersion: cert-manager.io/v1
kind: Certificate
metadata:
  name: {{ $name }}-authority
  namespace: {{ .Release.Namespace | quote }}
  labels:
    {{- include "hopwatch.labels" (list . "injector") | nindent 4 }}
spec:
  isCA: true
  commonName: {{ $name }}
  secretName: {{ $name }}-authority
  duration: 87600h
  privateKey:
    algorithm: ECDSA
    rotationPolicy: Never
  issuerRef:
    group: cert-manager.io
    kind: Issuer
    name: {{ $name }}-itself
---
apiVersion: cert-manager.io/v1
kind: Issuer
metadata:
  name: {{ $name }}
  namespace: {{ .Release.Namespace | quote }}
  labels:
    {{- include "hopwatch.labels" (list . "injector") | nindent 4 }}
spec:
  ca:
    secretName: {{ $name }}-authority
{{- end -}}
