import { describe, expect, test } from 'vitest';
import { memberNetworks } from './member-networks.ts';

const OWN = [
  { host: '127.0.0.1', port: 8080 },
  { host: 'localhost', port: 8090 },
  { host: '0.0.0.0', port: 9090 },
  { host: '[::1]', port: 5432 },
];

describe('without a setting', () => {
  const networks = memberNetworks('', () => OWN);

  test.each([
    ['127.0.0.1', 9001],
    ['::1', 80],
    ['10.1.2.3', 80],
    ['192.168.0.1', 22],
    ['fd12:3456::1', 80],
    ['203.0.113.5', 443],
    ['127.0.0.2', 8080],
  ])('a member may be at %s port %d', (address, port) => {
    expect(networks.faultOf(address, port)).toBeNull();
  });

  test.each([
    ['0.0.0.0', 80, 'an unspecified address'],
    ['0.1.2.3', 80, 'an unspecified address'],
    ['::', 80, 'an unspecified address'],
    ['::ffff:0.0.0.0', 80, 'an unspecified address'],
    ['224.0.0.1', 80, 'a multicast address'],
    ['ff02::1', 80, 'a multicast address'],
    ['255.255.255.255', 80, 'a reserved address'],
    ['169.254.169.254', 80, 'a link-local address'],
    ['::ffff:169.254.169.254', 80, 'a link-local address'],
    ['64:ff9b::a9fe:a9fe', 80, 'a translated IPv4 address'],
    ['::127.0.0.1', 80, 'a translated IPv4 address'],
    ['fe80::1', 80, 'a link-local address'],
    ['127.77.0.4', 80, 'in a network of load balancers'],
    ['fd76:6972:6761:1::5', 80, 'in a network of load balancers'],
    ['127.0.0.1', 8080, "a port of this cloud's own programs"],
    ['::ffff:127.0.0.1', 8080, "a port of this cloud's own programs"],
    ['127.0.0.1', 8090, "a port of this cloud's own programs"],
    ['::1', 8090, "a port of this cloud's own programs"],
    ['127.9.9.9', 9090, "a port of this cloud's own programs"],
    ['::1', 5432, "a port of this cloud's own programs"],
    ['not an address', 80, 'is not an IP address'],
  ])('none may be at %s port %d', (address, port, reason) => {
    expect(networks.faultOf(address, port)).toContain(reason);
  });
});

describe('with a setting', () => {
  const networks = memberNetworks('10.0.0.0/8, 169.254.1.0/24 !10.0.0.0/24', () => OWN);

  test.each([
    ['10.1.2.3', null],
    ['169.254.1.7', null],
    ['10.0.0.5', 'VIRGA_MEMBER_NETWORKS of this cloud refuses its network'],
    ['127.0.0.1', 'VIRGA_MEMBER_NETWORKS of this cloud does not allow its network'],
    ['169.254.169.254', 'a link-local address'],
    ['224.0.0.1', 'a multicast address'],
  ])('%s', (address, reason) => {
    const fault = networks.faultOf(address, 80);
    if (reason === null) expect(fault).toBeNull();
    else expect(fault).toContain(reason);
  });

  test('what is refused alone leaves all else allowed', () => {
    const { faultOf } = memberNetworks('!192.168.0.0/16');
    expect(faultOf('127.0.0.1', 80)).toBeNull();
    expect(faultOf('192.168.1.1', 80)).toContain('refuses its network');
  });

  test('what is no network is named', () => {
    expect(() => memberNetworks('10.0.0.0/33')).toThrow('"10.0.0.0/33" is neither');
  });
});
