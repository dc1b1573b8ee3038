export {
  type Amounts,
  GLOBAL_DEFAULTS,
  GLOBAL_REGION,
  type Quota,
  type QuotaName,
  type QuotaScope,
  REGIONAL_DEFAULTS,
} from './model.ts';
export { readQuotas, release, reserve } from './store.ts';
