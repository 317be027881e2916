{{- define "hopwatch.agent.isNative" -}}
{{- $native := semverCompare ">=1.29-0" .Capabilities.KubeVersion.Version -}}
{{- if or (eq .Values.agent.sidecar "native") (and (eq .Values.agent.sidecar "auto") $native) }}true{{ end -}}
{{- end -}}

{{- /* Where Kubernetes says what it knows of the pod; the host's name in events and reports follows from it. */ -}}
{{- define "hopwatch.downward" -}}
- name: K8S_NAMESPACE_NAME
  valueFrom: {fieldRef: {fieldPath: metadata.namespace}}
- name: K8S_POD_NAME
  valueFrom: {fieldRef: {fieldPath: metadata.name}}
- name: K8S_POD_UID
  valueFrom: {fieldRef: {fieldPath: metadata.uid}}
- name: K8S_NODE_NAME
  valueFrom: {fieldRef: {fieldPath: spec.nodeName}}
# a pod may say of which workload it is; the injector does
- name: K8S_OWNER
  valueFrom: {fieldRef: {fieldPath: "metadata.annotations['hopwatch.dev/owner']"}}
# by names that no pod has of its own: one that does would stand behind this
- name: HOPWATCH_POD_NAMESPACE
  valueFrom: {fieldRef: {fieldPath: metadata.namespace}}
- name: HOPWATCH_POD_NAME
  valueFrom: {fieldRef: {fieldPath: metadata.name}}
- name: HOPWATCH_HOST
  value: $(HOPWATCH_POD_NAMESPACE)/$(HOPWATCH_POD_NAME)
- name: HOPWATCH_DIR
  value: /run/hopwatch
{{- end -}}

{{- define "hopwatch.landing" -}}
{{- if .Values.landing.uri }}{{ .Values.landing.uri }}
{{- else if .Values.landing.claim }}/landed
{{- else }}nowhere://
{{- end }}
{{- end -}}

{{- define "hopwatch.landing.told" -}}
{{- if .Values.landing.uri }}in {{ .Values.landing.uri }}
{{- else }}on the claim {{ .Values.landing.claim }} of each pod's namespace
{{- end }}
{{- end -}}

{{- define "hopwatch.agent.container" -}}
{{- include "hopwatch.require" . -}}
{{- $agent := .Values.agent -}}
name: hopwatch-agent
image: {{ include "hopwatch.image" (list . "agent") }}
imagePullPolicy: {{ .Values.images.pullPolicy }}
args: [agent]
{{- if include "hopwatch.agent.isNative" . }}
restartPolicy: Always
{{- end }}
env:
  {{- include "hopwatch.downward" . | nindent 2 }}
  {{- include "hopwatch.agent.settings" . | nindent 2 }}
  {{- with $agent.env }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with .Values.landing.secret }}
# without it the agent starts all the same, keeps what it reads, and says what is wrong
envFrom:
  - secretRef: {name: {{ . | quote }}, optional: true}
{{- end }}
ports:
  - name: hopwatch
    containerPort: {{ $agent.port }}
{{- include "hopwatch.agent.probes" . }}
resources:
  {{- toYaml $agent.resources | nindent 2 }}
securityContext:
  {{- include "hopwatch.securityContext" $agent.user | nindent 2 }}
volumeMounts:
  - name: hopwatch-journal
    mountPath: /run/hopwatch
  - name: hopwatch-data
    mountPath: /var/lib/hopwatch
  {{- include "hopwatch.noToken" . | nindent 2 }}
  {{- if .Values.landing.claim }}
  - name: hopwatch-landed
    mountPath: /landed
  {{- end }}
  {{- if $agent.tokenSecret }}
  - name: hopwatch-token
    mountPath: /etc/hopwatch/token
    readOnly: true
  {{- end }}
  {{- if $agent.tlsSecret }}
  - name: hopwatch-tls
    mountPath: /etc/hopwatch/tls
    readOnly: true
  {{- end }}
{{- end -}}

{{- define "hopwatch.agent.settings" -}}
{{- $agent := .Values.agent -}}
# a folder of its own: anybody in the pod may write to the volume
- name: HOPWATCH_AGENT_DATA
  value: /var/lib/hopwatch/data
{{- with $agent.dataSize }}
# of the volume's size, the rest is for the database's log, and for what it knows of what has landed
- name: HOPWATCH_AGENT_KEEP_BYTES
  value: {{ max 1000000 (div (include "hopwatch.amount" . | float64 | floor | int64) 4) | quote }}
{{- end }}
- name: HOPWATCH_AGENT_LAND
  value: {{ include "hopwatch.landing" . | quote }}
- name: HOPWATCH_AGENT_LAND_SECONDS
  value: {{ $agent.landSeconds | quote }}
{{- with $agent.report }}
- name: HOPWATCH_AGENT_REPORT
  value: {{ . | quote }}
{{- end }}
- name: HOPWATCH_AGENT_LISTEN
  value: "{{ $agent.address }}:{{ $agent.port }}"
{{- if eq $agent.openToOthers "everything" }}
- name: HOPWATCH_AGENT_INSECURE
  value: "true"
{{- else }}
- name: HOPWATCH_AGENT_OPEN_TO_OTHERS
  value: {{ $agent.openToOthers }}
{{- end }}
- name: HOPWATCH_AGENT_LOG_FORMAT
  value: json
- name: HOPWATCH_AGENT_LOG_LEVEL
  value: {{ $agent.logLevel }}
- name: HOPWATCH_AGENT_STOP_SECONDS
  value: {{ $agent.stopSeconds | quote }}
{{- if not (include "hopwatch.agent.isNative" .) }}
# all containers of a pod are told to end at the same moment
- name: HOPWATCH_AGENT_OUTLIVE
  value: "true"
{{- end }}
# what is wrong with a secret keeps no application from starting
- name: HOPWATCH_AGENT_START_CLOSED
  value: "true"
{{- if $agent.tokenSecret }}
- name: HOPWATCH_AGENT_TOKEN_FILE
  value: /etc/hopwatch/token/token
{{- end }}
{{- if $agent.tlsSecret }}
- name: HOPWATCH_AGENT_TLS_CERT
  value: /etc/hopwatch/tls/tls.crt
- name: HOPWATCH_AGENT_TLS_KEY
  value: /etc/hopwatch/tls/tls.key
{{- end }}
- name: K8S_CONTAINER_NAME
  value: hopwatch-agent
{{- with $agent.otlpEndpoint }}
- name: OTEL_EXPORTER_OTLP_ENDPOINT
  value: {{ . | quote }}
{{- end }}
- name: TMPDIR
  value: /var/lib/hopwatch
{{- end -}}

{{- define "hopwatch.agent.probes" }}
{{- $scheme := ternary "HTTP" "HTTPS" (empty .Values.agent.tlsSecret) }}
# the application's containers wait for it: that the agent runs is all that they need
startupProbe:
  tcpSocket: {port: hopwatch}
  periodSeconds: 1
  timeoutSeconds: 2
  failureThreshold: 60
{{- if .Values.agent.readinessProbe }}
readinessProbe:
  httpGet: {path: /readyz, port: hopwatch, scheme: {{ $scheme }}}
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
{{- end }}
livenessProbe:
  {{- if .Values.agent.tlsSecret }}
  # beginning anew mends no certificate
  tcpSocket: {port: hopwatch}
  {{- else }}
  httpGet: {path: /healthz, port: hopwatch}
  {{- end }}
  periodSeconds: 20
  timeoutSeconds: 5
  failureThreshold: 6
{{- end -}}
