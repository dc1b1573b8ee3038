// @ts-check
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { kubernetesFault } from '../kubernetes.mjs';
import { goProgram } from '../packages.mjs';

/** Two pods behind a load balancer, and a pod that asks for them by the name of their service. */
const FILES = {
  'Chart.yaml': 'apiVersion: v2\nname: web\nversion: 0.1.0\n',
  'values.yaml': 'replicas: 2\n',
  'templates/deployment.yaml': `apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
spec:
  replicas: {{ .Values.replicas }}
  selector:
    matchLabels:
      app: {{ .Release.Name }}
  template:
    metadata:
      labels:
        app: {{ .Release.Name }}
    spec:
      containers:
        - name: web
          image: virga.local/web:1
          readinessProbe:
            httpGet:
              port: 8080
`,
  'templates/service.yaml': `apiVersion: v1
kind: Service
metadata:
  name: {{ .Release.Name }}
spec:
  type: LoadBalancer
  selector:
    app: {{ .Release.Name }}
  ports:
    - port: 80
      targetPort: 8080
`,
  'templates/test.yaml': `apiVersion: v1
kind: Pod
metadata:
  name: {{ .Release.Name }}-test
  annotations:
    helm.sh/hook: test
    helm.sh/hook-delete-policy: hook-succeeded
spec:
  restartPolicy: Never
  containers:
    - name: ask
      image: virga.local/shell:1
      command: [sh, -c, 'wget -q -O - http://{{ .Release.Name }} | grep {{ .Release.Name }}-']
`,
};

/** @type {import('../tool.d.ts').Tool} */
export const helm = {
  name: 'helm',
  version: '4.3.1',
  does: 'a cluster of a local region: a chart with a load balancer is installed, tested, upgraded, rolled back and removed',
  needs: ['go'],
  async run(context) {
    const { work, run, server } = context;
    const fault = await kubernetesFault();
    if (fault !== undefined) return `not run: ${fault}`;
    const program = await goProgram(context, 'helm.sh/helm/v4/cmd/helm@v4.3.1');
    const kubeconfig = path.join(work, 'kubeconfig');
    writeFileSync(kubeconfig, await server.kubeconfig('helm'), { mode: 0o600 });
    mkdirSync(path.join(work, 'web', 'templates'), { recursive: true });
    for (const [name, text] of Object.entries(FILES)) writeFileSync(path.join(work, 'web', name), text);
    const env = { PATH: process.env.PATH, HOME: work, KUBECONFIG: kubeconfig };
    const helm = (/** @type {string[]} */ ...words) => run(program, words, { env });
    const waits = ['--wait', '--timeout=120s'];
    await helm('install', 'shop', 'web', ...waits);
    await helm('test', 'shop', '--timeout=60s');
    await helm('upgrade', 'shop', 'web', '--set=replicas=3', ...waits);
    await helm('rollback', 'shop', '1', ...waits);
    const { length } = JSON.parse(await helm('history', 'shop', '-o', 'json'));
    if (length !== 3) throw new Error(`the release has ${length} revisions in place of 3`);
    await helm('uninstall', 'shop', ...waits);
    if (JSON.parse(await helm('list', '-o', 'json')).length > 0)
      throw new Error('the release is still there');
    return undefined;
  },
};
