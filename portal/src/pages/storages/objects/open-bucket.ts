import { useRouting } from '../../../ui/routing.tsx';
import type { BucketOf } from './s3.ts';

/** The bucket and folder that the address names; undefined: none. */
export function useOpenBucket(storage: number): { of: BucketOf; prefix: string } | undefined {
  const { bucket, prefix = '' } = useRouting().useSearch();
  return bucket === undefined ? undefined : { of: { storage, bucket }, prefix };
}
