{{- /* What fits the schema, and would keep every pod from being made or from starting. */ -}}
{{- define "hopwatch.require" -}}
{{- include "hopwatch.require.resources" (list "agent.resources" .Values.agent.resources) -}}
{{- include "hopwatch.require.resources" (list "application.resources" .Values.application.resources) -}}
{{- if .Values.injector.enabled -}}
{{- include "hopwatch.require.resources" (list "injector.resources" .Values.injector.resources) -}}
{{- end -}}
{{- if eq .Values.analysis.kind "CronJob" -}}
{{- include "hopwatch.require.resources" (list "analysis.resources" .Values.analysis.resources) -}}
{{- include "hopwatch.require.driver" . -}}
{{- end -}}
{{- $certificates := .Values.injector.certificates -}}
{{- if and .Values.injector.enabled (eq $certificates.source "secret") (not (contains "BEGIN CERTIFICATE" ($certificates.caBundle | b64dec))) -}}
{{- fail "injector.certificates.caBundle: it is no certificate, PEM in base64" -}}
{{- end -}}
{{- if and (eq .Values.agent.sidecar "native") (semverCompare "<1.29-0" .Capabilities.KubeVersion.Version) -}}
{{- fail (printf "agent.sidecar: an init container that goes on is of Kubernetes 1.29 and newer, and this is %s: set auto or container" .Capabilities.KubeVersion.Version) -}}
{{- end -}}
{{- end -}}

{{- define "hopwatch.require.driver" -}}
{{- $driver := include "hopwatch.amount" (.Values.analysis.driverMemory | lower | replace "k" "Ki" | replace "m" "Mi" | replace "g" "Gi") | float64 -}}
{{- with (default dict (default dict .Values.analysis.resources).limits).memory -}}
{{- if gt $driver (include "hopwatch.amount" . | float64) -}}
{{- fail (printf "analysis.driverMemory: %s is more than analysis.resources.limits.memory, which is %v" $.Values.analysis.driverMemory .) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "hopwatch.require.resources" -}}
{{- $place := index . 0 -}}
{{- $resources := default dict (index . 1) -}}
{{- $limits := default dict $resources.limits -}}
{{- range $name, $asked := default dict $resources.requests -}}
{{- $most := get $limits $name | toString -}}
{{- if and $most (gt (include "hopwatch.amount" $asked | float64) (include "hopwatch.amount" $most | float64)) -}}
{{- fail (printf "%s: requests.%s is %v, more than limits.%s, which is %s" $place $name $asked $name $most) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* A quantity as a number. */ -}}
{{- define "hopwatch.amount" -}}
{{- $units := dict "m" 0.001 "k" 1e3 "Ki" 1024.0 "M" 1e6 "Mi" 1048576.0 "G" 1e9 "Gi" 1073741824.0 "T" 1e12 "Ti" 1099511627776.0 -}}
{{- $text := toString . -}}
{{- $unit := regexFind "[A-Za-z]+$" $text -}}
{{- printf "%f" (mulf (float64 (trimSuffix $unit $text)) (get $units $unit | default 1.0)) -}}
{{- end -}}
