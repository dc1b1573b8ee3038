/** The body of a load balancer for web servers on this machine.
 *  @param port where it listens
 *  @param servers ports of the members
 *  @param pool what else its pool has; default: a health monitor
 *  @param address of the members */
export const webBalancer = (
  port: number,
  servers: readonly number[],
  pool: object = { healthmonitor: { type: 'HTTP', delay: 1, timeout: 1, max_retries: 2, url_path: '/' } },
  address = '127.0.0.1',
) => ({
  name: 'web',
  listeners: [
    {
      name: 'http',
      protocol: 'HTTP',
      protocol_port: port,
      pools: [
        {
          name: 'app',
          protocol: 'HTTP',
          lb_algorithm: 'ROUND_ROBIN',
          members: servers.map((protocol_port) => ({ address, protocol_port })),
          ...pool,
        },
      ],
    },
  ],
});
