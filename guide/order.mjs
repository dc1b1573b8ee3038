// @ts-check
// The documents in the order in which a reader needs them. Each is in one part.

/**
 * @typedef {object} Part
 * @property {string} title
 * @property {string} about what its reader wants
 * @property {readonly string[]} files below the root of the repository
 */

/** @type {readonly Part[]} */
export const PARTS = [
  {
    title: 'First hour',
    about: 'A cloud on your machine, and a first load balancer.',
    files: ['README.md', 'docs/command.md', 'docs/portal.md', 'docs/recipes/README.md'],
  },
  {
    title: 'Automate',
    about: 'Programs, pipelines and agents that use it.',
    files: ['client/README.md', 'docs/ci.md', 'docs/webhooks.md', 'docs/storage-notifications.md'],
  },
  {
    title: 'Operate',
    about: 'Machines, people, backups and upgrades.',
    files: [
      'docs/operations.md',
      'docs/scaling.md',
      'docs/packages.md',
      'docs/runbook.md',
      'docs/tenants.md',
      'docs/openstack.md',
      'docs/security.md',
      'docs/reliability.md',
      'docs/performance.md',
    ],
  },
  {
    title: 'Concepts',
    about: 'What resources are, and what they do.',
    files: [
      'docs/data-plane.md',
      'docs/certificates.md',
      'docs/compute.md',
      'docs/kubernetes.md',
      'docs/managed-postgresql.md',
      'docs/object-storage.md',
      'docs/sftp-storage.md',
      'docs/response-pages.md',
      'docs/video-delivery.md',
      'docs/architecture.md',
    ],
  },
  {
    title: 'Reference',
    about: 'Tables, words, and how it is built.',
    files: [
      'docs/compatibility.md',
      'docs/states.md',
      'docs/fault-kinds.md',
      'docs/security-asvs.md',
      'docs/glossary.md',
      'docs/tables.md',
      'CONTRIBUTING.md',
      'docs/adding-a-resource.md',
      'docs/adding-an-engine.md',
      'docs/releasing.md',
    ],
  },
];

/**
 * Where a document is in the guide.
 * @param {string} file
 * @returns {string} `recipes/first.md`
 */
export function pageOf(file) {
  if (file === 'README.md') return 'start.md';
  if (file === 'CONTRIBUTING.md') return 'contributing.md';
  if (file === 'client/README.md') return 'client.md';
  return file.replace(/^docs\//, '').replace(/README\.md$/, 'index.md');
}
