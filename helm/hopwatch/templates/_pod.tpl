{{- /*
What a chart includes to have the agent in its pods, and what the injector adds to others. Each takes this chart's own context, of which
a chart that depends on it says ".Subcharts.hopwatch".
*/ -}}

{{- /* metadata.labels: by which the PodMonitor knows pods with an agent */ -}}
{{- define "hopwatch.pod.labels" -}}
hopwatch.dev/agent: "true"
{{- end -}}

{{- /* metadata.annotations: what an agent lands at its end need not keep a node, and nothing else is in these volumes */ -}}
{{- define "hopwatch.pod.annotations" -}}
cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes: hopwatch-journal,hopwatch-data,hopwatch-instrumentation,hopwatch-no-token
{{- end -}}

{{- /* spec.initContainers, before the pod's own */ -}}
{{- define "hopwatch.pod.initContainers" -}}
- name: hopwatch-instrumentation
  image: {{ include "hopwatch.image" (list . "instrumentation") }}
  imagePullPolicy: {{ .Values.images.pullPolicy }}
  resources:
    {{- toYaml .Values.application.resources | nindent 4 }}
  securityContext:
    {{- include "hopwatch.securityContext" .Values.agent.user | nindent 4 }}
  volumeMounts:
    - name: hopwatch-instrumentation
      mountPath: /opt/hopwatch
    {{- include "hopwatch.noToken" . | nindent 4 }}
{{- if include "hopwatch.agent.isNative" . }}
- {{ include "hopwatch.agent.container" . | nindent 2 | trim }}
{{- end }}
{{- end -}}

{{- /* spec.containers, beside the pod's own: nothing where the agent is an init container */ -}}
{{- define "hopwatch.pod.containers" -}}
{{- if not (include "hopwatch.agent.isNative" .) -}}
- {{ include "hopwatch.agent.container" . | nindent 2 | trim }}
{{- end -}}
{{- end -}}

{{- /* The pod's account is the application's: in its place nothing is there, for Kubernetes mounts nothing over it. */ -}}
{{- define "hopwatch.noToken" -}}
- name: hopwatch-no-token
  mountPath: /var/run/secrets/kubernetes.io/serviceaccount
  readOnly: true
{{- end -}}

{{- /* spec.volumes */ -}}
{{- define "hopwatch.pod.volumes" -}}
- name: hopwatch-journal
  emptyDir:
    medium: Memory
    sizeLimit: {{ .Values.agent.journalSize }}
- name: hopwatch-data
  {{- with .Values.agent.dataSize }}
  emptyDir:
    sizeLimit: {{ . }}
  {{- else }}
  emptyDir: {}
  {{- end }}
- name: hopwatch-instrumentation
  emptyDir:
    sizeLimit: 16Mi
- name: hopwatch-no-token
  emptyDir:
    sizeLimit: 1Mi
{{- with .Values.landing.claim }}
- name: hopwatch-landed
  persistentVolumeClaim:
    claimName: {{ . | quote }}
{{- end }}
{{- with .Values.agent.tokenSecret }}
- name: hopwatch-token
  secret:
    secretName: {{ . | quote }}
    optional: true
{{- end }}
{{- with .Values.agent.tlsSecret }}
- name: hopwatch-tls
  secret:
    secretName: {{ . | quote }}
    optional: true
{{- end }}
{{- end -}}

{{- /* env of each instrumented container, PYTHONPATH aside */ -}}
{{- define "hopwatch.application.variables" -}}
{{- include "hopwatch.downward" . }}
- name: HOPWATCH_FILE_MODE
  value: "0644"
{{- with .Values.application.sequence }}
- name: HOPWATCH_SEQUENCE
  value: {{ . | quote }}
{{- end }}
{{- with .Values.application.topic }}
- name: HOPWATCH_TOPIC
  value: {{ . | quote }}
{{- end }}
{{- with .Values.application.env }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "hopwatch.application.pythonpath" -}}
/opt/hopwatch/hopwatch/startup
{{- end -}}

{{- /* env of each instrumented container; one that has a PYTHONPATH of its own puts it behind ours instead */ -}}
{{- define "hopwatch.application.env" -}}
{{ include "hopwatch.application.variables" . }}
- name: PYTHONPATH
  value: {{ include "hopwatch.application.pythonpath" . }}
{{- end -}}

{{- /* volumeMounts of each instrumented container */ -}}
{{- define "hopwatch.application.volumeMounts" -}}
- name: hopwatch-journal
  mountPath: /run/hopwatch
- name: hopwatch-instrumentation
  mountPath: /opt/hopwatch
  readOnly: true
{{- end -}}
