/** Objects of Kubernetes that tests apply. */

/** Two pods that answer with their names. One that ends answers what it has begun before, and is asked no more. */
export const WEB = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    strategy: { rollingUpdate: { maxUnavailable: 0 } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        terminationGracePeriodSeconds: 5,
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: 'kubernetes.io/hostname',
            whenUnsatisfiable: 'ScheduleAnyway',
            labelSelector: { matchLabels: { app: 'web' } },
          },
        ],
        containers: [
          {
            name: 'web',
            image: 'virga.local/web:1',
            lifecycle: { preStop: { sleep: { seconds: 3 } } },
            readinessProbe: { httpGet: { port: 8080 }, periodSeconds: 1 },
          },
        ],
      },
    },
  },
};
export const BUDGET = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'web' },
  spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
};
export const SERVICE = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web' },
  spec: { type: 'LoadBalancer', selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] },
};

/** One pod that counts its starts in a file, without an account that has rights. */
export const COUNTER = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'counter' },
  spec: {
    serviceName: 'counter',
    selector: { matchLabels: { app: 'counter' } },
    template: {
      metadata: { labels: { app: 'counter' } },
      spec: {
        securityContext: { runAsUser: 1234 },
        terminationGracePeriodSeconds: 0,
        containers: [
          {
            name: 'counter',
            image: 'virga.local/shell:1',
            command: ['sh', '-c', 'echo started >> /data/starts && sleep 1000000'],
            volumeMounts: [{ name: 'data', mountPath: '/data' }],
          },
        ],
      },
    },
    volumeClaimTemplates: [
      {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
    ],
  },
};

/** Root of its node, as far as a pod can be. */
export const INTRUDER = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'intruder' },
  spec: {
    hostPID: true,
    hostNetwork: true,
    terminationGracePeriodSeconds: 0,
    containers: [
      {
        name: 'shell',
        image: 'virga.local/shell:1',
        securityContext: { privileged: true },
        volumeMounts: [{ name: 'root', mountPath: '/node' }],
      },
    ],
    volumes: [{ name: 'root', hostPath: { path: '/' } }],
  },
};
