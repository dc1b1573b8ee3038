// @ts-check
import path from 'node:path';
import { pythonPackages } from '../packages.mjs';

const PROGRAM = `
import os
from gcore import Gcore

client = Gcore(
    api_key=os.environ["API_TOKEN"], base_url=os.environ["API_URL"], cloud_project_id=1, cloud_region_id=2,
    _strict_response_validation=True,
)
assert [project.name for project in client.cloud.projects.list()]
assert len([region for region in client.cloud.regions.list()]) == 2
network = client.cloud.networks.create_and_poll(name="judged") if hasattr(client.cloud.networks, "create_and_poll") else None
if network is None:
    tasks = client.cloud.networks.create(name="judged").tasks
    task = client.cloud.tasks.poll(tasks[0])
    network = client.cloud.networks.get(task.created_resources.networks[0])
assert client.cloud.networks.get(network.id).name == "judged"
for task in client.cloud.networks.delete(network.id).tasks:
    client.cloud.tasks.poll(task)
`;

/**
 * @param {string} version
 * @returns {import('../tool.d.ts').Tool}
 */
const sdk = (version) => ({
  name: `python-sdk-${version.split('.').slice(0, 2).join('.')}`,
  version,
  does: 'the public Python SDK: projects, regions, and the life of a network, with strict types; `test/compat` calls every method',
  needs: ['python3'],
  async run(context) {
    const bin = await pythonPackages(context, [`gcore==${version}`]);
    await context.run(path.join(bin, 'python'), ['-'], { input: PROGRAM });
    return undefined;
  },
});

export const pythonSdkOlder = sdk('0.53.0');
export const pythonSdkNewest = sdk('0.59.0');
