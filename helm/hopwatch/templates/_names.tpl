{{- define "hopwatch.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- /* A CronJob's name has 52 characters at most, with what is put behind this one; a Service's has no dots. */ -}}
{{- define "hopwatch.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- $whole := printf "%s-%s" .Release.Name $name -}}
{{- if .Values.fullnameOverride -}}
{{- $whole = .Values.fullnameOverride -}}
{{- else if contains $name .Release.Name -}}
{{- $whole = .Release.Name -}}
{{- end -}}
{{- if not (regexMatch "^[a-z]" $whole) -}}
{{- fail (printf "fullnameOverride: the name of a Service begins with a letter, and %s does not: set another one" $whole) -}}
{{- end -}}
{{- $whole | replace "." "-" | trunc 43 | trimSuffix "-" -}}
{{- end -}}

{{- define "hopwatch.injector.name" -}}
{{- include "hopwatch.fullname" . }}-injector
{{- end -}}

{{- define "hopwatch.analysis.name" -}}
{{- include "hopwatch.fullname" . }}-analysis
{{- end -}}

{{- /* Of a part of the chart: (list . "injector") */ -}}
{{- define "hopwatch.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ include "hopwatch.name" $root | quote }}
app.kubernetes.io/instance: {{ $root.Release.Name | quote }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{- define "hopwatch.labels" -}}
{{- $root := index . 0 -}}
{{ include "hopwatch.selector" . }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{- /* With those that somebody asks for, which come before ours: (list . "agent" .labels) */ -}}
{{- define "hopwatch.labelsWith" -}}
{{- $ours := include "hopwatch.labels" . | fromYaml -}}
{{- toYaml (merge (deepCopy (default dict (index . 2))) $ours) -}}
{{- end -}}

{{- /* (list . "agent") */ -}}
{{- define "hopwatch.image" -}}
{{- $images := (index . 0).Values.images -}}
{{- $name := index $images (index . 1) -}}
{{- with $images.registry }}{{ . | trimSuffix "/" }}/{{ end -}}
{{- $name -}}
{{- if not (contains "@" $name) }}:{{ default (index . 0).Chart.AppVersion $images.tag }}{{ end -}}
{{- end -}}

{{- /* nodeSelector and affinity of what the chart runs itself: to nodes that the images are for, and as asked: (list . .nodeSelector .affinity) */ -}}
{{- define "hopwatch.nodes" -}}
nodeSelector:
  {{- toYaml (merge (deepCopy (default dict (index . 1))) (dict "kubernetes.io/os" "linux")) | nindent 2 }}
{{- $asked := deepCopy (default dict (index . 2)) -}}
{{- with (index . 0).Values.images.architectures -}}
{{- $expression := dict "key" "kubernetes.io/arch" "operator" "In" "values" . -}}
{{- $terms := dict "nodeSelectorTerms" (list (dict "matchExpressions" (list $expression))) -}}
{{- $asked = merge $asked (dict "nodeAffinity" (dict "requiredDuringSchedulingIgnoredDuringExecution" $terms)) -}}
{{- range $asked.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms -}}
{{- if not (has $expression (default list .matchExpressions)) -}}
{{- $_ := set . "matchExpressions" (append (default list .matchExpressions) $expression) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- with $asked }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "hopwatch.pullSecrets" -}}
{{- range . }}
- name: {{ . | quote }}
{{- end }}
{{- end -}}

{{- /* What "restricted" of the Pod Security Standards asks of each container, and a root that nobody writes to. Takes the user, or nothing where the platform chooses one. */ -}}
{{- define "hopwatch.securityContext" -}}
allowPrivilegeEscalation: false
capabilities:
  drop: [ALL]
privileged: false
readOnlyRootFilesystem: true
runAsNonRoot: true
{{- with . }}
runAsGroup: {{ . }}
runAsUser: {{ . }}
{{- end }}
seccompProfile:
  type: RuntimeDefault
{{- end -}}
