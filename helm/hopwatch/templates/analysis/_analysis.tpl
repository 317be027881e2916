{{- define "hopwatch.analysis.require" -}}
{{- include "hopwatch.require" . -}}
{{- if and (ne .Values.analysis.kind "none") (not .Values.landing.uri) (not .Values.landing.claim) -}}
{{- fail "analysis.kind: there is nothing to analyse where nothing is landed: set landing.uri or landing.claim" -}}
{{- end -}}
{{- $makesPods := not (has .Values.analysis.kind (list "none" "CronJob")) -}}
{{- if and $makesPods .Values.injector.enabled (eq (include "hopwatch.analysis.namespace" .) .Release.Namespace) -}}
{{- fail "analysis.namespace: a Spark driver may change whatever is in its namespace, what the injector adds to pods among it: set another one" -}}
{{- end -}}
{{- end -}}

{{- define "hopwatch.analysis.reports" -}}
{{- /* what a claim that is there asks for cannot be changed */ -}}
{{- $made := ternary "reports" "shared-reports" (eq .Values.analysis.kind "CronJob") -}}
{{- default (printf "%s-%s" (include "hopwatch.analysis.name" .) $made) .Values.analysis.reports.claim -}}
{{- end -}}

{{- define "hopwatch.analysis.arguments" -}}
- {{ include "hopwatch.landing" . | quote }}
- --from={{ .Values.analysis.last }}
- --out=/reports/latest
- --may-be-empty
{{- end -}}

{{- define "hopwatch.analysis.volumes" -}}
- name: reports
  persistentVolumeClaim:
    claimName: {{ include "hopwatch.analysis.reports" . | quote }}
- name: scratch
  emptyDir:
    sizeLimit: {{ .Values.analysis.scratchSize }}
{{- with .Values.landing.claim }}
- name: landed
  persistentVolumeClaim:
    claimName: {{ . | quote }}
    readOnly: true
{{- end }}
{{- end -}}

{{- define "hopwatch.analysis.volumeMounts" -}}
- name: reports
  mountPath: /reports
- name: scratch
  mountPath: /scratch
{{- if .Values.landing.claim }}
- name: landed
  mountPath: /landed
  readOnly: true
{{- end }}
{{- end -}}

{{- define "hopwatch.analysis.env" -}}
- name: HOME
  value: /scratch
- name: SPARK_LOCAL_DIRS
  value: /scratch
- name: TMPDIR
  value: /scratch
{{- with .Values.analysis.env }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- /* The user's settings; to Java's options the folder is added that can be written to. */ -}}
{{- define "hopwatch.analysis.sparkConf" -}}
{{- $conf := deepCopy (default dict .Values.analysis.sparkConf) -}}
{{- range $part := list "driver" "executor" -}}
{{- $setting := printf "spark.%s.extraJavaOptions" $part -}}
{{- $_ := set $conf $setting (printf "-Djava.io.tmpdir=/scratch %s" (get $conf $setting) | trim) -}}
{{- end -}}
{{- range $setting, $value := $conf }}
{{ $setting | quote }}: {{ $value | toString | quote }}
{{- end }}
{{- end -}}

{{- define "hopwatch.analysis.podSecurity" -}}
{{- with .Values.analysis.user -}}
fsGroup: {{ . }}
fsGroupChangePolicy: OnRootMismatch
{{ end -}}
runAsNonRoot: true
seccompProfile: {type: RuntimeDefault}
{{- end -}}

{{- /* Where it runs: a driver that makes executors may change all that is there. */ -}}
{{- define "hopwatch.analysis.namespace" -}}
{{- default .Release.Namespace .Values.analysis.namespace -}}
{{- end -}}

{{- /* What the Spark operator is told, of one run or of each. */ -}}
{{- define "hopwatch.analysis.application" -}}
{{- $analysis := .Values.analysis -}}
type: Python
pythonVersion: "3"
mode: cluster
sparkVersion: 4.3.0
image: {{ include "hopwatch.image" (list . "analysis") }}
imagePullPolicy: {{ .Values.images.pullPolicy }}
{{- with .Values.images.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
mainApplicationFile: local:///opt/hopwatch/hopwatch_analyze.py
arguments:
  {{- include "hopwatch.analysis.arguments" . | nindent 2 }}
restartPolicy:
  type: OnFailure
  onFailureRetries: 1
  onFailureRetryInterval: 60
  onSubmissionFailureRetries: 2
  onSubmissionFailureRetryInterval: 30
sparkConf:
  {{- include "hopwatch.analysis.sparkConf" . | nindent 2 }}
volumes:
  {{- include "hopwatch.analysis.volumes" . | nindent 2 }}
driver:
  cores: 1
  memory: {{ $analysis.driverMemory }}
  serviceAccount: {{ include "hopwatch.analysis.name" . }}
  {{- include "hopwatch.analysis.part" . | nindent 2 }}
executor:
  instances: {{ $analysis.executors }}
  cores: 1
  memory: {{ $analysis.executorMemory }}
  serviceAccount: {{ include "hopwatch.analysis.name" . }}-executor
  {{- include "hopwatch.analysis.part" . | nindent 2 }}
{{- end -}}

{{- define "hopwatch.analysis.part" -}}
labels:
  {{- toYaml (merge (include "hopwatch.selector" (list . "analysis") | fromYaml) (deepCopy (default dict .Values.analysis.labels))) | nindent 2 }}
annotations:
  hopwatch.dev/inject: "false"
env:
  {{- include "hopwatch.analysis.env" . | nindent 2 }}
{{- with .Values.landing.secret }}
envFrom:
  - secretRef: {name: {{ . | quote }}}
{{- end }}
podSecurityContext:
  {{- include "hopwatch.analysis.podSecurity" . | nindent 2 }}
securityContext:
  {{- include "hopwatch.securityContext" .Values.analysis.user | nindent 2 }}
volumeMounts:
  {{- include "hopwatch.analysis.volumeMounts" . | nindent 2 }}
{{- with .Values.analysis.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{ include "hopwatch.nodes" (list . .Values.analysis.nodeSelector nil) }}
{{- end -}}
