{{- /* A pod is never kept from being made: by failurePolicy, and by a short timeout. */ -}}
{{- define "hopwatch.webhook" -}}
{{- $root := .root -}}
- name: by-{{ .by }}.hopwatch.dev
  admissionReviewVersions: [v1]
  clientConfig:
    {{- with .bundle }}
    caBundle: {{ . }}
    {{- end }}
    service:
      name: {{ include "hopwatch.injector.name" $root }}
      namespace: {{ $root.Release.Namespace | quote }}
      path: /pods/by-{{ .by }}
      port: 443
  failurePolicy: Ignore
  matchPolicy: Equivalent
  # another one may put its own folder before ours
  reinvocationPolicy: IfNeeded
  sideEffects: None
  timeoutSeconds: {{ $root.Values.injector.timeoutSeconds }}
  rules:
    - apiGroups: [""]
      apiVersions: [v1]
      operations: [CREATE]
      resources: [pods]
      scope: Namespaced
{{- end -}}

{{- define "hopwatch.webhook.excluded" -}}
{{- with .Values.injector.excludedNamespaces -}}
- {key: kubernetes.io/metadata.name, operator: NotIn, values: {{ toJson . }}}
{{- end -}}
{{- end -}}

{{- /* The certificate that is there, so that an upgrade changes nothing, or a new one. */ -}}
{{- define "hopwatch.injector.certificate" -}}
{{- $there := lookup "v1" "Secret" .Release.Namespace (include "hopwatch.injector.secret" .) -}}
{{- if and $there (hasKey (default dict $there.data) "ca.crt") -}}
{{- toYaml $there.data -}}
{{- else -}}
{{- $host := include "hopwatch.injector.host" . -}}
{{- $days := int .Values.injector.certificates.days -}}
{{- $authority := genCA (include "hopwatch.injector.name" .) $days -}}
{{- $made := genSignedCert $host nil (list $host (printf "%s.cluster.local" $host)) $days $authority -}}
ca.crt: {{ $authority.Cert | b64enc }}
tls.crt: {{ $made.Cert | b64enc }}
tls.key: {{ $made.Key | b64enc }}
{{- end -}}
{{- end -}}
