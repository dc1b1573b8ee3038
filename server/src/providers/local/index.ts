export {
  type CloseMode,
  createLocalLoadBalancers,
  type LocalLoadBalancers,
  type LocalLoadBalancersOptions,
} from './load-balancers/provider.ts';
export { localNetworks } from './networks.ts';
