/** What the areas of the API are about, for those who read its reference. */
export const AREAS: Readonly<Record<string, string>> = {
  Accounts: 'Who calls: the account, its users and its API tokens.',
  'Sign-in':
    'Sessions of people: signing in, staying signed in, forgotten passwords, and the log of sign-ins.',
  Operator: 'What runs the cloud itself. Needs the operator token.',
  Projects: 'A project holds resources; every account has a default one.',
  Regions: 'Where resources live, and what each place can do.',
  Tasks: 'Changes that take time, and what became of them.',
  'Inference secrets': 'Credentials for inference, encrypted at rest.',
  Quotas: 'Limits and usage, requests for more, and the warning before a limit is reached.',
  'Managed PostgreSQL': 'Whether the service is on for a project in a region.',
  'SSH keys': 'Public keys that nodes accept.',
  Instances: 'Virtual machines, nodes of clusters among them.',
  Kubernetes: 'Managed clusters, their pools of nodes, upgrades and access.',
  'Load balancers': 'Load balancers and what they are made of.',
  'Floating IPs': 'Addresses that are kept, and moved from one load balancer to another.',
  Secrets: 'Certificates with their keys, for listeners and pools.',
  'Response pages': 'The pages that visitors of a protected site may see: previews, and sets that are kept.',
  'Storage notifications': 'Thresholds of space, files, traffic and requests.',
  Video: 'Signed addresses of protected video.',
};
