import { type Examples, SAMPLE } from '../../platform/openapi/examples.ts';

export const imageExamples: Examples = {
  CreateImage: { name: 'shop-web-42', volume_id: SAMPLE.volume, os_type: 'linux', ssh_key: 'allow' },
  UpdateImage: { name: 'shop-web-43', ssh_key: 'required', tags: { release: '43' } },
  DownloadImage: {
    name: 'shop-appliance',
    url: 'https://images.example.com/shop-appliance.qcow2',
    os_type: 'linux',
    os_distro: 'debian',
    os_version: '13',
  },
};
