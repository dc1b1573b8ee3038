{{- define "virga.name" -}}
{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "virga.labels" -}}
app.kubernetes.io/name: virga
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "virga.selector" -}}
app.kubernetes.io/name: virga
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .role }}
{{- end }}

{{- /* A setting of the server that is in a file, so that the environment holds nothing secret. */ -}}
{{- define "virga.secretSettings" -}}
- { name: DATABASE_URL_FILE, value: /etc/virga/secrets/databaseUrl }
- { name: VIRGA_MASTER_KEY_FILE, value: /etc/virga/secrets/masterKey }
{{- if .Values.existingSecrets.apiKey.name }}
- { name: VIRGA_API_KEY_FILE, value: /etc/virga/secrets/apiKey }
{{- end }}
{{- if .Values.existingSecrets.smtpUrl.name }}
- { name: SMTP_URL_FILE, value: /etc/virga/secrets/smtpUrl }
{{- end }}
{{- end }}

{{- define "virga.deployment" -}}
{{- $isWorker := eq .role "worker" -}}
{{- $own := index .root.Values .role -}}
{{- $port := ternary 8081 8080 $isWorker -}}
{{- with .root -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "virga.name" . }}-{{ $.role }}
  labels:
    {{- include "virga.labels" . | nindent 4 }}
    app.kubernetes.io/component: {{ $.role }}
spec:
  replicas: {{ $own.replicas }}
  selector:
    matchLabels:
      {{- include "virga.selector" $ | nindent 6 }}
  strategy:
    rollingUpdate: { maxUnavailable: 0, maxSurge: 1 }
  template:
    metadata:
      labels:
        {{- include "virga.labels" . | nindent 8 }}
        app.kubernetes.io/component: {{ $.role }}
      annotations:
        checksum/regions: {{ toJson .Values.regions | sha256sum }}
        {{- with .Values.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      serviceAccountName: {{ include "virga.name" . }}
      automountServiceAccountToken: false
      # Their variables begin with the name of the release, and would be taken for settings.
      enableServiceLinks: false
      # Finished requests, steps of tasks and traces take 30 s at most.
      terminationGracePeriodSeconds: {{ add 45 .Values.drainSeconds }}
      {{- with .Values.imagePullSecrets }}
      imagePullSecrets:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      securityContext:
        runAsNonRoot: true
        runAsUser: 10001
        runAsGroup: 10001
        fsGroup: 10001
        seccompProfile: { type: RuntimeDefault }
      containers:
        - name: virga
          image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
          imagePullPolicy: {{ .Values.image.pullPolicy }}
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities: { drop: [ALL] }
          ports:
            - { name: http, containerPort: {{ $port }} }
          env:
            - { name: VIRGA_ROLE, value: {{ $.role }} }
            - name: VIRGA_NODE
              valueFrom: { fieldRef: { fieldPath: metadata.name } }
            - { name: VIRGA_REGIONS, value: /etc/virga/regions.json }
            - { name: VIRGA_DRAIN_SECONDS, value: {{ .Values.drainSeconds | quote }} }
            {{- include "virga.secretSettings" . | nindent 12 }}
            {{- range $name, $value := .Values.settings }}
            - { name: {{ $name }}, value: {{ $value | quote }} }
            {{- end }}
          startupProbe:
            httpGet: { path: /readyz, port: http }
            periodSeconds: 2
            failureThreshold: 90
          readinessProbe:
            httpGet: { path: /readyz, port: http }
            periodSeconds: 2
            timeoutSeconds: 2
            failureThreshold: 2
          livenessProbe:
            httpGet: { path: /healthz, port: http }
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 6
          resources:
            {{- toYaml $own.resources | nindent 12 }}
          volumeMounts:
            - { name: data, mountPath: /data }
            - { name: temporary, mountPath: /tmp }
            - { name: secrets, mountPath: /etc/virga/secrets, readOnly: true }
            - { name: regions, mountPath: /etc/virga/regions.json, subPath: regions.json, readOnly: true }
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "virga.selector" $ | nindent 14 }}
      {{- with .Values.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .Values.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      volumes:
        - { name: data, emptyDir: {} }
        - { name: temporary, emptyDir: {} }
        - name: regions
          configMap: { name: {{ include "virga.name" . }}-regions }
        - name: secrets
          projected:
            defaultMode: 0440
            sources:
              {{- range $name, $secret := .Values.existingSecrets }}
              {{- if $secret.name }}
              - secret:
                  name: {{ $secret.name }}
                  items: [{ key: {{ $secret.key }}, path: {{ $name }} }]
              {{- end }}
              {{- end }}
{{- end }}
{{- end }}
