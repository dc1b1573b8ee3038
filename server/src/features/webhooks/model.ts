import type { Transitions } from '../../kernel/transitions.ts';

/** Events posted to addresses of clients: written with the change that causes them, delivered afterwards. */

export const DELIVERY_STATES = ['WAITING', 'DELIVERED', 'FAILED'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export const DELIVERY_TRANSITIONS: Transitions<DeliveryState> = {
  WAITING: ['DELIVERED', 'FAILED'],
  // Posted again, when somebody asks for it.
  DELIVERED: ['WAITING'],
  FAILED: ['WAITING'],
};

/** Seconds from each attempt to the next: ten attempts in about sixteen hours. */
export const RETRY_AFTER = [5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800] as const;

/** Whether an attempt that failed was the last. @param attempt counted from 1 */
export const isLast = (attempt: number): boolean => attempt > RETRY_AFTER.length;

/** Hours for which calls are also signed with the secret before a rotation. */
export const BOTH_SECRETS_HOURS = 24;

/** Days after which a delivery that has ended is forgotten. */
export const KEPT_DAYS = 90;
